"""Each rule on a position small enough to work out by hand, by both engines.

Positions name the points that hold checkers; whoever is not named is off.
"""

from __future__ import annotations

import numpy as np
import pytest
from boards import (
    PORTES_OPENINGS,
    ROLLS,
    agree_with_reference,
    board,
    counts,
    from_array,
    same_results,
    to_array,
)

import tavli_fast as tf
from tavli_fast import reference
from tavli_fast.reference import Board


def results(own, opp, roll, ruleset) -> list[Board]:
    """What both engines say can come of a roll, in either order of the dice."""
    before = board(own, opp)
    expected = reference.afterstates(before, roll, ruleset)
    dice = np.array([roll, roll[::-1]], dtype=np.uint8)
    found = tf.afterstates(to_array([before, before]), dice, ruleset)
    for start, end in zip(found.offsets, found.offsets[1:], strict=False):
        rows = from_array(found.positions[start:end])
        same_results(expected, rows, before, roll, ruleset)
    return expected


def own_sides(own, opp, roll, ruleset) -> list[dict[int, int]]:
    """The mover's points on the board in every result, where the other side stays as it was."""
    after = results(own, opp, roll, ruleset)
    assert {each.opp for each in after} == {counts(opp)}
    return [{point: each.own[point] for point in range(1, 26) if each.own[point]} for each in after]


def same(found, expected) -> bool:
    def order(points):
        return sorted(points.items())

    return sorted(found, key=order) == sorted(expected, key=order)


@pytest.mark.parametrize("ruleset", [tf.PORTES, tf.BACKGAMMON, tf.TAVLA], ids=str)
def test_openings_of_portes(ruleset):
    """Nothing can be hit on one's own 6..1 by the first roll, so Tavla counts the same."""
    start = {24: 2, 13: 5, 8: 3, 6: 5}
    assert {roll: len(results(start, start, roll, ruleset)) for roll in ROLLS} == PORTES_OPENINGS


@pytest.mark.parametrize("ruleset", [tf.FEVGA, tf.MOULTEZIM], ids=str)
def test_openings_of_fevga(ruleset):
    """The runner goes alone; only 5-5 leaves a number to choose over."""
    start = {24: 15}
    found = {roll: own_sides(start, start, roll, ruleset) for roll in ROLLS}
    assert {roll for roll in ROLLS if len(found[roll]) > 1} == {(5, 5)}
    assert found[6, 5] == [{24: 14, 13: 1}]
    assert found[6, 6] == [{24: 14, 18: 1}]
    assert same(found[5, 5], [{24: 14, 4: 1}, {24: 13, 19: 1, 9: 1}])


def test_no_runner_rule():
    free = tf.FEVGA.replace(runner="off")
    found = own_sides({24: 15}, {24: 15}, (6, 5), free)
    assert same(found, [{24: 14, 13: 1}, {24: 13, 18: 1, 19: 1}])


@pytest.mark.parametrize(
    ("ruleset", "expected"),
    [
        (tf.FEVGA, [{24: 14, 11: 1}, {24: 13, 23: 1, 12: 1}]),
        (tf.FEVGA.replace(runner_release="turn_end"), [{24: 14, 11: 1}]),
        (tf.FEVGA.replace(runner="pass"), [{24: 14, 11: 1}]),
        (
            tf.FEVGA.replace(runner="off"),
            [
                {24: 14, 11: 1},
                {24: 13, 23: 1, 12: 1},
                {24: 13, 22: 1, 13: 1},
                {24: 13, 21: 1, 14: 1},
                {24: 12, 23: 1, 22: 1, 14: 1},
            ],
        ),
    ],
    ids=str,
)
def test_runner_arrives_by_one_number(ruleset, expected):
    """From 14 a 2 arrives on 12, where `enter` sets the 1 free for anyone."""
    found = own_sides({24: 14, 14: 1}, {13: 15}, (2, 1), ruleset)
    assert same(found, expected)


@pytest.mark.parametrize("release", ["mid_turn", "turn_end"])
def test_runner_that_cannot_move_loses_the_turn(release):
    """His checkers on my 13 and 12 stop the 1 and the 2; nobody else may move."""
    ruleset = tf.FEVGA.replace(runner_release=release)
    found = own_sides({24: 14, 14: 1}, {1: 1, 24: 14}, (2, 1), ruleset)
    assert found == [{24: 14, 14: 1}]


