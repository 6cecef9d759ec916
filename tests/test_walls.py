"""Walls, who is behind them, and how many of the 36 rolls play or get past one."""

from __future__ import annotations

import numpy as np
import pytest
from boards import board, pack, to_array, to_position
from compare_walls import roll_faults, some_positions, wall_faults
from hypothesis import given, settings
from strategies import legal_boards, variants

import tavli_fast as tf
from tavli_fast import reference
from tavli_fast.reference import Board
from tavli_fast.rules import Ruleset

GAMES = list(tf.RULESETS.values())


# Kernel and reference


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_walls(ruleset):
    asked = some_positions(1, ruleset, 5_000)
    assert len({pack(board) for board, _ in asked}) > 3_000
    assert [fault for pair in asked for fault in wall_faults(*pair)] == []


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_rolls(ruleset):
    asked = some_positions(2, ruleset, 60)
    assert [fault for pair in asked for fault in roll_faults(*pair)] == []


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_any_board_that_shrinks(ruleset):
    @settings(max_examples=10)
    @given(legal_boards(ruleset), variants(ruleset))
    def agree(board, variant):
        assert wall_faults(board, variant) + roll_faults(board, variant) == []

    agree()


# Worked positions


def both(position: Board, ruleset: Ruleset) -> tf.Blockade:
    """What the kernel says, once the reference says the same."""
    assert wall_faults(position, ruleset) + roll_faults(position, ruleset) == []
    return to_position(position, ruleset).blockade()


AROUND = {3: 1, 2: 1, 1: 1, 24: 10, 23: 1, 22: 1}
"""His 15 to 10 where both go the same way round: a wall of six over my 1 and 24."""


def test_a_wall_of_six_with_nobody_ahead():
    """All his checkers stand on the point right behind it, so he can play nothing."""
    shut_in = board(AROUND, {16: 15})
    found = both(shut_in, tf.FEVGA)
    assert found.own == (6, 6, 15)
    assert found.forbidden == tf.Ban.TOTAL_BLOCK
    assert both(shut_in, tf.GUL_BARA).forbidden == tf.Ban(0)
    (prime,) = to_position(shut_in, tf.FEVGA).primes()
    assert prime == ("own", 6, 15, 10, 15, False, False, True)
    assert both(reference.flip(shut_in), tf.FEVGA)[1:] == ((6, 6, 15), 36, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("opp", "six_prime", "forbidden"),
    [
        ({16: 15}, "needs_one_ahead", tf.Ban.SIX_PRIME),
        ({16: 14, 9: 1}, "needs_one_ahead", tf.Ban(0)),
        ({16: 14}, "needs_one_ahead", tf.Ban(0)),
        ({16: 14, 9: 1}, "forbidden", tf.Ban.SIX_PRIME),
        ({16: 15}, "free", tf.Ban(0)),
    ],
)
def test_one_ahead(opp, six_prime, forbidden):
    """Past the wall, or borne off."""
    rules = tf.LONG_NARDY.replace(six_prime=six_prime)
    assert both(board(AROUND, opp), rules).forbidden == forbidden


def test_forbidden_walls_at_his_start_and_mine():
    quarter = board({24: 10, 23: 1, 22: 1, 21: 1, 20: 1, 19: 1}, {24: 15})
    assert both(quarter, tf.FEVGA).forbidden == tf.Ban.START_QUARTER
    prime = board({11: 10, 10: 1, 9: 1, 8: 1, 7: 1, 6: 1}, {24: 15})
    assert both(prime, tf.FEVGA).forbidden == tf.Ban.MOTHER_PRIME | tf.Ban.TOTAL_BLOCK
    gone = prime._replace(opp=board({}, {13: 15}).opp)
    assert both(gone, tf.FEVGA).forbidden == tf.Ban.MOTHER_PRIME
    assert both(gone, tf.FEVGA.replace(mother_prime="while_occupied")).forbidden == tf.Ban(0)
    (wall,) = to_position(prime, tf.FEVGA).primes()
    assert (wall.first, wall.last, wall.before_start, wall.before_start_quarter) == (
        *(23, 18),
        *(True, True),
    )


