"""The end of a race: rational numbers, known figures, games played out, and spoilt files."""

from __future__ import annotations

import dataclasses
import itertools
import math
import os
import pickle
import re
import struct
import sys
import zlib
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from boards import ROLLS, board, counts
from hypothesis import given, settings
from hypothesis import strategies as st

import tavli_fast as tf
from tavli_fast import reference

WEIGHTS = [Fraction(1 if die == other else 2, 36) for die, other in ROLLS]
CHANCES = np.array([float(weight) for weight in WEIGHTS])
PLAIN = tf.GIOUL.replace(cascade_from="0")
SINGLE = tf.GIOUL.replace(cascade_extent="single", cascade_from="4")


def with_checkers(ruleset: tf.Ruleset, checkers: int) -> tf.Ruleset:
    """The same game with another number of checkers."""
    return dataclasses.replace(ruleset, start=counts({24: checkers}, checkers))


def stands(checkers: int, points: int = 6) -> list[dict[int, int]]:
    """Every way in which up to so many checkers stand on points 1 to p."""
    return [
        {point: where.count(point) for point in set(where)}
        for number in range(checkers + 1)
        for where in itertools.combinations_with_replacement(range(1, points + 1), number)
    ]


def records_of(
    own: list[dict[int, int]], opp: list[dict[int, int]], ruleset: tf.Ruleset
) -> np.ndarray:
    records = np.zeros(len(own), tf.POSITION)
    for name, sides in (("own", own), ("opp", opp)):
        records[name]["checkers"] = [counts(side, ruleset.checkers) for side in sides]
    return records


def alone(sides: list[dict[int, int]], ruleset: tf.Ruleset) -> np.ndarray:
    """Sides against one that has all its checkers on its last point."""
    return records_of(sides, [{1: ruleset.checkers}] * len(sides), ruleset)


@cache
def table_of(ruleset: tf.Ruleset, points: int = 6) -> tf.BearOff:
    return tf.BearOff.build(ruleset, points)


# In rational numbers


class Exact:
    """What a table is to hold, from the definition: reference moves, fractions, one side alone.

    A side is its 26 counts. `goal` tells which sides need no roll any more.
    """

    def __init__(self, ruleset: tf.Ruleset, goal) -> None:
        self.ruleset, self.goal = ruleset, goal
        self.plays: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        self.mean: dict[tuple[int, ...], Fraction] = {}
        self.rolls: dict[tuple[int, ...], dict[int, Fraction]] = {}

    def solve(self, side: tuple[int, ...]) -> Fraction:
        """The fewest expected rolls, and on the way the plays and the chances of every number."""
        if side in self.mean:
            return self.mean[side]
        if self.goal(side):
            self.mean[side], self.rolls[side] = Fraction(0), {0: Fraction(1)}
            return self.mean[side]
        plays, rolls = [], {}
        for roll, weight in zip(ROLLS, WEIGHTS, strict=True):
            after = {side}
            for stage in stages(roll, self.ruleset):
                after = {each for one in after for each in self.step(one, stage)}
            best = min(after - {side}, key=lambda each: (self.solve(each), in_table_order(each)))
            plays.append(best)
            for number, chance in self.rolls[best].items():
                rolls[number + 1] = rolls.get(number + 1, 0) + weight * chance
        self.plays[side], self.rolls[side] = plays, rolls
        self.mean[side] = sum(number * chance for number, chance in rolls.items())
        return self.mean[side]

    def step(self, side: tuple[int, ...], roll: tuple[int, int]) -> list[tuple[int, ...]]:
        here = board({}, {1: self.ruleset.checkers}, self.ruleset.checkers)._replace(own=side)
        return [after.own for after in reference.afterstates(here, roll, self.ruleset)]


def stages(roll: tuple[int, int], ruleset: tf.Ruleset) -> list[tuple[int, int]]:
    """The rolls of a turn: a double may cascade, and all its numbers can always be played."""
    die, other = roll
    if die != other or ruleset.cascade_from == "0":
        return [roll]
    last = 6 if ruleset.cascade_extent == "chain" else min(die + 1, 6)
    return [(number, number) for number in range(die, last + 1)]


def in_table_order(side: tuple[int, ...]) -> tuple[int, ...]:
    """Fewest checkers first, then fewest on all points but the highest, and so on."""
    return tuple(sum(side[1:point]) for point in range(25, 1, -1))


