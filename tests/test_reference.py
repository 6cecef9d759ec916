"""What the reference promises by itself. Its rulings are tested in `test_laws` and `test_cases`."""

from __future__ import annotations

import itertools

import pytest
from boards import PORTES_OPENINGS, ROLLS, board, counts, to_position
from hypothesis import given, settings
from strategies import legal_boards

import tavli_fast as tf
from tavli_fast import reference

GAMES = list(tf.RULESETS.values())


def test_start():
    for ruleset in GAMES:
        start = reference.start(ruleset)
        assert start.own == start.opp == ruleset.start
        assert start.own_pinned == start.opp_pinned == frozenset()
        assert reference.points_won(start, ruleset) is None


def test_openings():
    start = tf.Position.start(tf.PORTES)
    assert {roll: len(reference.afterstates(start, roll)) for roll in ROLLS} == PORTES_OPENINGS


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_paths_to_each_other(ruleset):
    """My points are his by 25 - p or by 12 more or less, and back again."""
    across = [reference.across(point, ruleset) for point in range(1, 25)]
    assert sorted(across) == list(range(1, 25))
    assert [reference.across(point, ruleset) for point in across] == list(range(1, 25))
    assert across[0] == {"contrary": 24, "parallel": 13}[ruleset.movement.value]


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_results_are_sorted_distinct_and_whole(ruleset):
    @settings(max_examples=15)
    @given(legal_boards(ruleset))
    def whole(before):
        for roll in ROLLS:
            results = reference.afterstates(before, roll, ruleset)
            assert results == sorted(set(results))
            assert results == reference.afterstates(before, roll[::-1], ruleset)
            for after in results:
                assert sum(after.own) == sum(after.opp) == ruleset.checkers
                to_position(after, ruleset)
            played = reference.numbers_played(before, roll, ruleset)
            assert (played == 0) == (results == [before])
            assert 0 <= played <= (4 if roll[0] == roll[1] else 2)

    whole()


def test_positions_with_a_ruleset_need_none():
    position = tf.Position.start(tf.FEVGA)
    plain = reference.board(position)
    assert plain == reference.start(tf.FEVGA)
    for call in (reference.afterstates, reference.moves, reference.numbers_played):
        assert call(position, (6, 5)) == call(plain, (6, 5), tf.FEVGA)
    assert reference.perft(position, 1) == reference.perft(plain, 1, ruleset=tf.FEVGA)
    for call in (reference.afterstates, reference.moves, reference.numbers_played):
        with pytest.raises(ValueError, match="ruleset"):
            call(plain, (6, 5))
    with pytest.raises(ValueError, match="ruleset"):
        reference.perft(plain, 1)


def test_the_ruleset_given_goes_before_the_position_s_own():
    position = tf.Position.start(tf.FEVGA)
    free = tf.FEVGA.replace(runner="off")
    assert len(reference.afterstates(position, (6, 5), free)) == 2


@pytest.mark.parametrize("roll", [(0, 1), (1, 7), (1,), (1, 2, 3), (), (-1, 2)])
def test_rolls_that_are_none(roll):
    for call in (reference.afterstates, reference.moves, reference.numbers_played):
        with pytest.raises(ValueError, match="roll"):
            call(reference.start(tf.PORTES), roll, tf.PORTES)


def test_totals_are_asked_for():
    """Whose runner is under way, and who has finished, is told by totals."""
    for own, opp, named in ((14, 15, "own"), (15, 16, "opp")):
        wrong = reference.Board(counts({24: own}, own), counts({24: opp}, opp))
        with pytest.raises(ValueError, match=rf"{named}.*15"):
            reference.afterstates(wrong, (2, 1), tf.FEVGA)


def test_perft_at_depth_nought():
    assert reference.perft(reference.start(tf.PORTES), 0, ruleset=tf.PORTES) == 1
    with pytest.raises(ValueError, match="depth"):
        reference.perft(reference.start(tf.PORTES), -1, ruleset=tf.PORTES)


def test_a_lost_turn_is_one_empty_sequence():
    shut = board({25: 1, 6: 14}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 5})
    for roll in ROLLS:
        assert reference.moves(shut, roll, tf.PORTES) == [()]
        assert reference.afterstates(shut, roll, tf.PORTES) == [shut]
        assert reference.numbers_played(shut, roll, tf.PORTES) == 0


def test_neither_side_can_be_stuck_with_the_other_where_checkers_hold_points():
    """In games without hits, whoever is stuck leaves the other a number to play."""

    @settings(max_examples=30)
    @given(legal_boards(tf.FEVGA))
    def somebody_plays(before):
        free = tf.FEVGA.replace(
            runner="off", total_block="off", start_quarter="free", mother_prime="free"
        )
        sides = (before, reference.flip(before))
        assert any(
            reference.numbers_played(side, roll, free)
            for side, roll in itertools.product(sides, ROLLS)
        )

    somebody_plays()
