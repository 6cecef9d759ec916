"""Every build of the kernel that runs here gives the same bytes, the order of results included."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from boards import to_array
from strategies import arbitrary_board, random_play, variant
from test_corpus import CORPORA

import tavli_fast as tf
from tavli_fast import _dispatch
from tavli_fast.rules import Ruleset

pytestmark = pytest.mark.thread_unsafe(reason="a level is chosen for all threads")

GAMES = list(tf.RULESETS.values())
LEVELS = tf.cpu.supported
DEPTHS = {"portes": 2, "backgammon": 2, "tavla": 2, "hypergammon": 2, "nackgammon": 2}
"""Of the paths counted from the start; 3 in the other games, which begin narrowly."""


@pytest.fixture(autouse=True)
def same_level_afterwards():
    chosen = _dispatch.cpu.level
    yield
    _dispatch.use(chosen)


def at_every_level(call) -> list:
    """What a call returns, level by level."""
    results = []
    for level in LEVELS:
        _dispatch.use(level)
        assert _dispatch.cpu.level == level
        results.append(call())
    return results


def batch(records: np.ndarray, rolls: np.ndarray, ruleset: Ruleset, flip: bool) -> tuple:
    """All bytes of a batch's answer, with an `out` that would show one row written too many."""
    found = tf.afterstates(records, rolls, ruleset, flip=flip)
    room = np.full((len(found.positions) + 1) * 64, 0xA5, np.uint8).view(tf.POSITION)
    again = tf.afterstates(records, rolls, ruleset, flip=flip, out=room)
    assert again.positions.tobytes() == found.positions.tobytes()
    assert (room[-1:].view(np.uint8) == 0xA5).all()
    return tuple(part.tobytes() for part in found)


def test_the_best_supported_level_works_unless_told_otherwise():
    assert set(LEVELS) <= set(tf.cpu.built) <= set(_dispatch.LEVELS)
    assert "base" in LEVELS
    wanted = os.environ.get("TAVLI_FAST_CPU") or "auto"
    assert tf.cpu.level == (LEVELS[0] if wanted == "auto" else wanted)


def test_no_silent_fall_to_base():
    """Whoever builds says in TAVLI_FAST_EXPECT_CPU which level has to run there: one of these."""
    expected = os.environ.get("TAVLI_FAST_EXPECT_CPU")
    if expected is None:
        pytest.skip("TAVLI_FAST_EXPECT_CPU is not set")
    assert tf.cpu.level in expected.split(",")


@pytest.mark.parametrize("name", CORPORA)
@pytest.mark.parametrize("flip", [False, True])
def test_corpora(name, flip):
    corpus = CORPORA[name]()
    answers = at_every_level(lambda: batch(corpus.records, corpus.rolls, corpus.ruleset, flip))
    assert len(set(answers)) == 1


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_arbitrary_boards_under_all_rolls(ruleset):
    choose = random.Random(8)
    records = to_array([arbitrary_board(choose, ruleset) for _ in range(400)])
    for each in (ruleset, variant(choose, ruleset), variant(choose, ruleset)):
        answers = at_every_level(lambda each=each: batch(records, tf.ALL_ROLLS, each, False))
        assert len(set(answers)) == 1, each


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_random_play_under_all_rolls(ruleset):
    records = to_array(random_play(ruleset, seed=8, games=4, plies=80))
    assert len(set(at_every_level(lambda: batch(records, tf.ALL_ROLLS, ruleset, True)))) == 1


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_walls_and_rolls(ruleset):
    choose = random.Random(6)
    records = to_array([arbitrary_board(choose, ruleset) for _ in range(500)])
    first, *others = at_every_level(lambda: tf.blockades(records, ruleset).tobytes())
    assert all(other == first for other in others)


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_perft(ruleset):
    start, depth = tf.Position.start(ruleset), DEPTHS.get(ruleset.game, 3)
    assert len(set(at_every_level(lambda: start.perft(depth, weighted=True)))) == 1
    choose = random.Random(9)
    for _ in range(20):
        (position,) = tf.from_records(to_array([arbitrary_board(choose, ruleset)]), ruleset)
        assert len(set(at_every_level(lambda position=position: position.perft(1)))) == 1


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_moves_of_single_positions(ruleset):
    choose = random.Random(10)
    records = to_array([arbitrary_board(choose, ruleset) for _ in range(10)])
    positions = tf.from_records(records, ruleset)

    def moves():
        return [
            [(move.steps, move.hits, move.after.text) for move in position.moves(roll)]
            for position in positions
            for roll in ((2, 1), (6, 4), (5, 5))
        ]

    first, *others = at_every_level(moves)
    assert all(other == first for other in others)