def test_bearing_off_needs_everyone_home_step_by_step():
    """7/1 brings the last one home by the 6, and the 1 then bears off; 7/6 and a 6 the same way."""
    found = own_sides({7: 1, 1: 1}, {24: 15}, (6, 1), tf.FEVGA)
    assert same(found, [{1: 1}])
    found = own_sides({7: 1, 1: 1}, {12: 15}, (6, 1), tf.PORTES)
    assert same(found, [{1: 1}])


def test_an_overshoot_bears_off_only_from_the_highest_point():
    found = own_sides({4: 1, 2: 1}, {12: 15}, (6, 3), tf.PORTES)
    assert same(found, [{}, {1: 1}])
    found = own_sides({4: 1, 2: 1}, {12: 15}, (3, 3), tf.PORTES)
    assert found == [{}]
    found = own_sides({6: 1, 2: 1}, {12: 15}, (5, 3), tf.PORTES)
    assert same(found, [{1: 1}, {2: 1}])


def test_both_numbers_even_if_one_would_finish():
    """6/off would end the game at once, but 6/5* and then off plays two numbers."""
    (after,) = results({6: 1}, {20: 1, 12: 14}, (6, 1), tf.PORTES)
    assert after == board({}, {25: 1, 12: 14})


@pytest.mark.parametrize(
    ("own", "roll", "always", "also"),
    [
        ({2: 1, 1: 1}, (2, 1), [{}, {1: 1}], [{2: 1}, {1: 2}]),
        ({6: 1}, (6, 5), [{}], [{1: 1}]),
        ({1: 2}, (1, 1), [{}], [{1: 1}, {1: 2}]),
        ({8: 1}, (3, 2), [{3: 1}], []),
        ({3: 2}, (2, 2), [{}], [{1: 1}, {1: 2}]),
    ],
)
@pytest.mark.parametrize("ruleset", [tf.PORTES, tf.TAVLA, tf.FEVGA], ids=str)
def test_optional_bearing_off_may_stop_where_only_bearing_off_is_left(
    ruleset, own, roll, always, also
):
    """From 2 and 1 by 2-1, for one: 2/off or 1/off or 2/1 leaves only bearing off."""
    opp = {12: 15}
    assert same(own_sides(own, opp, roll, ruleset), always)
    optional = ruleset.replace(bear_off="optional")
    assert same(own_sides(own, opp, roll, optional), always + also)


def test_hitting_and_running_at_home():
    """8/6* may not go on in Tavla, so the 1 must come first, and hits nothing."""
    before = ({8: 1}, {19: 1, 12: 14}, (2, 1))
    quiet, hit = board({5: 1}, {19: 1, 12: 14}), board({5: 1}, {25: 1, 12: 14})
    assert set(results(*before, tf.PORTES)) == {quiet, hit}
    assert set(results(*before, tf.TAVLA)) == {quiet}


def test_hitting_outside_and_running_home():
    before = ({9: 1}, {18: 1, 12: 14}, (2, 1))
    quiet, hit = board({6: 1}, {18: 1, 12: 14}), board({6: 1}, {25: 1, 12: 14})
    assert set(results(*before, tf.TAVLA)) == {quiet, hit}


def test_one_checker_stays_where_it_hit_and_others_pass():
    """6/5* is forced by 1-1; the hitter stays on 5, and the other two play the three ones left."""
    before = ({6: 3}, {20: 1, 12: 14}, (1, 1))
    stays = [{6: 1, 5: 1, 3: 1}, {5: 2, 4: 1}]
    runs = [{6: 2, 2: 1}, {6: 1, 4: 2}]
    after = [board(own, {25: 1, 12: 14}) for own in stays]
    assert set(results(*before, tf.TAVLA)) == set(after)
    after += [board(own, {25: 1, 12: 14}) for own in runs]
    assert set(results(*before, tf.PORTES)) == set(after)


WALL = {16: 1, 17: 1, 18: 1, 19: 1, 20: 1}
"""With 21, six points in front of his 10."""


@pytest.mark.parametrize(
    ("opp", "options", "allowed"),
    [
        ({10: 15}, {}, False),
        ({10: 14}, {}, False),
        ({10: 14, 24: 1}, {}, True),
        ({10: 15}, {"total_block": "all_on_one_point"}, False),
        ({10: 14}, {"total_block": "all_on_one_point"}, True),
        ({10: 15}, {"total_block": "off"}, True),
        ({10: 15}, {"total_block_remedy": "must_open"}, True),
        ({10: 15}, {"total_block_remedy": "must_open", "total_block": "off"}, True),
    ],
)
def test_building_a_total_block(opp, options, allowed):
    """24/23 and 23/21 by 2-1 would leave a wall of six in front of everyone he has."""
    after = board({23: 1, 21: 1, **WALL}, opp)
    found = results({24: 1, 23: 1, **WALL}, opp, (2, 1), tf.FEVGA.replace(**options))
    assert (after in found) == allowed
    assert len(found) > 1


