"""The environment for PettingZoo: its own checks, rewards and turns against `Game`."""

from __future__ import annotations

import doctest
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from sections import FLAGS, run_section

import tavli_fast as tf
from tavli_fast.adapters.choices import choices, most_choices, observation, units

pytest.importorskip("pettingzoo", reason="PettingZoo is in the extra `pettingzoo`")

from pettingzoo.test import api_test, render_test, seed_test

from tavli_fast.adapters import pettingzoo as adapter

VARIANTS = [
    *tf.RULESETS.values(),
    tf.GIOUL.replace(cascade_from="4"),
    tf.LONG_NARDY.replace(last_roll_draw="on"),
]


def randomly(env, seed: int, most: int = 100_000):
    """Play a random game: yields (agent, action) before every step."""
    env.reset(seed=seed)
    choose = np.random.default_rng(seed)
    for agent in env.agent_iter(most):
        seen, _, terminated, truncated, _ = env.last()
        legal = np.flatnonzero(seen["action_mask"])
        action = None if terminated or truncated else int(choose.choice(legal))
        yield agent, action
        env.step(action)


@pytest.mark.parametrize("ruleset", VARIANTS, ids=str)
def test_the_check_of_the_interface(ruleset):
    with warnings.catch_warnings():
        # It says so of every environment with a mask, those that come with PettingZoo included.
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        api_test(adapter.env(ruleset), num_cycles=300)


def test_the_checks_of_a_match():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Observation")
        api_test(adapter.env(tf.TAVLI, target=3), num_cycles=1000)
    seed_test(lambda: adapter.env(tf.TAVLI), num_cycles=300)


@pytest.mark.parametrize("ruleset", VARIANTS, ids=str)
def test_the_check_of_seeds(ruleset):
    seed_test(lambda: adapter.env(ruleset), num_cycles=60)


def test_the_check_of_pictures(capsys):
    render_test(lambda render_mode: adapter.env("plakoto", render_mode=render_mode))
    assert "plakoto\n+13-14-" in capsys.readouterr().out


@pytest.mark.parametrize("ruleset", VARIANTS, ids=str)
def test_turns_rewards_and_observations_are_those_of_a_game(ruleset):
    for seed in range(2):
        env = adapter.raw_env(ruleset)
        game, over = None, []
        for agent, action in randomly(env, seed):
            if game is None:
                game = tf.Game.start(ruleset, np.random.default_rng(seed))
            player = env.possible_agents.index(agent)
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            np.testing.assert_array_equal(seen["observation"], observation(game, player))
            other = env.possible_agents[1 - player]
            assert not env.observe(other)["action_mask"].any()
            if action is None:
                over.append(env.last()[1])
                continue
            assert player == game.player
            legal = choices(game)
            assert seen["action_mask"].sum() == len(legal)
            assert tf.from_records(env.afterstates, ruleset) == legal
            game = game.play(legal[action])
        assert env.agents == []
        result = game.result
        points = 0 if result.winner is None else result.points
        assert sorted(over) == [-points, points]
        # The first agent asked after the end is the one who would have been next.
        assert over[0] == (points if game.player == result.winner else -points)


@pytest.mark.parametrize("next_starter", ["previous_winner", "roll"])
def test_a_match_is_a_match(next_starter):
    rulesets = (tf.PLAKOTO, tf.HYPERGAMMON, tf.FEVGA)
    options = {"target": 5, "next_starter": next_starter, "ply_cap": 60}
    env = adapter.raw_env(rulesets, **options)
    match, capped = None, 0
    for agent, action in randomly(env, seed=2):
        if match is None:
            match = tf.Match.start(np.random.default_rng(2), rulesets=rulesets, **options)
        player = env.possible_agents.index(agent)
        seen = env.observe(agent)
        assert env.observation_space(agent).contains(seen)
        units_seen = seen["observation"]
        place = (len(match.games) - 1) % 3
        assert units_seen[-5:-2].tolist() == [place == 0, place == 1, place == 2]
        score = [min(match.score[each] / 5, 1) for each in (player, 1 - player)]
        np.testing.assert_allclose(units_seen[-2:], score, rtol=1e-6)
        plain = observation(match.game, player)
        np.testing.assert_array_equal(units_seen[-25:-5], plain[-20:])
        on_board = np.zeros(100, np.float32)
        on_board[: len(plain) - 20] = plain[:-20]
        np.testing.assert_array_equal(units_seen[:100], on_board)
        if action is None:
            continue
        games = len(match.games)
        match = match.play(choices(match.game)[action])
        capped += len(match.games) > games and match.games[games - 1].result.capped
    assert match.is_over
    assert capped
    assert env.table.score == match.score


