"""The kept pictures in a real browser: Chromium or Chrome, without a window.

`TAVLI_FAST_BROWSER` names the browser and makes it an error if there is none; `.ci/run` does so.
"""

from __future__ import annotations

import base64
import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pictures import FOLDER, PICTURES

BROWSERS = "chromium", "chromium-browser", "google-chrome"
BROWSER = os.environ.get("TAVLI_FAST_BROWSER") or next(
    filter(None, map(shutil.which, BROWSERS)), ""
)

pytestmark = pytest.mark.skipif(not BROWSER, reason=f"none of {', '.join(BROWSERS)} is installed")

LOOK = """
async function colours(image, spots) {
  const canvas = document.createElement("canvas");
  canvas.width = image.width; canvas.height = image.height;
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0, image.width, image.height);
  return spots.map(([x, y]) => Array.from(context.getImageData(
    Math.round(x * image.width), Math.round(y * image.height), 1, 1).data));
}
function boxes(svg) {
  const whole = svg.getBoundingClientRect();
  const scale = svg.viewBox.baseVal.width / whole.width;
  return Array.from(svg.querySelectorAll("text")).map(text => {
    const box = text.getBoundingClientRect();
    return [text.textContent, (box.left - whole.left) * scale, (box.right - whole.left) * scale];
  });
}
function checkers(svg) {
  const {width, height} = svg.viewBox.baseVal;
  return Array.from(svg.querySelectorAll("circle[r='19']")).map(circle => [
    circle.getAttribute("fill"),
    (circle.cx.baseVal.value + 8) / width, circle.cy.baseVal.value / height]);
}
async function look() {
  const found = {};
  for (const svg of document.querySelectorAll("svg")) {
    const name = svg.parentElement.id, seen = checkers(svg), images = {};
    for (const width of [200, 800]) {
      const image = new Image();
      const {width: x, height: y} = svg.viewBox.baseVal;
      image.width = width; image.height = Math.round(width * y / x);
      image.src = svg.parentElement.dataset.source;
      await image.decode();
      images[width] = await colours(image, seen.map(([_, x, y]) => [x, y]));
    }
    found[name] = {boxes: boxes(svg), fills: seen.map(([fill]) => fill), images};
  }
  document.getElementById("found").textContent = JSON.stringify(found);
}
look();
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict]:
    """What a browser makes of all pictures, as parts of a page and as images of their own."""
    folder = tmp_path_factory.mktemp("browser")
    parts = []
    for name in PICTURES:
        picture = (FOLDER / f"{name}.svg").read_bytes()
        source = f"data:image/svg+xml;base64,{base64.b64encode(picture).decode()}"
        parts.append(f'<div id="{name}" data-source="{source}">{picture.decode()}</div>')
    page = folder / "page.html"
    page.write_text(
        f"<!doctype html><meta charset=utf-8>{''.join(parts)}<pre id=found></pre>"
        f"<script>{LOOK}</script>",
        encoding="utf-8",
    )
    return json.loads(html.unescape(dumped(page, folder / "profile")))


def dumped(page: Path, profile: Path) -> str:
    """The text that the page has put into its last element."""
    done = subprocess.run(
        [
            *(BROWSER, "--headless", "--disable-gpu", f"--user-data-dir={profile}"),
            # Containers that run as root have no sandbox to offer; the page is our own.
            "--no-sandbox",
            *("--virtual-time-budget=20000", "--dump-dom", page.as_uri()),
        ],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    match = re.search(r'<pre id="found">(.+?)</pre>', done.stdout)
    assert match, done.stderr
    return match[1]


@pytest.mark.parametrize("name", PICTURES)
def test_numbers_fit_where_they_are(seen: dict[str, dict], name: str) -> None:
    """Labels within their column, counts within their checker, in the fonts of this machine."""
    found = seen[name]["boxes"]
    assert len(found) >= 26
    for text, left, right in found:
        assert 0 < right - left <= 44, text


@pytest.mark.parametrize("width", [200, 800])
@pytest.mark.parametrize("name", PICTURES)
def test_checkers_have_their_colours(seen: dict[str, dict], name: str, width: int) -> None:
    """Beside the middle; an arrow, a number or a checker above may cover two."""
    fills, drawn = seen[name]["fills"], seen[name]["images"][str(width)]
    differences = [
        max(abs(wanted - had) for wanted, had in zip(bytes.fromhex(fill[1:]), pixel, strict=False))
        for fill, pixel in zip(fills, drawn, strict=True)
    ]
    assert sum(difference > 24 for difference in differences) <= 2
    assert len(differences) >= 5
