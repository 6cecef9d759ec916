"""Moves and turns as numbers: how many there can be, their order, and what a player is shown."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys

import numpy as np
import pytest
from sections import FLAGS
from strategies import random_play
from test_corpus import CORPORA

import tavli_fast as tf
from tavli_fast.adapters.choices import choices, most_choices, most_points, observation, units

FRAMEWORKS = {
    "open_spiel": ("pyspiel", "openspiel"),
    "pettingzoo": ("pettingzoo", "pettingzoo"),
    "gymnasium": ("gymnasium", "gymnasium"),
}


@pytest.mark.thread_unsafe(reason="doctest replaces sys.stdout")
def test_examples():
    for name in ("adapters", "adapters.choices"):
        module = importlib.import_module(f"tavli_fast.{name}")
        results = doctest.testmod(module, optionflags=FLAGS)
        assert results.failed == 0
        assert results.attempted > 0


def test_importing_the_library_loads_no_adapter():
    program = "import sys, tavli_fast; print([m for m in sys.modules if 'fast.adapters' in m])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("adapter", FRAMEWORKS)
def test_a_missing_framework_is_named_with_its_extra(adapter):
    missing, extra = FRAMEWORKS[adapter]
    program = f"import sys; sys.modules[{missing!r}] = None\nimport tavli_fast.adapters.{adapter}\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: the ")
    assert f"pip install 'tavli-fast[{extra}]'" in last


@pytest.mark.parametrize("ruleset", tf.RULESETS.values(), ids=str)
def test_no_roll_has_more_choices_than_said(ruleset):
    boards = random_play(ruleset, seed=1, games=10, plies=60)
    records = tf.to_records(
        tf.Position(ruleset, board.own, board.opp, board.own_pinned, board.opp_pinned)
        for board in boards
    )
    for rules in (ruleset, ruleset.replace(bear_off="optional")):
        assert tf.count_afterstates(records, tf.ALL_ROLLS, rules).max() <= most_choices(rules)


def test_no_decision_of_the_corpora_has_more_choices_than_said():
    for name, load in CORPORA.items():
        assert load().counts.max() <= most_choices(tf.RULESETS[name])


def test_the_bound_is_reached():
    """Three checkers far from each other: each deals of four numbers gives its own position."""
    position = tf.Position(tf.HYPERGAMMON, {24: 1, 17: 1, 10: 1}, {6: 1})
    assert len(position.afterstates((1, 1))) == most_choices(tf.HYPERGAMMON) == 15


def test_one_checker_can_take_two_ways():
    """So mixed rolls are more than n * n: he hits, or he does not."""
    ruleset = tf.HYPERGAMMON
    position = tf.Position(ruleset, {24: 1}, {3: 1, 10: 2})
    assert [len(position.afterstates(roll)) for roll in ((2, 5), (1, 3))] == [2, 1]


def test_most_points():
    most = {str(ruleset): most_points(ruleset) for ruleset in tf.RULESETS.values()}
    assert {name for name, points in most.items() if points == 3} == {
        *("backgammon", "hypergammon", "nackgammon"),
    }
    assert set(most.values()) == {2, 3}
    assert most_points(tf.MAHBUSA) == 2


def test_choices_are_ordered_by_checkers():
    game = tf.Game.start(tf.PLAKOTO, [(3, 1)], starter=0)
    found = choices(game)
    assert {position.text for position in found} == {p.text for p in game.afterstates()}
    keys = [(position.own, position.opp) for position in found]
    assert keys == sorted(keys)


def test_a_lost_turn_is_a_choice():
    stuck = tf.Position(tf.PORTES, {25: 15}, dict.fromkeys(range(1, 7), 2) | {13: 3})
    game = tf.Game.start(tf.PORTES, [(3, 1)], starter=0, position=stuck)
    assert choices(game) == [stuck]


# What a player is shown. The units from the end: 20 of the turn.


def turn(game: tf.Game, player: int, rolled: bool = True) -> list[float]:
    return observation(game, player, rolled)[-20:].tolist()


def dice(high: int, low: int) -> list[float]:
    return [float(high == n) for n in range(1, 7)] + [float(low == n) for n in range(1, 7)]


def test_both_players_see_the_same_board_each_from_his_side():
    position = tf.Position(tf.PORTES, {24: 2, 6: 5, 25: 1}, {8: 3, 2: 1})
    game = tf.Game.start(tf.PORTES, [(5, 2)], starter=1, position=position)
    mine, his = observation(game, 1), observation(game, 0)
    assert mine.dtype == his.dtype == np.float32
    assert len(mine) == units(tf.PORTES) == 72
    np.testing.assert_allclose(mine[:26] * 15, position.own)
    np.testing.assert_allclose(mine[26:52] * 15, position.opp)
    np.testing.assert_array_equal(np.roll(his[:52], 26), mine[:52])
    assert turn(game, 1) == [1, *dice(5, 2), 1, 0, 0, 0, 1, 0, 0]
    assert turn(game, 0) == [0, *dice(5, 2), 1, 0, 0, 0, 0, 0, 0]
    assert turn(game, 1, rolled=False) == [1, *[0] * 12, 0, 0, 0, 0, 1, 0, 0]


def test_pins_are_shown_by_points():
    position = tf.Position(tf.PLAKOTO, {24: 14, 5: 1}, {20: 2, 24: 12, 3: 1}, own_pinned=[5])
    game = tf.Game.start(tf.PLAKOTO, [(5, 2)], starter=0, position=position)
    seen = observation(game, 0)
    assert len(seen) == units(tf.PLAKOTO) == 120
    assert np.flatnonzero(seen[52:100]).tolist() == [4]
    assert np.flatnonzero(observation(game, 1)[52:100]).tolist() == [24 + 4]


def test_a_cascade_is_shown():
    ruleset = tf.GIOUL
    position = tf.Position(ruleset, {1: 2, 20: 1}, {9: 1, 11: 1, 13: 1})
    game = tf.Game.start(ruleset, [(1, 1)], starter=0, position=position)
    assert turn(game, 0) == [1, *dice(1, 1), 1, 0, 0, 0, 1, 0, 0]
    after = game.play(choices(game)[0])
    assert (after.player, after.roll, after.numbers) == (1, (1, 1), 1)
    # One number of the four is left to the other, who then goes on up to 6-6.
    assert turn(after, 1) == [1, *dice(1, 1), 0.25, 1, 1, 0, 0, 0, 0.25]


def test_a_last_roll_is_shown():
    ruleset = tf.LONG_NARDY.replace(last_roll_draw="on")
    position = tf.Position(ruleset, {1: 1}, {1: 1})
    game = tf.Game.start(ruleset, [(2, 1), (6, 5)], starter=0, position=position)
    last = game.play(choices(game)[0])
    assert turn(last, 1) == [1, *dice(6, 5), 1, 0, 0, 1, 0, 0, 0.25]
    over = last.play(choices(last)[0])
    assert over.result.winner is None
    assert turn(over, 0) == [*[0] * 17, 1, 0, 0]


@pytest.mark.parametrize("given", [None, "fevga", 15, tf.Position.start(tf.FEVGA)], ids=repr)
def test_what_is_neither_a_game_nor_a_ruleset(given):
    for ask in (choices, lambda given: observation(given, 0)):
        with pytest.raises(ValueError, match="is not a Game"):
            ask(given)
    for ask in (most_choices, most_points, units):
        with pytest.raises(ValueError, match="is not a Ruleset"):
            ask(given)


@pytest.mark.parametrize("player", [-1, 2, 2**70, None, "own"])
def test_there_are_two_players(player):
    game = tf.Game.start(tf.FEVGA, [(3, 1)], starter=0)
    with pytest.raises(ValueError, match=f"the players are 0 and 1, not {player!r}"):
        observation(game, player)