def test_a_path_ends_between_12_and_13():
    """My 15 to 10 are his 3 to 1 and 24 to 22, and no wall of six."""
    seam = board({15: 1, 14: 1, 13: 1, 12: 1, 11: 1, 10: 10}, {21: 15})
    assert both(seam, tf.FEVGA).own == (3, 3, 0)
    assert [prime[1:5] for prime in to_position(seam, tf.FEVGA).primes()] == [
        (3, 24, 22, 0),
        (3, 3, 1, 15),
    ]
    contrary = board({15: 1, 14: 1, 13: 1, 12: 1, 11: 1, 10: 10}, {21: 15})
    assert both(contrary, tf.GIOUL).own == (6, 6, 15)


def test_pins_hold_a_point_and_blots_do_not():
    """My 20 pins his 5, my 19 is made, my 18 a blot; his pinned checker is on the wall."""
    position = board({24: 11, 20: 1, 19: 2, 18: 1}, {24: 14, 5: 1})
    pinned = position._replace(opp_pinned=frozenset({5}))
    assert [prime[1:5] for prime in to_position(pinned, tf.PLAKOTO).primes()] == [(2, 6, 5, 14)]
    behind = board({20: 1, 19: 2, 18: 1, 6: 11}, {5: 1})._replace(opp_pinned=frozenset({5}))
    assert both(behind, tf.PLAKOTO).own == (2, 0, 0)
    found = both(reference.flip(behind), tf.PLAKOTO)
    assert (found.opp.live, found.escape_rolls, found.pass_rolls) == (0, 36, 36)


def test_a_pinned_rearmost_checker_does_not_escape():
    position = board({24: 1, 6: 14}, {24: 10, 10: 2, 9: 2, 1: 1})
    pinned = position._replace(own_pinned=frozenset({24}))
    found = both(pinned, tf.TAPA)
    assert found.opp.live == 2
    assert found.escape_rolls == 0
    assert found.full_rolls > 0


PRIME = {7: 2, 6: 5, 5: 2, 4: 2, 3: 2, 2: 2}
"""His 7 to 2: my 18 to 23."""


def test_a_full_prime_and_a_checker_on_the_bar():
    """Only a 1 enters, before the prime; then the fourteen on 6 play whatever is left but a 6."""
    found = both(board({25: 1, 6: 14}, PRIME), tf.PORTES)
    assert found.opp == (6, 6, 1)
    assert (found.pass_rolls, found.partial_rolls, found.full_rolls) == (25, 2, 9)
    assert found.escape_rolls == 0


def test_a_six_jumps_a_prime_of_five():
    """With 6-6 that is all there is to play: 12 is closed, and nobody bears off."""
    found = both(board({24: 1, 6: 14}, {13: 5, 6: 2, 5: 2, 4: 2, 3: 2, 2: 2}), tf.PORTES)
    assert (found.opp, found.escape_rolls) == ((5, 5, 0), 11)
    assert (found.pass_rolls, found.partial_rolls, found.full_rolls) == (0, 1, 35)


def test_one_of_many_on_the_bar_enters_past_a_wall():
    """A 6 enters one past his 5 to 1, with others still waiting; nothing else enters."""
    found = both(board({25: 13}, {16: 2, 10: 1, 5: 2, 4: 4, 3: 2, 2: 2, 1: 2}), tf.PORTES)
    assert (found.opp, found.escape_rolls) == ((5, 5, 0), 11)
    assert (found.pass_rolls, found.partial_rolls, found.full_rolls) == (25, 10, 1)


def test_the_other_number_must_be_played_too():
    """24/18 leaves no 5 to be played, but 6/1 leaves the 6: so with 6-5 both are played."""
    wall = {2: 2, 3: 2, 4: 2, 5: 2, 6: 2}
    position = board({24: 1, 6: 1}, wall | {12: 2, 8: 2})
    found = both(position, tf.PORTES)
    assert found.escape_rolls == 11


