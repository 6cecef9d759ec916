"""What is written is true: every example runs, and every option is told of."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from pictures import DOCS, pictures_of

import tavli_fast as tf
from tavli_fast.rules import OPTIONS

pytestmark = pytest.mark.thread_unsafe(reason="doctest replaces sys.stdout")

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    module.name
    for module in pkgutil.iter_modules(tf.__path__)
    if not module.name.startswith("_kernel")
)
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in DOCS.glob("*.md"))
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def modules():
    return [tf, *(importlib.import_module(f"tavli_fast.{name}") for name in MODULES)]


def test_all_modules_are_seen():
    assert {"rules", "reference", "notation", "render", "position", "batch"} <= set(MODULES)


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.__name__)
def test_examples_in_docstrings(module):
    """Compiled modules list their docstrings in `__test__`, where doctest finds them."""
    assert module.__doc__
    results = doctest.testmod(module, optionflags=FLAGS)
    assert results.failed == 0
    if module.__name__.rpartition(".")[2].strip("_") not in ("main", "dispatch"):
        assert results.attempted > 0, "no example was found"


# Each section of it needs a library of its own, and is run with the tests of that adapter.
ADAPTERS = "docs/adapters.md"


@pytest.mark.parametrize(
    "name", sorted({"README.md", "RULES.md", "CONTRIBUTING.md", *PAGES} - {ADAPTERS})
)
def test_examples_in_texts(name):
    results = doctest.testfile(str(ROOT / name), module_relative=False, optionflags=FLAGS)
    assert results.failed == 0
    if ">>>" in (ROOT / name).read_text(encoding="utf-8"):
        assert results.attempted > 0, "no example was found"


def test_pictures_are_those_that_the_examples_make():
    """`python tests/pictures.py` writes them again."""
    made = {path: picture for page in PAGES for path, picture in pictures_of(ROOT / page).items()}
    assert made
    assert set(made) == set(DOCS.rglob("*.svg"))
    for path, picture in made.items():
        assert path.read_text(encoding="utf-8") == picture, path.name


@pytest.mark.parametrize("name", tf.__all__)
def test_public_things_are_documented(name):
    thing = getattr(tf, name)
    if callable(thing):
        text = (thing.__doc__ or "").strip()
        # Compiled things have their signature in the first line.
        assert text.partition("\n\n")[2] if text.startswith(f"{name}(") else text


@pytest.mark.parametrize(
    "kind", [tf.Position, tf.Move, tf.Ruleset, tf.BearOff], ids=lambda kind: kind.__name__
)
def test_public_methods_are_documented(kind):
    for name in vars(kind):
        if not name.startswith("_") and callable(getattr(kind, name)):
            assert getattr(kind, name).__doc__, name


def sections() -> dict[str, str]:
    """The text of RULES.md below each heading that names an option."""
    text = (ROOT / "RULES.md").read_text(encoding="utf-8")
    parts = re.split(r"^(#{1,6} .*)$", text, flags=re.MULTILINE)
    found = {}
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        named = re.fullmatch(r"### `(\w+)`", heading.strip())
        if named:
            assert named[1] not in found, f"{named[1]} has two headings"
            found[named[1]] = body
    return found


def test_every_option_has_its_heading_and_no_other_has():
    assert set(sections()) == set(OPTIONS)


@pytest.mark.parametrize("option", OPTIONS)
def test_every_value_is_told_of(option):
    in_backticks = set(re.findall(r"`([^`\n]+)`", sections()[option]))
    missing = set(OPTIONS[option]) - in_backticks
    assert not missing, f"RULES.md says nothing of {option}={missing}"


@pytest.mark.parametrize(
    "name", ["README.md", "RULES.md", "CONTRIBUTING.md", "CHANGELOG.md", *PAGES]
)
def test_rulesets_in_texts_exist(name):
    """Whatever looks like a game with options is one, but for the words `option=value`."""
    text = (ROOT / name).read_text(encoding="utf-8")
    games = "|".join(tf.RULESETS)
    for ruleset in re.findall(rf"\b(?:{games})\((?!option=)[a-z_]+=[^()]*\)", text):
        tf.find_ruleset(ruleset)
    for option, value in re.findall(r"`([a-z_]+)=([a-z0-9_]+)`", text):
        assert value in OPTIONS.get(option, ()), f"{option}={value} in {name}"


def test_every_game_has_its_section():
    headings = re.findall(
        r"^#+ (.*)$", (ROOT / "RULES.md").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    for ruleset in tf.RULESETS.values():
        assert any(ruleset.title in heading for heading in headings), ruleset.title
