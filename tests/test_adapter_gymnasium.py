"""The environment of many games for Gymnasium, against `Game` with the same dice."""

from __future__ import annotations

import doctest
from pathlib import Path

import numpy as np
import pytest
from sections import FLAGS, run_section
from test_selfplay import thrown

import tavli_fast as tf
from tavli_fast.adapters.choices import most_choices

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is in the extra `gymnasium`")

from gymnasium.vector import AutoresetMode  # noqa: E402
from gymnasium.wrappers.vector import RecordEpisodeStatistics  # noqa: E402

from tavli_fast.adapters import gymnasium as adapter  # noqa: E402

VARIANTS = [
    *tf.RULESETS.values(),
    tf.GIOUL.replace(cascade_from="4"),
    tf.LONG_NARDY.replace(last_roll_draw="on"),
]


def last_of_all(afterstates, rng):
    """An opponent who draws nothing from the generator, so that dice alone come from it."""
    return np.diff(afterstates.offsets) - 1


def shown(position, roll, numbers) -> np.ndarray:
    """An observation, put together by hand."""
    turn = np.zeros(13)
    if roll is not None:
        turn[max(roll) - 1] = turn[6 + min(roll) - 1] = 1
        turn[12] = (numbers or 4) / 4
    sides = np.array([*position.own, *position.opp]) / position.ruleset.checkers
    pins = np.zeros(48 if position.ruleset.contact is tf.Contact.PIN else 0)
    pins[[point - 1 for point in position.own_pinned]] = 1
    pins[[23 + point for point in position.opp_pinned]] = 1
    return np.concatenate([sides, pins, turn]).astype(np.float32)


def played(env, seed, steps):
    """Random steps: yields (action, what came of it) one after the other."""
    _, infos = env.reset(seed=seed)
    choose = np.random.default_rng(seed)
    for _ in range(steps):
        actions = choose.integers(infos["choices"])
        result = env.step(actions)
        infos = result[-1]
        yield actions, result


@pytest.mark.parametrize("opponent", [last_of_all, None], ids=["opponent", "both"])
@pytest.mark.parametrize("ruleset", VARIANTS, ids=str)
def test_games_are_those_of_game(ruleset, opponent):
    env = adapter.TavliVectorEnv(ruleset, opponent=opponent, ply_cap=90)
    dice = thrown(5)

    def begun():
        game = tf.Game.start(ruleset, dice, ply_cap=90)
        assert game.roll
        return game

    def answered(game):
        """The game when the agent is on roll, or over."""
        while opponent and game.result is None and game.player == 1:
            game = game.play(game.afterstates()[-1])
            assert game.result or game.roll
        return game

    game = answered(begun())
    observation, infos = env.reset(seed=5)
    choose = np.random.default_rng(6)
    ends = 0
    for _ in range(250):
        expected = shown(game.position, game.roll, game.numbers)
        np.testing.assert_allclose(observation[0], expected, rtol=1e-6)
        found = game.afterstates()
        assert tf.from_records(env.afterstates.positions, ruleset) == found
        assert infos["choices"].tolist() == [len(found)]
        assert infos["action_mask"][0].nonzero()[0].tolist() == list(range(len(found)))
        assert infos["player"].tolist() == [game.player]
        action = choose.integers(len(found))
        mover = game.player
        game = game.play(found[action])
        assert game.result or game.roll
        game = answered(game)
        observation, rewards, terminated, truncated, infos = env.step(np.array([action]))
        if game.result is None:
            assert (rewards[0], terminated[0], truncated[0]) == (0, False, False)
            assert "final_obs" not in infos
            continue
        ends += 1
        result = game.result
        points = 0 if result.winner is None else result.points
        assert rewards[0] == (points if result.winner == mover else -points)
        assert (terminated[0], truncated[0]) == (not result.capped, result.capped)
        last = game.position if game.player == mover else game.position.flip()
        np.testing.assert_allclose(infos["final_obs"][0], shown(last, None, None), rtol=1e-6)
        assert infos["_final_obs"].tolist() == [True]
        game = answered(begun())
        while game.result is not None:
            game = answered(begun())
    assert ends > 1