def has_finished(side: tuple[int, ...]) -> bool:
    return not any(side[1:])


def has_one_off(side: tuple[int, ...]) -> bool:
    return side[0] > 0


def as_row(rolls: dict[int, Fraction], columns: int) -> list[float]:
    assert max(rolls) < columns
    return [float(rolls.get(number, 0)) for number in range(columns)]


FAMILIES = [
    pytest.param(tf.HYPERGAMMON, 6, id="hit"),
    pytest.param(with_checkers(tf.TAVLA, 2), 6, id="hit, the hitter stays"),
    pytest.param(with_checkers(tf.PLAKOTO, 2), 9, id="pin"),
    pytest.param(with_checkers(tf.MAHBUSA, 2), 6, id="pin, no bearing off while pinned"),
    pytest.param(with_checkers(PLAIN, 2), 9, id="hold, contrary"),
    pytest.param(with_checkers(tf.MOULTEZIM, 2), 10, id="hold, parallel, runner"),
    pytest.param(with_checkers(tf.LONG_NARDY, 2), 12, id="hold, parallel, head"),
    pytest.param(with_checkers(tf.FEVGA.replace(bear_off="optional"), 2), 7, id="optional"),
    pytest.param(with_checkers(tf.GUL_BARA, 2), 12, id="cascades"),
    pytest.param(with_checkers(SINGLE, 2), 9, id="short cascades"),
]


@pytest.mark.parametrize(("ruleset", "points"), FAMILIES)
def test_every_stand_of_few_checkers_in_rational_numbers(ruleset, points):
    exact = Exact(ruleset, has_finished)
    sides = stands(ruleset.checkers, points)
    table = table_of(ruleset, points)
    found = table.rolls(alone(sides, ruleset))
    expected = table.expected(alone(sides, ruleset))
    assert len(found) == math.comb(ruleset.checkers + points, points)
    for side, row, mean in zip(sides, found, expected, strict=True):
        own = counts(side, ruleset.checkers)
        assert mean == pytest.approx(float(exact.solve(own)), abs=1e-13), side
        assert row == pytest.approx(as_row(exact.rolls[own], len(row)), abs=1e-13), side


class Duel:
    """How probable it is that one side finishes before the other has reached its own goal.

    `more`: the other has one roll more than he would have, as a last one after the game.
    """

    def __init__(self, winner: Exact, loser: Exact, more: bool) -> None:
        self.winner, self.loser, self.more = winner, loser, more
        self.known: dict[tuple, Fraction] = {}

    def won(self, winner: tuple[int, ...], loser: tuple[int, ...], winner_rolls: bool) -> Fraction:
        key = winner, loser, winner_rolls
        if key not in self.known:
            self.known[key] = self.after_a_roll(*key)
        return self.known[key]

    def after_a_roll(self, winner, loser, winner_rolls) -> Fraction:
        if self.loser.goal(loser):
            return Fraction(0)
        if winner_rolls:
            return sum(
                weight * (self.escaped(loser) if has_finished(after) else self.won(after, loser, 0))
                for weight, after in zip(WEIGHTS, self.winner.plays[winner], strict=True)
            )
        return sum(
            weight * self.won(winner, after, 1)
            for weight, after in zip(WEIGHTS, self.loser.plays[loser], strict=True)
        )

    def escaped(self, loser) -> Fraction:
        """How probable it is that the loser does not reach his goal now that the other has."""
        if not self.more:
            return Fraction(1)
        return sum(
            weight
            for weight, after in zip(WEIGHTS, self.loser.plays[loser], strict=True)
            if not self.loser.goal(after)
        )


NARDY = with_checkers(tf.LONG_NARDY.replace(last_roll_draw="on"), 2)
RACES = [
    pytest.param(with_checkers(tf.PORTES, 2), None, id="no last roll"),
    pytest.param(NARDY, "own", id="own began"),
    pytest.param(NARDY, "opp", id="opp began"),
]


