"""Paths counted: known figures, and the same figures by every way of counting."""

from __future__ import annotations

import dataclasses

import pytest
from boards import PORTES_OPENINGS, ROLLS, counts, to_position
from hypothesis import given, settings
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