@pytest.mark.parametrize("ruleset", VARIANTS, ids=str)
def test_spaces_shapes_and_kinds(ruleset):
    env = adapter.TavliVectorEnv(ruleset, 5)
    observation, infos = env.reset(seed=1)
    units = 113 if ruleset.contact is tf.Contact.PIN else 65
    assert env.single_observation_space.shape == (units,)
    assert env.observation_space.shape == (5, units)
    assert env.single_action_space.n == most_choices(ruleset)
    assert env.action_space.shape == (5,)
    assert observation in env.observation_space
    for actions, (seen, rewards, terminated, truncated, infos) in played(env, 1, 100):
        assert actions in env.action_space
        assert seen in env.observation_space
        assert rewards.dtype == np.float64
        assert terminated.dtype == truncated.dtype == np.bool_
        assert infos["action_mask"].dtype == np.int8
        assert infos["action_mask"].shape == (5, most_choices(ruleset))
        assert (infos["action_mask"].sum(axis=1) == infos["choices"]).all()
        assert not infos["player"].any()
        assert rewards.shape == terminated.shape == truncated.shape == (5,)
        assert not rewards[~terminated].any()


def test_the_mask_samples_legal_actions():
    env = adapter.TavliVectorEnv("portes", 6)
    _, infos = env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(50):
        actions = env.action_space.sample(tuple(infos["action_mask"]))
        assert (actions < infos["choices"]).all()
        *_, infos = env.step(actions)


@pytest.mark.parametrize("opponent", [adapter.random_opponent, None], ids=["opponent", "both"])
def test_a_seed_gives_the_same_games(opponent):
    def run(env, seed):
        return [
            (seen.tobytes(), rewards.tolist(), terminated.tolist())
            for _, (seen, rewards, terminated, *_) in played(env, seed, 60)
        ]

    env = adapter.TavliVectorEnv("hypergammon", 4, opponent=opponent)
    first = run(env, 1)
    assert run(env, 1) == first
    assert run(adapter.TavliVectorEnv("hypergammon", 4, opponent=opponent), 1) == first
    assert run(env, 2) != first
    begun = [env.reset(seed=3)[0].tobytes(), env.reset()[0].tobytes()]
    assert begun == [env.reset(seed=3)[0].tobytes(), env.reset()[0].tobytes()]
    assert begun[0] != begun[1]


def test_what_was_returned_stays_as_it_was():
    env = adapter.TavliVectorEnv("fevga", 3)
    kept = [(seen, seen.copy()) for _, (seen, *_) in played(env, 1, 20)]
    for seen, copy in kept:
        np.testing.assert_array_equal(seen, copy)
    results = [result for _, result in played(env, 1, 2)]
    for one, other in zip(*results, strict=True):
        if isinstance(one, np.ndarray):
            assert not np.shares_memory(one, other)


def test_wrappers_know_when_games_begin_anew():
    env = adapter.TavliVectorEnv("hypergammon", 8)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    wrapped = RecordEpisodeStatistics(env)
    total, episodes = np.zeros(8), []
    for _, (_, rewards, terminated, truncated, infos) in played(wrapped, 1, 120):
        total += rewards
        over = terminated | truncated
        if over.any():
            assert (infos["_episode"] == over).all()
            assert infos["episode"]["r"][over].tolist() == rewards[over].tolist()
            episodes += infos["episode"]["l"][over].tolist()
    assert len(episodes) > 20
    assert min(episodes) > 0


def test_a_game_is_truncated_at_the_cap():
    env = adapter.TavliVectorEnv("fevga", 6, ply_cap=3)
    for _, (_, rewards, terminated, truncated, _) in played(env, 1, 20):
        assert not rewards.any()
        assert not terminated.any()
        if truncated.all():
            break
    else:
        assert truncated.any()
    # The opponent's first ply may be the last of the game.
    shortest = adapter.TavliVectorEnv("fevga", 6, ply_cap=1)
    for _, (*_, truncated, infos) in played(shortest, 1, 20):
        assert truncated.all()
        assert not infos["player"].any()


def test_an_opponent_is_asked_for_his_games_alone():
    asked = []

    def opponent(afterstates, rng):
        asked.append(len(afterstates.offsets) - 1)
        for record in afterstates.positions:
            assert record["own"]["checkers"].sum() == 15
        assert afterstates.offsets[-1] == len(afterstates.positions)
        return afterstates.best(afterstates.positions["own"]["checkers"][:, 0])

    env = adapter.TavliVectorEnv(tf.GUL_BARA, 10, opponent=opponent)
    for _ in played(env, 1, 60):
        pass
    assert len(asked) > 60
    assert 5 < max(asked) <= 10