@pytest.mark.parametrize(("ruleset", "starter"), RACES)
def test_chances_in_rational_numbers(ruleset, starter):
    finish, first = Exact(ruleset, has_finished), Exact(ruleset, has_one_off)
    sides = [side for side in stands(2, 9) if side]
    for side in sides:
        finish.solve(counts(side, 2))
        first.solve(counts(side, 2))
    mine = Duel(finish, finish, starter == "own"), Duel(finish, first, starter == "own")
    his = Duel(finish, finish, starter == "opp"), Duel(finish, first, starter == "opp")
    pairs = list(itertools.product(sides, sides))[::7]
    records = records_of(*map(list, zip(*pairs, strict=True)), ruleset)
    found = table_of(ruleset, 9).chances(records, starter)
    for (own, opp), *chances in zip(pairs, *found, strict=True):
        own, opp = counts(own, 2), counts(opp, 2)
        win, win_double = (duel.won(own, opp, True) for duel in mine)
        loss, loss_double = (duel.won(opp, own, False) for duel in his)
        exact = win, 1 - win - loss, loss, win_double, loss_double
        assert chances == pytest.approx(list(map(float, exact)), abs=1e-13), (own, opp)
    assert (found.draw.max() > 0.1) == (starter is not None)
    assert found.loss_double.max() > 0.1
    assert np.array_equal(table_of(ruleset, 9).win(records, starter), found.win)


def test_of_equally_good_plays_the_first_in_the_table():
    """With four checkers here is the first stand where it matters which of them is played."""
    ruleset, own, opp = with_checkers(tf.PORTES, 4), {7: 2, 8: 2}, {1: 4}
    first = Exact(ruleset, has_one_off)
    first.solve(counts(own, 4))
    more_than_two = 1 - first.rolls[counts(own, 4)][2]
    # The other needs one roll if it is a double, or else two.
    exact = Fraction(1, 6) + Fraction(5, 6) * more_than_two
    found = table_of(ruleset, 8).chances(tf.Position(ruleset, own, opp))
    assert found.loss_double == pytest.approx(float(exact), abs=1e-13)


def test_finished_games_count_as_they_have_ended():
    done, last, whole = {}, {1: 1}, {6: 2}
    records = records_of([done, last, whole, done], [last, done, done, done], NARDY)
    for ruleset, starter in ((with_checkers(tf.PORTES, 2), None), (NARDY, "own")):
        found = table_of(ruleset).chances(records, starter)
        assert found.win.tolist() == [1, 0, 0, 0]
        assert found.draw.tolist() == [0, 0, 0, 1]
        assert found.loss.tolist() == [0, 1, 1, 0]
        assert found.loss_double.tolist() == [0, 0, 1, 0]
        assert found.win_double.tolist() == [0, 0, 0, 0]
    # The last roll: two checkers on the six point come off with doubles from 3-3 on; one does with
    # any 6, with 5-1, with 4-2 and with doubles from 2-2 on: 19 rolls.
    found = table_of(NARDY).chances(records, "opp")
    assert found.draw == pytest.approx([0, 1, 4 / 36, 1])
    assert found.loss == pytest.approx([0, 0, 32 / 36, 0])
    assert found.loss_double == pytest.approx([0, 0, 17 / 36, 0])


# Known figures


LAST_TWO = {
    (1, 1): 36,
    (1, 2): 36,
    (1, 3): 34,
    (1, 4): 29,
    (1, 5): 23,
    (1, 6): 15,
    (2, 2): 26,
    (2, 3): 25,
    (2, 4): 23,
    (2, 5): 19,
    (2, 6): 13,
    (3, 3): 17,
    (3, 4): 17,
    (3, 5): 14,
    (3, 6): 10,
    (4, 4): 11,
    (4, 5): 10,
    (4, 6): 8,
    (5, 5): 6,
    (5, 6): 6,
    (6, 6): 4,
}
"""Of 36 rolls, those that bear off the last two checkers: the table of every backgammon book."""


def test_last_two_checkers():
    sides = [{low: 1, high: 1} if low < high else {low: 2} for low, high in LAST_TWO]
    at_once = table_of(tf.PORTES).rolls(alone(sides, tf.PORTES))[:, 1]
    assert at_once * 36 == pytest.approx(list(LAST_TWO.values()))
    last = [{point: 1} for point in range(1, 7)]
    at_once = table_of(tf.PORTES).rolls(alone(last, tf.PORTES))[:, 1]
    assert at_once * 36 == pytest.approx([36, 36, 36, 34, 31, 27])


def test_checkers_on_the_one_point():
    """Every double takes four, every other roll two; 15 need about 7 rolls, as is well known."""
    sides = [{1: number} for number in range(1, 16)]
    rolls = [Fraction(0)]
    for number in range(1, 16):
        left = [rolls[max(number - off, 0)] for off in (2, 4)]
        rolls.append(1 + Fraction(5, 6) * left[0] + Fraction(1, 6) * left[1])
    found = table_of(tf.PORTES).expected(alone(sides, tf.PORTES))
    assert found == pytest.approx(list(map(float, rolls[1:])))
    assert found[-1] == pytest.approx(7, abs=0.03)