def test_who_finishes_has_played_all():
    last = board({1: 1}, {2: 15})
    assert both(last, tf.PORTES)[2:5] == (0, 0, 36)
    assert both(board({}, {2: 15}), tf.PORTES)[2:6] == (36, 0, 0, 36)
    assert both(board({1: 3}, {2: 15}), tf.PORTES)[2:5] == (0, 0, 36)


def test_a_race_has_no_contact():
    assert not to_position(board({6: 15}, {18: 15}), tf.PORTES).in_contact
    assert to_position(board({7: 15}, {19: 15}), tf.PORTES).in_contact
    assert to_position(board({6: 15}, {25: 1, 2: 14}), tf.PORTES).in_contact
    assert not to_position(board({}, {24: 15}), tf.PORTES).in_contact
    for far, contact in ((12, False), (13, True)):
        halves = board({far: 1, 6: 14}, {12: 15})
        assert to_position(halves, tf.FEVGA.replace(runner="off")).in_contact == contact
    over = board({24: 1, 6: 14}, {1: 15})._replace(own_pinned=frozenset({24}))
    assert to_position(over, tf.TAPA).in_contact


# Batches


@pytest.fixture(scope="module")
def records():
    boards = [board for board, _ in some_positions(3, tf.FEVGA, 2_000)]
    return to_array(boards)


def test_the_layout():
    walls = np.dtype([("longest", "u1"), ("live", "u1"), ("trapped", "u1")])
    names = tf.BLOCKADE.names
    assert names == tf.Blockade._fields == reference.Blockade._fields
    assert {tf.BLOCKADE[name] for name in names} == {walls, np.dtype("u1")}
    assert (tf.BLOCKADE.itemsize, walls.names) == (11, tf.Walls._fields)
    assert tf.Prime._fields == reference.Prime._fields


def test_without_rolls(records):
    all_of_it = tf.blockades(records, tf.FEVGA)
    rolls = [name for name in tf.BLOCKADE.names if name.endswith("_rolls")]
    walls = tf.blockades(records, tf.FEVGA, rolls=False)
    for name in tf.BLOCKADE.names:
        assert (walls[name] == (0 if name in rolls else all_of_it[name])).all()
    played = np.stack([all_of_it[name] for name in rolls[:3]], axis=1)
    assert (played.sum(axis=1) == 36).all()
    assert (tf.mobility(records, tf.FEVGA) == played).all()


@pytest.mark.parametrize("ask", [tf.blockades, tf.mobility, tf.in_contact])
def test_threads_change_nothing(ask, records):
    alone = ask(records, tf.FEVGA)
    for threads in (2, 3, 8):
        assert ask(records, tf.FEVGA, threads=threads).tobytes() == alone.tobytes()
    as_integers = records.view(np.uint8).reshape(-1, 64).astype(int)
    assert ask(as_integers, tf.FEVGA).tobytes() == alone.tobytes()


@pytest.mark.parametrize("ask", [tf.blockades, tf.mobility, tf.in_contact])
def test_nothing_to_tell(ask):
    assert len(ask(tf.start_records(tf.FEVGA, 0), tf.FEVGA)) == 0


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("ask", [tf.blockades, tf.mobility, tf.in_contact])
def test_the_first_bad_row_is_named(ask, threads, records):
    bad = records.copy()
    for row in (1_900, 700):
        bad["own"]["checkers"][row, 3] += 1
    with pytest.raises(tf.IllegalPosition, match="row 700: own has 16 checkers, not 15"):
        ask(bad, tf.FEVGA, threads=threads)
    with pytest.raises(ValueError, match="threads is an integer of at least 1"):
        ask(records, tf.FEVGA, threads=0)


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_no_bytes_are_dangerous(ruleset):
    noise = np.random.default_rng(1).integers(0, 256, (500, 64), dtype=np.uint8)
    for row in noise.view(tf.POSITION):
        with pytest.raises(tf.IllegalPosition):
            tf.blockades(row, ruleset)