@pytest.mark.parametrize(
    ("options", "allowed"),
    [({}, False), ({"total_block_remedy": "must_open"}, False), ({"total_block": "off"}, True)],
)
def test_keeping_a_total_block(options, allowed):
    """24/23/21 by 2-1 keeps the wall that is there at the start of the turn."""
    after = board({21: 2, **WALL}, {10: 15})
    found = results({24: 1, 21: 1, **WALL}, {10: 15}, (2, 1), tf.FEVGA.replace(**options))
    assert (after in found) == allowed


OPENED = {5: 2, 4: 2, 3: 2, 2: 2, 1: 3}
KEPT = {6: 1, 5: 1, 4: 2, 3: 2, 2: 2, 1: 2}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [OPENED]),
        ({"total_block_remedy": "must_open"}, [OPENED]),
        ({"total_block": "all_on_one_point"}, [OPENED]),
        ({"total_block": "off"}, [OPENED, KEPT]),
    ],
)
def test_opening_a_total_block_by_the_only_play_that_does(options, expected):
    """His fifteen stand right behind my 6..1. Only 6/off with 6/1 empties a point."""
    own = {6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2}
    found = own_sides(own, {19: 15}, (6, 5), tf.FEVGA.replace(**options))
    assert same(found, expected)


@pytest.mark.parametrize("remedy", ["may_not_build", "must_open"])
def test_a_total_block_that_no_play_opens_may_stay(remedy):
    own = {6: 3, 5: 3, 4: 2, 3: 2, 2: 2, 1: 2}
    found = own_sides(own, {19: 15}, (6, 5), tf.FEVGA.replace(total_block_remedy=remedy))
    assert same(
        found,
        [{6: 1, 5: 3, 4: 2, 3: 2, 2: 2, 1: 3}, {6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2}],
    )


@pytest.mark.parametrize(("options", "allowed"), [({}, False), ({"total_block": "off"}, True)])
def test_a_wall_goes_round_the_corner_of_my_path(options, allowed):
    """My 3, 2, 1, 24, 23, 22 are his 15..10, in front of his 16."""
    after = board({3: 1, 2: 1, 1: 1, 24: 1, 23: 2, 22: 1}, {16: 15})
    found = results({3: 1, 2: 1, 1: 1, 24: 3, 23: 1}, {16: 15}, (2, 1), tf.FEVGA.replace(**options))
    assert (after in found) == allowed


def test_my_13_and_12_are_no_neighbours_for_him():
    """Six in a row on 15..10 stop nobody: they are his 3, 2, 1 and 24, 23, 22."""
    after = board({15: 1, 14: 1, 13: 1, 12: 1, 11: 1, 10: 1}, {4: 15})
    found = results({18: 1, 14: 1, 13: 1, 12: 1, 11: 1, 10: 1}, {4: 15}, (2, 1), tf.FEVGA)
    assert after in found


def test_moving_through_a_banned_blockade_is_legal():
    """Bans look at the end of the turn: 24/19 completes 24..19, and 20/19 then opens it again."""
    before = {24: 3, 23: 1, 22: 1, 21: 1, 20: 1, 1: 1}, {24: 15}, (5, 1)
    opened = board({24: 2, 23: 1, 22: 1, 21: 1, 19: 2, 1: 1}, {24: 15})
    held = board({24: 1, 23: 2, 22: 1, 21: 1, 20: 1, 19: 1, 1: 1}, {24: 15})
    found = results(*before, tf.FEVGA)
    assert opened in found
    assert held not in found
    assert held in results(*before, tf.FEVGA.replace(start_quarter="free"))


@pytest.mark.parametrize(
    ("ruleset", "own", "opp", "pinned", "roll"),
    [
        ("plakoto(bear_off=optional)", {24: 1, 1: 1}, {24: 1}, {24}, (6, 6)),
        ("plakoto(bear_off=optional, mother=loss)", {8: 1, 5: 1}, {24: 1}, set(), (4, 4)),
    ],
)
def test_no_stop_of_bearing_off_after_the_end_of_the_game(ruleset, own, opp, pinned, roll):
    """24/18 leaves his mother pinned for good, 5/1 pins her: nothing follows that could stop."""
    agree_with_reference(
        [board(own, opp)._replace(opp_pinned=frozenset(pinned))], tf.find_ruleset(ruleset)
    )