def imported(
    level: str, program: str, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Import the package anew with a level forced, and run a program.

    `folder` holds a copy of the package that is to be taken.
    """
    return subprocess.run(
        [sys.executable, "-c", f"import tavli_fast as tf; {program}"],
        capture_output=True,
        text=True,
        env=environment(level, folder),
        cwd=Path(__file__).parent,
    )


def environment(level: str, folder: Path | None) -> dict[str, str]:
    path = [str(folder)] if folder else []
    path += [os.environ["PYTHONPATH"]] if "PYTHONPATH" in os.environ else []
    return os.environ | {"TAVLI_FAST_CPU": level, "PYTHONPATH": os.pathsep.join(path)}


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    """The one line in which an import was refused; nothing of the program has run."""
    assert done.returncode != 0
    assert not done.stdout
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: "), done.stderr[-500:]
    return last


SHOW = "print(tf.cpu.level, tf.cpu.built, tf.cpu.supported, len(tf.cpu.errors), sep='/')"


@pytest.mark.parametrize("level", ["auto", *LEVELS])
def test_a_level_can_be_forced(level):
    done = imported(level, SHOW)
    assert done.returncode == 0, done.stderr[-500:]
    assert not done.stderr
    chosen = LEVELS[0] if level == "auto" else level
    assert done.stdout.strip() == f"{chosen}/{tf.cpu.built}/{tf.cpu.supported}/0"


@pytest.mark.parametrize("level", ["x86_64_v9", "BASE", "avx2", "base ", "0"])
def test_an_unknown_level_is_an_import_error(level):
    """It names what is built and what of it can run here."""
    told = refusal(imported(level, "print('imported')"))
    built, supported = ", ".join(tf.cpu.built), ", ".join(tf.cpu.supported)
    assert f"TAVLI_FAST_CPU={level}" in told
    assert f"has {built}, " in told
    assert f"supports {supported}" in told


def test_an_unknown_level_leaves_the_one_in_use():
    before = _dispatch.cpu
    with pytest.raises(ImportError):
        _dispatch.use("x86_64_v9")
    assert _dispatch.cpu == before


ALL = ("x86_64_v4", "x86_64_v3", "x86_64_v2", "base")
BOTH = ("x86_64_v3", "base")


def test_what_a_processor_offers_is_used():
    assert _dispatch.choose("auto", ALL, 4) == ALL
    assert _dispatch.choose("auto", ALL, 3) == ALL[1:]
    assert _dispatch.choose("auto", ALL, 2) == ALL[2:]
    assert _dispatch.choose("auto", ALL, 1) == ("base",)
    assert _dispatch.choose("auto", BOTH, 2) == ("base",)
    assert _dispatch.choose("auto", BOTH, 4) == BOTH
    assert _dispatch.choose("base", ALL, 4) == ("base",)
    assert _dispatch.choose("x86_64_v3", ALL, 4) == ("x86_64_v3",)


def test_a_level_that_the_installation_lacks_is_an_import_error():
    with pytest.raises(
        ImportError, match=r"=x86_64_v4: this installation has x86_64_v3, base, of which"
    ):
        _dispatch.choose("x86_64_v4", BOTH, 4)


@pytest.mark.parametrize("offered", [0, 1, 2])
def test_a_level_that_the_processor_lacks_is_an_import_error(offered):
    with pytest.raises(
        ImportError, match=r"has x86_64_v3, base, of which this machine supports base$"
    ):
        _dispatch.choose("x86_64_v3", BOTH, offered)


def test_no_level_is_an_import_error():
    with pytest.raises(ImportError, match=r"has no level, of which this machine supports none$"):
        _dispatch.choose("auto", (), 3)


@pytest.mark.parametrize("level", sorted(set(tf.cpu.built) - set(LEVELS)))
def test_a_level_that_is_built_and_cannot_run_here(level):
    """On an old processor, or an emulated one."""
    told = refusal(imported(level, "print('imported')"))
    assert f"has {', '.join(tf.cpu.built)}, " in told
    assert f"supports {', '.join(tf.cpu.supported)}" in told


def kernel_of(level: str, folder: Path) -> Path:
    (path,) = (folder / "tavli_fast").glob(f"_kernel_{level}.*")
    return path


@pytest.fixture
def copy(tmp_path):
    """A copy of the package whose kernels may be spoilt."""
    package = Path(tf.__file__).parent
    shutil.copytree(package, tmp_path / "tavli_fast", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


BETTER = pytest.mark.skipif(len(LEVELS) < 2, reason="one level alone can run on this processor")


@BETTER
def test_a_missing_level_is_not_built(copy):
    """`built` and `supported` say so, and asking for it is an error."""
    best, *others = LEVELS
    kernel_of(best, copy).unlink()
    built = tuple(level for level in tf.cpu.built if level != best)
    done = imported("auto", SHOW, copy)
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout.strip() == f"{others[0]}/{built}/{tuple(others)}/0"
    told = refusal(imported(best, "print('imported')", copy))
    assert f"has {', '.join(built)}, " in told
    assert f"supports {', '.join(others)}" in told


@BETTER
def test_a_broken_level_is_told_of(copy):
    """A slower one has to do, and a warning says so; told to take it, the import fails."""
    best, *others = LEVELS
    kernel_of(best, copy).write_bytes(b"no library")
    done = imported("auto", SHOW, copy)
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout.strip() == f"{others[0]}/{tf.cpu.built}/{tf.cpu.supported}/1"
    assert f"RuntimeWarning: tavli_fast runs at level {others[0]}" in done.stderr
    assert f"{best}: " in done.stderr
    told = refusal(imported(best, "print('imported')", copy))
    assert "no level of the kernel can be loaded" in told
    assert f"{best}: " in told
    shown = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tavli_fast", "info"],
        capture_output=True,
        text=True,
        env=environment("auto", copy),
        check=True,
    )
    assert re.search(rf"^not loaded  {best}: ", shown.stdout, flags=re.MULTILINE)


def test_a_level_of_another_build_is_broken(copy):
    """Two builds may differ in what they hand over."""
    name = f"_kernel_{LEVELS[0]}"
    kernel_of(LEVELS[0], copy).unlink()
    (copy / "tavli_fast" / f"{name}.py").write_text("kernel = None\n")
    told = refusal(imported(LEVELS[0], "print('imported')", copy))
    assert f"{LEVELS[0]}: " in told


def test_nothing_that_can_be_loaded_is_an_import_error(copy):
    for level in LEVELS:
        kernel_of(level, copy).write_bytes(b"no library")
    told = refusal(imported("auto", "print('imported')", copy))
    assert all(f"{level}: " in told for level in LEVELS)