def test_a_good_opponent_wins():
    """Whoever hits when he can beats random play."""

    def hitter(afterstates, rng):
        pips = afterstates.positions["opp"]["checkers"] @ np.arange(26)
        return afterstates.best(pips)

    env = adapter.TavliVectorEnv("hypergammon", 64, opponent=hitter)
    rewards = sum(rewards.sum() for _, (_, rewards, *_) in played(env, 1, 60))
    assert rewards < -50


@pytest.mark.parametrize(
    ("actions", "match"),
    [
        ([0, 0], r"actions are \(3,\) integers, not int64 of \(2,\)"),
        ([0.0, 0.0, 0.0], r"actions are \(3,\) integers, not float64"),
        ([0, -1, 0], r"game 1 has actions 0 to \d+, not -1; infos\['action_mask'\] tells"),
        ([0, 0, 3059], r"game 2 has actions 0 to \d+, not 3059"),
    ],
)
def test_bad_actions(actions, match):
    env = adapter.TavliVectorEnv("tavla", 3)
    env.reset(seed=1)
    before = env.afterstates
    with pytest.raises(ValueError, match=match):
        env.step(np.array(actions))
    assert env.afterstates is before


def test_a_step_needs_a_reset():
    env = adapter.TavliVectorEnv("tavla", 3)
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset before step"):
        env.step(np.zeros(3, int))


@pytest.mark.parametrize(
    "answer",
    [lambda a, r: 0, lambda a, r: np.diff(a.offsets), lambda a, r: np.zeros(len(a.offsets) - 1)],
    ids=["one", "too large", "float"],
)
def test_bad_opponents(answer):
    env = adapter.TavliVectorEnv("tapa", 20, opponent=answer)
    with pytest.raises(ValueError, match=r"an opponent's choices are \(\d+,\) integers from 0"):
        env.reset(seed=1)


def test_an_opponent_who_breaks_off():
    """Whose turn it is then nobody knows, so the games have to begin anew."""
    failing = False

    def opponent(afterstates, rng):
        if failing:
            raise KeyboardInterrupt
        return adapter.random_opponent(afterstates, rng)

    env = adapter.TavliVectorEnv("fevga", 20, opponent=opponent)
    env.reset(seed=1)
    failing = True
    with pytest.raises(KeyboardInterrupt):
        env.step(np.zeros(20, int))
    failing = False
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset before step"):
        env.step(np.zeros(20, int))
    env.reset(seed=1)
    env.step(np.zeros(20, int))


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"ruleset": "chess"}, "unknown game 'chess'"),
        ({"ruleset": ["fevga"]}, "ruleset is 'fevga', not a Ruleset"),
        ({"ruleset": "fevga", "num_envs": 0}, "n is an integer from 1 to"),
        ({"ruleset": "fevga", "num_envs": 2.0}, "n is an integer from 1 to"),
        ({"ruleset": "fevga", "ply_cap": 0}, "ply_cap is an integer from 1 to"),
        ({"ruleset": "fevga", "opponent": "random"}, "an opponent is a function or None"),
        ({"ruleset": "fevga", "render_mode": "human"}, "render_mode is 'ansi' or None"),
    ],
)
def test_bad_arguments(arguments, match):
    with pytest.raises(ValueError, match=match):
        adapter.TavliVectorEnv(**arguments)


def test_boards_as_text():
    env = adapter.TavliVectorEnv("plakoto", 2, render_mode="ansi")
    env.reset(seed=1)
    texts = env.render()
    assert len(texts) == 2
    assert all(text.startswith("player 0 (O) to play ") for text in texts)
    assert "plakoto\n+13-14-" in texts[1]
    assert adapter.TavliVectorEnv("plakoto").render() is None


def test_gymnasium_makes_it():
    name = "tavli_fast.adapters.gymnasium:Tavli-v0"
    env = gymnasium.make_vec(name, num_envs=3, ruleset="fevga(runner=pass)", ply_cap=50)
    assert env.num_envs == 3
    assert str(env.unwrapped.ruleset) == "fevga(runner=pass)"
    assert env.reset(seed=1)[0].shape == (3, 65)
    env.close()


@pytest.mark.thread_unsafe(reason="doctest replaces sys.stdout")
def test_examples():
    assert doctest.testmod(adapter, optionflags=FLAGS).failed == 0
    page = Path(__file__).parents[1] / "docs" / "adapters.md"
    assert run_section(page, "Gymnasium").failed == 0