def test_rewards_of_a_match_add_up_to_its_score():
    env = adapter.raw_env(tf.TAVLI)
    env.reset(seed=4)
    total = dict.fromkeys(env.possible_agents, 0.0)
    choose = np.random.default_rng(1)
    while env.agents and not env.table.is_over:
        env.step(int(choose.integers(len(env.afterstates))))
        for agent, reward in env.rewards.items():
            total[agent] += reward
    mine, his = env.table.score
    assert total == {"player_0": mine - his, "player_1": his - mine}
    assert set(env.terminations.values()) == {True}
    assert len(env.table.games) > 2


def test_the_ply_cap_truncates():
    env = adapter.raw_env("fevga", ply_cap=7)
    steps = [agent for agent, action in randomly(env, seed=1) if action is not None]
    assert len(steps) == 7
    assert env.game.result.capped
    env = adapter.raw_env("fevga", ply_cap=7)
    for _ in zip(range(8), randomly(env, seed=1), strict=False):
        pass
    assert set(env.truncations.values()) == {True}
    assert set(env.terminations.values()) == {False}


def test_an_illegal_action_loses_in_the_wrapped_one_only():
    env = adapter.env(tf.PORTES)
    env.reset(seed=1)
    loser = env.agent_selection
    env.step(3059)
    assert env.terminations[loser]
    assert env.rewards[loser] == -1
    bare = adapter.raw_env(tf.PORTES)
    bare.reset(seed=1)
    for action in (3059, -1, None):
        with pytest.raises(ValueError, match=rf"player_[01] has actions 0 to \d+, not {action}"):
            bare.step(action)


def test_a_seed_gives_the_same_game_and_none_another():
    def keys(seed):
        env.reset(seed=seed)
        return env.game.roll, env.agent_selection, env.afterstates.tobytes()

    env = adapter.raw_env("portes")
    first = keys(5)
    assert keys(5) == first
    others = {keys(None) for _ in range(20)}
    assert len(others) > 10
    assert [keys(5), keys(None)] == [keys(5), keys(None)]


def test_spaces():
    env = adapter.raw_env("mahbusa")
    for agent in env.possible_agents:
        assert env.action_space(agent).n == most_choices(tf.MAHBUSA)
        assert env.observation_space(agent)["observation"].shape == (units(tf.MAHBUSA),)


def test_text_of_the_board():
    env = adapter.raw_env("gul_bara", render_mode="ansi")
    env.reset(seed=1)
    head, game, *_ = env.render().splitlines()
    high, low = sorted(env.game.roll, reverse=True)
    assert head == f"{env.agent_selection} (O) to play {high}-{low}"
    assert game == "gul_bara"
    assert adapter.raw_env("gul_bara").render() is None
    match = adapter.raw_env(tf.TAVLI, render_mode="ansi")
    match.reset(seed=1)
    assert match.render().splitlines()[0].endswith(", score 0 to 0")
    with pytest.raises(ValueError, match="render_mode is 'ansi', 'human' or None, not 'rgb_array'"):
        adapter.raw_env("portes", render_mode="rgb_array")


@pytest.mark.parametrize(
    ("ruleset", "options", "match"),
    [
        ("chess", {}, "unknown game 'chess'"),
        ((), {}, "a match needs at least one ruleset"),
        ("fevga", {"ply_cap": 0}, "a ply cap is an integer of at least 1"),
        (tf.TAVLI, {"target": 0}, "the target of a match is an integer of at least 1"),
        (tf.TAVLI, {"next_starter": "loser"}, "next_starter cannot be 'loser'"),
    ],
)
def test_bad_settings_are_refused_at_once(ruleset, options, match):
    with pytest.raises(ValueError, match=match):
        adapter.env(ruleset, **options)


@pytest.mark.parametrize("action", [None, -1, 3060, 0.0, float("nan"), "0", [0], 2**70])
def test_bad_actions_of_the_bare_environment(action):
    env = adapter.raw_env("fevga")
    env.reset(seed=1)
    before = env.table
    with pytest.raises(ValueError, match=r"player_\d has actions 0 to \d+, not "):
        env.step(action)
    assert env.table is before
    env.step(np.int64(0))


def test_an_environment_can_be_pickled():
    env = pickle.loads(pickle.dumps(adapter.raw_env("fevga(runner=pass)", ply_cap=9)))
    assert [str(ruleset) for ruleset in env.rulesets] == ["fevga(runner=pass)"]
    steps = [agent for agent, action in randomly(env, seed=1) if action is not None]
    assert len(steps) == 9
    match = pickle.loads(pickle.dumps(adapter.raw_env(tf.TAVLI, target=7)))
    assert match.rulesets == tf.TAVLI
    match.reset(seed=1)
    assert match.table.target == 7


@pytest.mark.thread_unsafe(reason="doctest replaces sys.stdout")
def test_examples():
    assert doctest.testmod(adapter, optionflags=FLAGS).failed == 0
    page = Path(__file__).parents[1] / "docs" / "adapters.md"
    assert run_section(page, "PettingZoo").failed == 0
