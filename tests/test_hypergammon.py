"""Hypergammon: three checkers a side, few enough to count openings on paper.

Nothing in the library may take a side for fifteen checkers: not the record, nor its check, nor the
end of the game.
"""

from __future__ import annotations

import numpy as np
import pytest
from boards import ROLLS, board, pack

import tavli_fast as tf
from tavli_fast import reference

HYPER = tf.HYPERGAMMON
START = {24: 1, 23: 1, 22: 1}


def laid_out(own: dict[int, int], opp: dict[int, int]) -> tf.Position:
    return tf.Position(HYPER, own, opp)


def test_the_start():
    start = tf.Position.start(HYPER)
    assert start == laid_out(START, START)
    assert (HYPER.checkers, start.pip_counts) == (3, (69, 69))
    assert start.text == "24:1,23:1,22:1/24:1,23:1,22:1"
    (record,) = tf.start_records(HYPER, 1)
    assert record.tobytes() == pack(board(START, START, 3))


def test_a_side_is_three_checkers():
    """Who is not named is off, and fifteen are too many."""
    assert laid_out({6: 1}, {24: 2}).own[0] == 2
    assert laid_out({6: 1}, {24: 2}).opp[0] == 1
    fifteen = tf.start_records(tf.BACKGAMMON, 1)
    with pytest.raises(tf.IllegalPosition, match="15 checkers, not 3"):
        tf.check_records(fifteen, HYPER)
    with pytest.raises(tf.IllegalPosition, match="3 checkers, not 15"):
        tf.check_records(tf.start_records(HYPER, 1), tf.BACKGAMMON)
    with pytest.raises(tf.IllegalPosition, match="4 checkers, not 3"):
        laid_out({24: 2, 23: 2}, START)


OPENINGS = {
    # Three checkers take two numbers in nine ways. A checker that passes over the place of another
    # might as well have sent that one on: 1 does so twice, 2 once, and 2-1 three times.
    **dict.fromkeys([(4, 3), (5, 3), (5, 4), (6, 3), (6, 4), (6, 5)], 9),
    **dict.fromkeys([(3, 2), (4, 2), (5, 2), (6, 2)], 8),
    **dict.fromkeys([(3, 1), (4, 1), (5, 1), (6, 1)], 7),
    (2, 1): 6,
    # Four steps fall on three checkers in fifteen ways, all different where no checker can come to
    # the start of another. By sixes none of them can go all the way, since that would bear off.
    **dict.fromkeys([(3, 3), (4, 4), (5, 5)], 15),
    (6, 6): 12,
    # By twos, 23 takes 4 to 0 of the steps and leaves 24 and 22 with 1, 2, 2, 3 and 3 results.
    (2, 2): 11,
    # By ones, a rearmost, middle and front checker end in order having gone a <= b + 1, b <= c + 1.
    (1, 1): 7,
}


@pytest.mark.parametrize("roll", ROLLS, ids=str)
def test_openings_counted_by_hand(roll):
    start = tf.Position.start(HYPER)
    assert len(start.afterstates(roll)) == OPENINGS[roll]
    assert len(reference.afterstates(start, roll)) == OPENINGS[roll]
    assert {after.own[0] for after in start.afterstates(roll)} == {0}


def test_only_fives_hit_in_the_opening():
    """By 5-5 from 23 to his 22, which is my 3, and from 22 to his 23, which is my 2."""
    start = tf.Position.start(HYPER)
    hitting = {str(move) for roll in ROLLS for move in start.moves(roll) if move.hits}
    assert hitting == {"23/3*", "22/2*"}
    after = start.play("23/3*", (5, 5))
    assert after == laid_out({24: 1, 22: 1, 3: 1}, {25: 1, 24: 1, 23: 1})


def test_all_three_on_the_bar():
    """Two numbers let two in; a double lets in all three, and one goes on."""
    position = laid_out({25: 3}, {6: 1, 4: 2})
    assert position.afterstates((2, 1)) == [laid_out({25: 1, 24: 1, 23: 1}, {6: 1, 4: 2})]
    assert position.afterstates((1, 1)) == [laid_out({24: 2, 23: 1}, {6: 1, 4: 2})]
    assert position.afterstates((4, 4)) == [position]


@pytest.mark.parametrize(
    ("opp", "points"),
    [
        ({24: 2}, 1),
        ({6: 3}, 2),
        ({18: 3}, 2),
        ({19: 1, 6: 2}, 3),
        ({25: 1, 6: 2}, 3),
    ],
)
def test_three_borne_off_win(opp, points):
    """One off saves the gammon; in my 6..1, his 19..24, or on the bar it is three points."""
    before = laid_out({3: 2, 2: 1}, opp)
    (after,) = before.afterstates((3, 3))
    assert after == laid_out({}, opp)
    assert after.own[0] == 3
    assert (after.points_won, after.flip().points_won) == (points, -points)
    assert before.points_won is None
    assert reference.points_won(after) == points


def test_a_batch_takes_three_checkers():
    records = tf.to_records([laid_out({3: 2, 2: 1}, {24: 3}), laid_out({25: 3}, {6: 1, 4: 2})])
    rolls = np.array([[3, 3], [4, 4]], dtype=np.uint8)
    found = tf.afterstates(records, rolls, HYPER)
    assert found.offsets.tolist() == [0, 1, 2]
    assert found.played.tolist() == [3, 0]
    assert found.positions["own"]["checkers"].sum(axis=1).tolist() == [3, 3]
    assert found.positions["own"]["checkers"][:, [0, 25]].tolist() == [[3, 0], [0, 3]]