def test_positions_where_bearing_off_is_not_best():
    """With a mixed roll it is so 3,825 times, once with two checkers: Taper Mike, bgonline 2013.

    He counted them in a one-sided table of his own over the 1,139,523 pairs of stand and roll.
    """
    table = table_of(tf.PORTES)
    records = alone(stands(15)[1:], tf.PORTES)
    assert len(records) * len(tf.ALL_ROLLS) == 1_139_523
    found = with_two = 0
    for part in np.array_split(records, 20):
        after = tf.afterstates(part, tf.ALL_ROLLS, tf.PORTES)
        starts, lengths = after.offsets[:-1], np.diff(after.offsets)
        before = np.repeat(part["own"]["checkers"][:, 0], len(tf.ALL_ROLLS))
        bears_off = after.positions["own"]["checkers"][:, 0] > np.repeat(before, lengths)
        means = table.expected(after.positions)
        none = np.minimum.reduceat(np.where(bears_off, np.inf, means), starts)
        some = np.minimum.reduceat(np.where(bears_off, means, np.inf), starts)
        mixed = np.tile(tf.ALL_ROLLS[:, 0] != tf.ALL_ROLLS[:, 1], len(part))
        pairs = mixed & (some < np.inf) & (none < some - 1e-9)
        found += pairs.sum()
        with_two += (before[pairs] == 13).sum()
    assert (found, with_two) == (3825, 1)


# What shares the bear-off, and what does not


HOMELY = [
    ruleset
    for ruleset in (*tf.RULESETS.values(), PLAIN, tf.GUL_BARA.replace(cascade_from="0"))
    if ruleset.cascade_from == "0"
]


def files_of(rulesets: list[tf.Ruleset], folder: Path) -> list[bytes]:
    """What the tables of some games look like as files."""
    for number, ruleset in enumerate(rulesets):
        tf.BearOff.build(ruleset).save(folder / str(number))
    return [(folder / str(number)).read_bytes() for number in range(len(rulesets))]


@pytest.mark.parametrize("ruleset", HOMELY, ids=str)
def test_games_with_the_common_bear_off_have_one_table(ruleset, tmp_path):
    """Eight checkers can hold a wall of six at home, which no ban may touch."""
    both = [with_checkers(each, 8) for each in (ruleset, tf.BACKGAMMON)]
    mine, plain = files_of(both, tmp_path)
    assert mine == plain


@pytest.mark.parametrize("ruleset", [tf.PLAKOTO, tf.GUL_BARA, SINGLE], ids=str)
def test_nobody_gains_by_not_bearing_off(ruleset, tmp_path):
    few = with_checkers(ruleset, 7)
    may_stop, may_not = files_of([few.replace(bear_off="optional"), few], tmp_path)
    assert may_stop == may_not


@pytest.mark.parametrize("ruleset", [tf.GUL_BARA, SINGLE, PLAIN], ids=str)
def test_a_turn_is_what_the_game_makes_of_it(ruleset):
    """Every turn played out in a `Game`, with all its cascades and whoever wins in the middle."""
    ruleset = with_checkers(ruleset, 3)
    table = table_of(ruleset)

    def least(game: tf.Game) -> float:
        """The fewest expected rolls with which player 0 can end his turn."""
        if game.is_over:
            return 0.0
        if game.player == 1:
            return table.expected(game.position, "opp")
        return min(least(game.play(after)) for after in game.afterstates())

    for own in ({6: 3}, {6: 1, 5: 1, 3: 1}, {4: 2}, {6: 1}):
        position = tf.Position(ruleset, own, {1: 3})
        means = []
        for roll in ROLLS:
            game = tf.Game.start(ruleset, [roll], starter=0, position=position)
            # The fourth turn of both, so that `cascade_from=4` is in force.
            turn = dataclasses.replace(game.turn, throws=(3, 3))
            means.append(least(dataclasses.replace(game, turns=(turn,))))
        assert table.expected(position) == pytest.approx(1 + CHANCES @ means, abs=1e-12)


