"""Paths counted: known figures, and the same figures by every way of counting."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from boards import PORTES_OPENINGS, ROLLS, counts, to_position
from hypothesis import given, settings
from make_perft import TABLES, Entry, by_kernel, by_reference, read, table, write
from strategies import legal_boards, variants

import tavli_fast as tf
from tavli_fast import reference

KNOWN = [
    (tf.PORTES, 0, 1),
    (tf.PORTES, 1, 447),
    (tf.PORTES, 2, 202_782),
    (tf.PORTES, 3, 116_154_993),
    (tf.FEVGA, 0, 1),
    (tf.FEVGA, 1, 22),
    (tf.FEVGA, 2, 479),
    (tf.FEVGA, 3, 21_893),
    (tf.FEVGA, 4, 877_257),
    (tf.PLAKOTO, 1, 59),
    (tf.PLAKOTO, 2, 3_474),
    (tf.PLAKOTO, 3, 708_405),
    (tf.GUL_BARA, 1, 53),
    (tf.GUL_BARA, 2, 2_768),
    (tf.GUL_BARA, 3, 480_979),
    (tf.GIOUL, 1, 59),
    (tf.GIOUL, 2, 3_405),
    (tf.LONG_NARDY, 1, 22),
    (tf.LONG_NARDY, 2, 484),
    (tf.LONG_NARDY, 3, 35_387),
    (tf.LONG_NARDY, 4, 2_411_418),
]
NODES = 1_000_000
"""The largest count of a table that the kernel repeats here."""
SECOND_PLY = 60
"""The largest count at depth 1 from which the reference repeats depth 2 here."""
TABLE_OF = {path.stem: read(path)[1] for path in sorted(TABLES.glob("*.perft"))}
ENTRIES = [
    pytest.param(entry, id=f"{game} {entry.name}")
    for game, entries in TABLE_OF.items()
    for entry in entries
]


@pytest.mark.parametrize(("ruleset", "depth", "paths"), KNOWN)
def test_known_figures(ruleset, depth, paths):
    """Published for this project's rules; Portes also by other generators."""
    assert tf.Position.start(ruleset).perft(depth) == paths


@pytest.mark.parametrize(
    ("ruleset", "depth", "paths"), [known for known in KNOWN if known[2] < 25_000]
)
def test_known_figures_by_the_reference(ruleset, depth, paths):
    assert reference.perft(tf.Position.start(ruleset), depth) == paths


@pytest.mark.parametrize("entry", ENTRIES)
def test_tables(entry):
    for depth, paths in enumerate(entry.counts, 1):
        if paths <= NODES:
            assert entry.position.perft(depth) == paths


@pytest.mark.parametrize("entry", ENTRIES)
def test_tables_by_the_reference(entry):
    assert reference.perft(entry.position, 1) == entry.counts[0]
    if entry.name == "start" and entry.counts[0] <= SECOND_PLY:
        assert reference.perft(entry.position, 2) == entry.counts[1]


def test_every_game_has_its_table():
    assert set(TABLE_OF) == set(tf.RULESETS)


@pytest.mark.parametrize("game", TABLE_OF)
def test_what_a_table_holds(game):
    """The game's own rules, its start, ten more positions of games that go on; as written."""
    path = TABLES / f"{game}.perft"
    ruleset, entries = read(path)
    positions = [entry.position for entry in entries]
    assert ruleset == tf.RULESETS[game]
    assert positions[0] == tf.Position.start(ruleset)
    assert len(set(positions)) == len({entry.name for entry in entries}) == len(entries) >= 11
    assert all(position.points_won is None for position in positions)
    assert all(1 <= entry.agreed <= len(entry.counts) for entry in entries)
    assert table(ruleset, entries) == path.read_text(encoding="utf-8")


def test_published_figures_are_those_of_the_tables():
    text = (Path(__file__).parents[1] / "RULES.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Z][\w ]+?) \|((?: *[\d,]* *\|){7})$", text, flags=re.MULTILINE)
    published = {}
    for title, cells in rows:
        *counts, agreed = [int(cell.replace(",", "")) for cell in cells.split("|") if cell.strip()]
        published[title] = (tuple(counts), agreed)
    assert published == {
        tf.RULESETS[game].title: (entries[0].counts, entries[0].agreed)
        for game, entries in TABLE_OF.items()
    }


def test_a_table_is_never_replaced_unasked(tmp_path):
    path = tmp_path / "fevga.perft"
    entries = [Entry("start", tf.Position.start(tf.FEVGA), 2, (22, 479))]
    write(path, table(tf.FEVGA, entries), renew=False)
    write(path, table(tf.FEVGA, entries), renew=False)
    assert read(path) == (tf.FEVGA, entries)
    other = table(tf.FEVGA, [dataclasses.replace(entries[0], counts=(22, 480))])
    with pytest.raises(SystemExit, match=r"-perft 2 479\n\+perft 2 480"):
        write(path, other, renew=False)
    assert read(path) == (tf.FEVGA, entries)
    write(path, other, renew=True)
    assert path.read_text(encoding="utf-8") == other


