"""Nackgammon: backgammon with two checkers moved to a second anchor, and nothing else changed."""

from __future__ import annotations

import pytest
from boards import PORTES_OPENINGS, ROLLS, board, pack

import tavli_fast as tf
from tavli_fast import reference

NACK = tf.NACKGAMMON
START = {24: 2, 23: 2, 13: 4, 8: 3, 6: 4}


def test_the_start():
    """One of the midpoint and one of the 6 of backgammon stand on 23, 10 and 17 pips back."""
    start = tf.Position.start(NACK)
    assert start == tf.Position(NACK, START, START)
    assert NACK.checkers == 15
    assert start.pip_counts == (167 + 10 + 17, 167 + 10 + 17)
    (record,) = tf.start_records(NACK, 1)
    assert record.tobytes() == pack(board(START, START))


OPENINGS = {
    # His made points are my 19, 17, 12, 2 and 1. A 6 is played from 24 or 13.
    # 5s from 23, 13, 8, by either 6; and 24/18/13.
    (6, 5): 2 * 3 + 1,
    # 4s from 24, 13, 8; and 24/14, 13/3.
    (6, 4): 2 * 3 + 2,
    # 1s from 24, 23, 8, 6; and 13/7/6, 23/22/16.
    (6, 1): 2 * 4 + 2,
    # No 6 goes on after another: none, one or two checkers from 24, the others from 13.
    (6, 6): 3,
    # 23/18/13/8/3. With none from 23 there are 1 to 4 steps from 13 and the others from 8: 4 ways.
    # With one: 4 if it stops on 18, 3 if on 13 or later. With two: 3, 2 or 1 by how many pass 18.
    (5, 5): 4 + (4 + 3) + (3 + 2 + 1),
    # 24/20/16, 13/9/5, 8/4. With 0 to 3 steps from 8, the other two ways share 4, 3, 2 or 1.
    (4, 4): 11 + 7 + 5 + 2,
}


@pytest.mark.parametrize(("roll", "results"), OPENINGS.items(), ids=str)
def test_openings_counted_by_hand(roll, results):
    start = tf.Position.start(NACK)
    assert len(start.afterstates(roll)) == results
    assert len(reference.afterstates(start, roll)) == results


def test_the_moves_of_an_opening():
    texts = {str(move) for move in tf.Position.start(NACK).moves((6, 5))}
    assert texts == {
        *("24/18 23/18", "24/18 13/8", "24/18 8/3"),
        *("23/18 13/7", "13/8 13/7", "13/7 8/3"),
        "24/13",
    }


def test_from_the_start_of_backgammon_it_is_backgammon():
    points = {24: 2, 13: 5, 8: 3, 6: 5}
    position = tf.Position(NACK, points, points)
    assert {roll: len(position.afterstates(roll)) for roll in ROLLS} == PORTES_OPENINGS


@pytest.mark.parametrize(
    ("opp", "points"), [({6: 14}, 1), ({6: 15}, 2), ({20: 1, 6: 14}, 3), ({25: 1, 6: 14}, 3)]
)
def test_three_points_can_be_won(opp, points):
    (after,) = tf.Position(NACK, {1: 1}, opp).afterstates((2, 1))
    assert after.points_won == reference.points_won(after) == points