def test_a_ban_on_every_wall_is_refused():
    rules = tf.LONG_NARDY.replace(six_prime="forbidden")
    message = (
        f"{rules} bears off by a rule of its own: six_prime=forbidden, where no wall of six may "
        "stand at home"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        tf.BearOff.build(rules)


def test_a_forbidden_wall_does_change_the_bear_off():
    """The whole home held, with a spare checker on the six point that could go off."""
    wall = {6: 2, 5: 1, 4: 1, 3: 1, 2: 1, 1: 1}
    plays = [
        tf.Position(rules, wall, {1: 15}).perft(1)
        for rules in (tf.LONG_NARDY, tf.LONG_NARDY.replace(six_prime="forbidden"))
    ]
    assert plays[0] > plays[1]


@pytest.mark.parametrize(
    ("ruleset", "points", "message"),
    [
        (tf.PORTES, 6.5, "points is an integer, not 6.5"),
        (tf.PORTES, 5, "a table for portes has 6 to 23 points, not 5"),
        (tf.HYPERGAMMON, 24, "a table for hypergammon has 6 to 23 points, not 24"),
        (tf.FEVGA, 11, "a table for fevga has 6 to 10 points, not 11"),
        (tf.LONG_NARDY, 13, "a table for long_nardy has 6 to 12 points, not 13"),
        (
            *(tf.PORTES, 9),
            "15 checkers on 9 points have 1307504 positions; a table has at most 500000",
        ),
    ],
)
def test_points_that_no_table_has(ruleset, points, message):
    with pytest.raises(ValueError, match="points") as caught:
        tf.BearOff.build(ruleset, points)
    assert str(caught.value) == message


def test_more_points_change_nothing_at_home():
    records = alone(stands(3), tf.HYPERGAMMON)
    home, whole = table_of(tf.HYPERGAMMON), table_of(tf.HYPERGAMMON, 23)
    columns = home.rolls(records).shape[1]
    assert np.array_equal(whole.rolls(records)[:, :columns], home.rolls(records))
    assert not whole.rolls(records)[:, columns:].any()


# By the library's own moves, at full size


def some_races(number: int, seed: int) -> np.ndarray:
    """Random homes of both sides, up to 15 checkers."""
    rng = np.random.default_rng(seed)
    records = np.zeros(number, tf.POSITION)
    for name in ("own", "opp"):
        where = rng.integers(0, 7, (number, 15)) * (rng.random((number, 1)) < rng.random(15))
        for point in range(7):
            records[name]["checkers"][:, point] = (where == point).sum(axis=1)
    return records


def test_every_position_is_worth_what_its_best_plays_are():
    table = table_of(tf.PORTES)
    records = some_races(2000, 1)
    records = records[records["own"]["checkers"][:, 0] < 15]
    records["opp"]["checkers"] = counts({1: 15})
    found = tf.afterstates(records, tf.ALL_ROLLS, tf.PORTES)
    best = np.minimum.reduceat(table.expected(found.positions), found.offsets[:-1])
    assert table.expected(records) == pytest.approx(1 + best.reshape(-1, 21) @ CHANCES, abs=1e-12)


def test_rows_are_chances():
    rolls = table_of(tf.PORTES).rolls(alone(stands(15), tf.PORTES))
    assert len(rolls) == 54_264
    assert (rolls >= 0).all()
    assert rolls.sum(axis=1) == pytest.approx(1, abs=1e-14)
    found = table_of(tf.PORTES).chances(some_races(1000, 2))
    assert found.win + found.draw + found.loss == pytest.approx(1, abs=1e-14)
    assert all((each >= 0).all() and (each <= 1).all() for each in found)


def test_games_played_out_agree():
    """Ten thousand games from each of three races, both sides playing for the fewest rolls."""
    table, games = table_of(tf.PORTES), 10_000
    starts = [
        tf.Position(tf.PORTES, {6: 4, 5: 3, 3: 2, 1: 3}, {6: 3, 5: 3, 4: 3, 2: 3}),
        tf.Position(tf.PORTES, {6: 1, 4: 1, 2: 2}, {5: 2, 1: 2}),
        tf.Position(tf.PORTES, {3: 2, 1: 2}, {6: 8, 5: 7}),
    ]
    rng = np.random.default_rng(3)
    for start in starts:
        records = np.repeat(tf.to_records([start]), games)
        on, taken, won = np.arange(games), np.zeros(games, int), np.zeros(games, bool)
        ply = 0
        while len(on):
            dice = rng.integers(1, 7, (len(on), 2))
            found = tf.afterstates(records, dice, tf.PORTES)
            means = table.expected(found.positions)
            least = np.minimum.reduceat(means, found.offsets[:-1])
            is_best = means <= np.repeat(least, np.diff(found.offsets)) + 1e-9
            best = np.where(is_best, np.arange(len(means)), len(means))
            after = found.positions[np.minimum.reduceat(best, found.offsets[:-1])]
            done = after["own"]["checkers"][:, 0] == 15
            won[on[done]] = ply % 2 == 0
            taken[on[done]] = ply // 2 + 1
            on, after, ply = on[~done], after[~done], ply + 1
            records = np.zeros(len(on), tf.POSITION)
            records["own"], records["opp"] = after["opp"], after["own"]
        chance = table.win(start)
        error = 5 * math.sqrt(games * chance * (1 - chance)) + 1
        assert abs(won.sum() - games * chance) < error
        own, opp = table.rolls(start), table.rolls(start, "opp")
        for number in range(1, len(own)):
            # He needs so many rolls and the other has not been faster.
            chance = own[number] * opp[number:].sum()
            error = 5 * math.sqrt(games * chance * (1 - chance)) + 1
            assert abs((taken[won] == number).sum() - games * chance) < error


# Questions and wrong ones


def test_one_or_many():
    table = table_of(tf.PORTES)
    records = some_races(50, 4)
    positions = tf.from_records(records, tf.PORTES)
    as_integers = records.view(np.uint8).reshape(-1, 64)
    for ask in (
        table.rolls,
        table.expected,
        table.win,
        lambda given: table.rolls(given, "opp"),
        lambda given: np.stack(table.chances(given), axis=-1),
    ):
        many = ask(records)
        assert np.array_equal(many, ask(as_integers.astype(int)))
        assert np.array_equal(many, [ask(position) for position in positions])
        assert ask(records[:0]).shape == (0, *many.shape[1:])
    assert type(table.win(positions[0])) is type(table.expected(positions[0])) is float
    flipped = tf.to_records([position.flip() for position in positions])
    assert np.array_equal(table.rolls(records, "opp"), table.rolls(flipped))


def test_the_answer_is_ones_own():
    table = tf.BearOff.build(tf.HYPERGAMMON)
    position = tf.Position(tf.HYPERGAMMON, {1: 1}, {1: 1})
    table.rolls(position)[:] = 7
    assert table.rolls(position)[1] == 1


def test_wrong_questions():
    table = table_of(tf.PORTES)
    records = some_races(3, 5)
    meets, far = records.copy(), records.copy()
    meets["own"]["checkers"][1] = counts({23: 1, 1: 14})
    meets["opp"]["checkers"][1] = counts({6: 15})
    far["opp"]["checkers"][2] = counts({9: 1, 1: 14})
    bad = records.copy()
    bad["own"]["checkers"][1, 3] += 1
    position = tf.Position(tf.PORTES, {6: 15}, {9: 1, 6: 14})
    on_the_bar = tf.Position(tf.PORTES, {25: 1, 6: 14}, {})
    nardy = table_of(NARDY)
    last = tf.Position(NARDY, {1: 1}, {1: 1})
    for ask, message in (
        (lambda: table.win(meets), "row 1: the sides are in contact"),
        (lambda: table.win(tf.Position.start(tf.PORTES)), "the sides are in contact"),
        (
            lambda: table.win(far),
            "row 2: opp has a checker on point 9; this table knows points 1 to 6",
        ),
        (
            lambda: table.win(position),
            "opp has a checker on point 9; this table knows points 1 to 6",
        ),
        (
            lambda: table.rolls(on_the_bar),
            "own has a checker on the bar; this table knows points 1 to 6",
        ),
        (
            lambda: table.win(tf.Position(tf.TAVLA, {1: 1}, {1: 1})),
            "a position of tavla; this is for portes",
        ),
        (lambda: table.expected(records, "both"), "a side is 'own' or 'opp', not 'both'"),
        (lambda: table.win(records, "me"), "the starter is 'own' or 'opp', not 'me'"),
        (
            lambda: nardy.win(last),
            "with last_roll_draw=on it matters who began: starter='own' or 'opp'",
        ),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            ask()
    assert table.expected(far).shape == (3,), "the other side need not be known"
    with pytest.raises(tf.IllegalPosition, match=r"row 1: own has 16 checkers"):
        table.rolls(bad)
    with pytest.raises(ValueError, match="dtype float64"):
        table.rolls(np.zeros((1, 64)))


# Files


def test_a_file_gives_the_same_table(tmp_path):
    table, file = table_of(tf.PORTES), tmp_path / "portes.bearoff"
    table.save(file)
    records = some_races(1000, 6)
    for again in (
        tf.BearOff.load(str(file), tf.PORTES),
        tf.BearOff.load(file, tf.PLAKOTO),
        tf.BearOff.load_or_build(file, tf.PORTES),
        pickle.loads(pickle.dumps(table)),
    ):
        assert np.array_equal(again.chances(records), table.chances(records))
        assert again.points == 6
    assert tf.BearOff.load(file, tf.PLAKOTO).ruleset == tf.PLAKOTO
    assert 13e6 < file.stat().st_size < 16e6
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_is_built_once_and_kept(tmp_path, monkeypatch):
    file = tmp_path / "table"
    tf.BearOff.load_or_build(file, tf.HYPERGAMMON, 7)
    monkeypatch.setattr(tf.BearOff, "build", None)
    assert tf.BearOff.load_or_build(file, tf.HYPERGAMMON).points == 7
    with pytest.raises(ValueError, match="has a table of 7 points, not 8"):
        tf.BearOff.load_or_build(file, tf.HYPERGAMMON, 8)


def test_a_file_that_breaks_off_leaves_the_old_one(tmp_path, monkeypatch):
    file = tmp_path / "table"
    file.write_text("old")

    def fail(*names: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tavli_fast.files.os.replace", fail)
    with pytest.raises(ValueError, match=r"cannot write .*table': No space left on device"):
        table_of(tf.HYPERGAMMON).save(file)
    assert [each.name for each in tmp_path.iterdir()] == ["table"]
    assert file.read_text() == "old"


ONE_CHECKER = with_checkers(tf.PORTES, 1)


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> bytes:
    """A whole table, of one checker."""
    file = tmp_path_factory.mktemp("small") / "table"
    table_of(ONE_CHECKER).save(file)
    return file.read_bytes()


def refusal(data: bytes, folder, ruleset: tf.Ruleset | None = None) -> str:
    """What is said of a file with these bytes, less its name."""
    file = folder / "table"
    file.write_bytes(data)
    with pytest.raises(ValueError, match="cannot read ") as caught:
        tf.BearOff.load(file, ruleset or ONE_CHECKER)
    start = f"cannot read {str(file)!r}: "
    assert str(caught.value).startswith(start)
    return str(caught.value)[len(start) :]


DAMAGED = "it is damaged or cut short; its checksum does not fit"


def test_every_byte_counts(small, tmp_path):
    for place in range(len(small)):
        spoilt = bytearray(small)
        spoilt[place] ^= 1 << place % 8
        said = refusal(bytes(spoilt), tmp_path)
        if place < 8:
            assert said == "it is no bear-off table"
        elif place < 10:
            assert said.startswith("it is of version ")
        else:
            assert said == DAMAGED


def test_every_length_counts(small, tmp_path):
    for length in range(len(small)):
        said = refusal(small[:length], tmp_path)
        if length < 8:
            assert said == "it is no bear-off table"
        elif length < 28:
            assert said == f"it is cut short, after {length} bytes"
        else:
            assert said == DAMAGED
    assert refusal(small + b"0", tmp_path) == DAMAGED


@settings(max_examples=200)
@given(data=st.data())
def test_any_damage_is_refused(small, tmp_path_factory, data):
    """Pieces replaced, taken out or put in anywhere."""
    start = data.draw(st.integers(0, len(small)))
    end = data.draw(st.integers(start, min(len(small), start + 40)))
    spoilt = small[:start] + data.draw(st.binary(max_size=40)) + small[end:]
    if spoilt != small:
        refusal(spoilt, tmp_path_factory.getbasetemp())


def signed(header: tuple[int, ...], numbers: np.ndarray | list[float] = ()) -> bytes:
    """A file that is whole as far as its checksum tells."""
    body = struct.pack("<8s6H4x", b"TAVLIOFF", *header) + np.array(numbers, "<f8").tobytes()
    return body + struct.pack("<I", zlib.crc32(body))


def test_a_signed_file_is_not_trusted_either(small, tmp_path):
    assert small == signed(struct.unpack_from("<6H", small, 8), np.frombuffer(small[24:-4], "<f8"))
    said = refusal(signed((1, 3, 0, 6, 4, 4)), tmp_path)
    assert said == "it is for 3 checkers, and portes has 1"
    said = refusal(signed((1, 1, 2, 6, 4, 4)), tmp_path)
    assert said == "it is for other cascades of doubles than those of portes"
    said = refusal(signed((1, 1, 0, 5, 4, 4)), tmp_path)
    assert said == "a table for portes has 6 to 23 points, not 5"
    for header, numbers in (
        ((1, 1, 0, 6, 4, 4), 0),
        ((1, 1, 0, 6, 0, 0), 0),
        ((1, 1, 0, 6, 1, 2), 7 + 2 * 6),
        ((1, 1, 0, 6, 1, 1), 7 + 6 - 1),
    ):
        said = refusal(signed(header, [1] * numbers), tmp_path)
        assert said == "it has not the size that its header tells"
    for wrong in (2, -1, math.nan, math.inf):
        said = refusal(signed((1, 1, 0, 6, 1, 1), [1] * 12 + [wrong]), tmp_path)
        assert said == "its rows are no chances"


def test_more_than_a_header_tells_is_not_read(tmp_path):
    """64 GB of nothing, which take no room on the disk."""
    file = tmp_path / "table"
    table_of(ONE_CHECKER).save(file)
    os.truncate(file, 1 << 36 if sys.platform == "linux" else 1 << 20)
    with pytest.raises(ValueError, match="its checksum does not fit"):
        tf.BearOff.load(file, ONE_CHECKER)
    for header in ((1, 15, 0, 8, 65535, 65535), (1, 65535, 0, 65535, 9, 9), (1, 0, 0, 0, 1, 1)):
        file.write_bytes(signed(header))
        os.truncate(file, 1 << 36 if sys.platform == "linux" else 1 << 20)
        with pytest.raises(ValueError, match="its checksum does not fit"):
            tf.BearOff.load(file, tf.PORTES)


def test_a_signed_table_without_rows(tmp_path):
    for columns in ((0, 0), (5000, 5000), (4, 5)):
        said = refusal(signed((1, 1, 0, 6, *columns)), tmp_path)
        assert said == "it has not the size that its header tells"


@pytest.mark.parametrize("ruleset", ["portes", None, 15])
def test_what_is_no_ruleset(tmp_path, ruleset):
    file = tmp_path / "table"
    table_of(tf.HYPERGAMMON).save(file)
    for call in (
        lambda: tf.BearOff.build(ruleset),
        lambda: tf.BearOff.load(file, ruleset),
        lambda: tf.BearOff.load_or_build(file, ruleset),
    ):
        with pytest.raises(ValueError, match=f"ruleset is {ruleset!r}, not a Ruleset"):
            call()


def test_what_makes_another_array_of_itself_every_time():
    """What was checked is what is looked up."""
    race = tf.to_records([tf.Position(tf.HYPERGAMMON, {1: 3}, {1: 3})])
    spoilt = race.copy()
    spoilt["own"]["checkers"][:, 1] = 200

    class Changing:
        made = 0

        def __array__(self, dtype=None, copy=None):
            self.made += 1
            return race if self.made == 1 else spoilt

    table = table_of(tf.HYPERGAMMON)
    for ask in (table.win, table.rolls, table.expected):
        assert np.array_equal(ask(Changing()), ask(race))


def test_files_that_are_not_there_or_none(tmp_path):
    for name, said in (
        (tmp_path / "none", "No such file or directory"),
        (tmp_path, "it is not a file"),
    ):
        with pytest.raises(ValueError, match="cannot read") as caught:
            tf.BearOff.load(name, tf.PORTES)
        assert str(caught.value) == f"cannot read {str(name)!r}: {said}"


def test_a_file_of_another_game(tmp_path):
    file = tmp_path / "table"
    table_of(tf.HYPERGAMMON, 23).save(file)
    said = refusal(file.read_bytes(), tmp_path, tf.PORTES)
    assert said == "it is for 3 checkers, and portes has 15"
    said = refusal(file.read_bytes(), tmp_path, with_checkers(SINGLE, 3))
    assert said == f"it is for other cascades of doubles than those of {SINGLE}"
    said = refusal(file.read_bytes(), tmp_path, with_checkers(tf.FEVGA, 3))
    assert said == "a table for fevga has 6 to 10 points, not 23"