@pytest.mark.parametrize("ruleset", [tf.PORTES, tf.PLAKOTO, tf.FEVGA], ids=str)
def test_counting_for_a_table_is_perft(ruleset):
    """Also where some games end earlier; a count that repeats the one before is the last."""
    two = tf.Position.start(dataclasses.replace(ruleset, start=counts({4: 1, 1: 1}, 2)))
    by_definition = [reference.perft(two, depth) for depth in (1, 2)]
    found = by_kernel(two, 1_000_000)
    assert found[:2] == by_definition
    assert found[-1] == found[-2] != found[-3]
    assert by_reference(two, 1_000_000, len(found)) == found
    assert by_reference(two, 0, len(found)) == found[:1]


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_change_nothing(threads):
    assert tf.Position.start(tf.FEVGA).perft(4, threads=threads) == 877_257
    assert tf.Position.start(tf.PORTES).perft(2, threads=threads) == 202_782


def test_backgammon_moves_as_portes():
    start = tf.Position.start(tf.BACKGAMMON)
    assert start.perft(2) == 202_782
    assert start.perft(2, weighted=True) == tf.Position.start(tf.PORTES).perft(2, weighted=True)


def test_weighted_openings():
    """Mixed rolls count twice. In Fevga each has one result, and of the doubles 5-5 alone two."""
    doubles = sum(n for (high, low), n in PORTES_OPENINGS.items() if high == low)
    mixed = sum(PORTES_OPENINGS.values()) - doubles
    assert doubles + mixed == 447
    assert tf.Position.start(tf.PORTES).perft(1, weighted=True) == doubles + 2 * mixed
    assert tf.Position.start(tf.FEVGA).perft(1, weighted=True) == 36 + 1


def count(position: tf.Position, depth: int, weighted: bool) -> int:
    """Perft by its definition, one position at a time."""
    if depth == 0 or position.points_won is not None:
        return 1
    return sum(
        (2 if weighted and roll[0] != roll[1] else 1) * count(after.flip(), depth - 1, weighted)
        for roll in ROLLS
        for after in position.afterstates(roll)
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("ruleset", "depth"), [(tf.PORTES, 2), (tf.TAVLA, 2), (tf.FEVGA, 3)], ids=str
)
def test_perft_is_what_it_says(ruleset, depth, weighted):
    start = tf.Position.start(ruleset)
    assert start.perft(depth, weighted=weighted) == count(start, depth, weighted)


@pytest.mark.parametrize("ruleset", list(tf.RULESETS.values()), ids=str)
def test_any_position_under_any_options(ruleset):
    @settings(max_examples=20)
    @given(legal_boards(ruleset), variants(ruleset))
    def agree(board, variant):
        position = to_position(board, variant)
        assert position.perft(1) == count(position, 1, False)
        assert position.perft(1, weighted=True) == reference.perft(position, 1, weighted=True)

    agree()


@pytest.mark.parametrize(
    "ruleset", [tf.PORTES, tf.TAVLA, tf.FEVGA, tf.FEVGA.replace(runner="off")], ids=str
)
def test_small_games_to_their_end(ruleset):
    """Two checkers a side, nearly home: some paths end before the depth is reached."""
    two = dataclasses.replace(ruleset, start=counts({5: 1, 2: 1}, 2))
    start = tf.Position.start(two)
    for weighted in (False, True):
        for depth in range(4):
            assert start.perft(depth, weighted) == reference.perft(start, depth, weighted)


def test_a_finished_game_counts_one():
    over = tf.Position(tf.PORTES, {}, {24: 15})
    for position in (over, over.flip()):
        assert [position.perft(depth) for depth in range(4)] == [1] * 4
        assert position.perft(3, weighted=True) == 1
    last = tf.Position(tf.PORTES, {1: 1}, {1: 1})
    assert [last.perft(depth) for depth in range(4)] == [1, 21, 21, 21]
    assert [last.perft(depth, weighted=True) for depth in range(4)] == [1, 36, 36, 36]


def test_a_lost_turn_counts_one():
    """Both sides hold their home against the other's checkers on the bar, so nobody ever moves."""
    shut = {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 25: 3}
    both = tf.Position(tf.PORTES, shut, shut)
    assert [both.perft(depth) for depth in range(4)] == [1, 21, 21**2, 21**3]
    assert both.perft(3, weighted=True) == 36**3


def test_progress():
    """Called with what is done and the whole, and ends with all of it."""
    start = tf.Position.start(tf.FEVGA)
    for threads in (1, 2):
        calls = []
        paths = start.perft(4, threads=threads, progress=lambda *call: calls.append(call))  # noqa: B023
        assert paths == 877_257
        done, total = zip(*calls, strict=True)
        assert len(set(total)) == 1
        assert list(done) == sorted(done)
        assert done[-1] == total[0]


def test_an_error_in_progress_is_passed_on():
    def stop(done, total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        tf.Position.start(tf.FEVGA).perft(3, progress=stop)
    with pytest.raises(InterruptedError):
        tf.Position.start(tf.FEVGA).perft(3, threads=2, progress=stop)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"depth": -1}, "depth"),
        ({"depth": 1.5}, "depth"),
        ({"depth": "2"}, "depth"),
        ({"depth": None}, "depth"),
        ({"depth": 1, "threads": 0}, "threads"),
        ({"depth": 1, "threads": -2}, "threads"),
        ({"depth": 1, "threads": None}, "threads"),
    ],
    ids=str,
)
def test_errors(arguments, named):
    with pytest.raises(ValueError, match=named):
        tf.Position.start(tf.FEVGA).perft(**arguments)
    if arguments["depth"] == -1:
        with pytest.raises(ValueError, match=named):
            reference.perft(tf.Position.start(tf.FEVGA), -1)
