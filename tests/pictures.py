"""The pictures that are kept in `data/svg/` and in `docs/`, and looked at by eye.

python tests/pictures.py
    writes them again, after a change that is meant to change them; look at them in a browser.
"""

from __future__ import annotations

import doctest
import re
from collections.abc import Callable
from pathlib import Path

import tavli_fast as tf

FOLDER = Path(__file__).parent / "data" / "svg"
DOCS = Path(__file__).parents[1] / "docs"


def parse(text: str, ruleset: tf.Ruleset) -> tf.Position:
    return tf.Position.parse(text, ruleset)


PORTES = parse("bar:1,22:1,13:4,8:3,6:4,5:1,4:1/24:2,13:4,8:2,7:1,6:3,5:2,off:1", tf.PORTES)
PORTES_MOVE = PORTES.parse_move("bar/22 13/7", (6, 3))
PORTES_END = parse("6:2,5:2,2:1,off:10/bar:1,6:4,5:3,3:2,2:1,off:4", tf.PORTES)
PLAKOTO = parse("24:4,19:4,18:1p,8:1p,6:5/24:3,19:1p,17:1,7:9,6:1p", tf.PLAKOTO)
FEVGA = parse(
    "24:5,14:1,11:1,10:2,9:1,8:1,7:2,6:1,4:1/24:5,15:2,14:1,13:2,11:2,9:1,6:1,5:1", tf.FEVGA
)
PRIME = [11, 10, 9, 8, 7, 6]
HYPERGAMMON = parse("24:1,10:1,3:1/bar:1,6:1,off:1", tf.HYPERGAMMON)
NARDY = parse("6:2,3:3,off:10/6:4,2:3,off:8", tf.LONG_NARDY)

PICTURES: dict[str, Callable[[], str]] = {
    "portes_start": lambda: tf.svg.board(tf.Position.start(tf.PORTES)),
    "portes_to_move": lambda: tf.svg.board(PORTES, roll=(6, 3), move=PORTES_MOVE),
    "portes_moved": lambda: tf.svg.board(
        PORTES_MOVE.after.flip(), roll=(4, 4), move=PORTES_MOVE, below="opp"
    ),
    "portes_bearing_off": lambda: tf.svg.board(
        PORTES_END, roll=(6, 5), move=PORTES_END.parse_move("6/off 5/off", (6, 5))
    ),
    "plakoto_pins": lambda: tf.svg.board(PLAKOTO, roll=(5, 1)),
    "plakoto_pinning": lambda: tf.svg.board(
        PLAKOTO, roll=(5, 2), move=PLAKOTO.parse_move("24/22 24/19", (5, 2)), below="opp"
    ),
    "fevga_start": lambda: tf.svg.board(tf.Position.start(tf.FEVGA)),
    "fevga_prime": lambda: tf.svg.board(
        FEVGA, roll=(5, 2), highlight=PRIME, move=FEVGA.parse_move("9/4 6/4", (5, 2))
    ),
    "fevga_prime_above": lambda: tf.svg.board(FEVGA, roll=(5, 2), highlight=PRIME, below="opp"),
    "hypergammon": lambda: tf.svg.board(HYPERGAMMON, roll=(2, 1)),
    "long_nardy_end": lambda: tf.svg.board(NARDY, roll=(6, 6), width=200),
    "other_colours": lambda: tf.svg.board(
        tf.Position.start(tf.PORTES),
        roll=(3, 1),
        colours=tf.svg.Colours(
            frame="#1d3b35",
            label="#e8f0ea",
            field="#2f6b5e",
            point="#7fb09f",
            other_point="#21524a",
            lower="#f4efe6",
            lower_ink="#5c2a2a",
            upper="#a8322d",
            upper_ink="#fbeeee",
        ),
    ),
}


def pictures_of(page: Path) -> dict[Path, str]:
    """The pictures that a page shows: of each, what its examples have made of `picture` by then."""
    found = {}
    names: dict[str, object] = {}
    parts = re.split(r"\]\(([\w/]+\.svg)\)", page.read_text(encoding="utf-8"))
    for text, link in zip(parts[::2], parts[1::2], strict=False):
        for example in doctest.DocTestParser().get_examples(text):
            exec(compile(example.source, page.name, "exec"), names)
        found[page.parent / link] = str(names.pop("picture"))
    return found


def write(pictures: dict[Path, str]) -> None:
    for path, picture in pictures.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(picture, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write({FOLDER / f"{name}.svg": draw() for name, draw in PICTURES.items()})
    for page in DOCS.glob("*.md"):
        write(pictures_of(page))
