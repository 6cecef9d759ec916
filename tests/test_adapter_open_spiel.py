"""The games for OpenSpiel: its own checks, and turns against `Game` with the same dice."""

from __future__ import annotations

import doctest
import pickle
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sections import FLAGS, run_section

import tavli_fast as tf
from tavli_fast.adapters.choices import most_points, observation

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is in the extra `openspiel`")

from tavli_fast.adapters import open_spiel as adapter  # noqa: E402

VARIANTS = [
    *tf.RULESETS.values(),
    tf.PORTES.replace(bear_off="optional", opening="play_numbers"),
    tf.PLAKOTO.replace(mother="loss", mother_points="3"),
    tf.GUL_BARA.replace(cascade_from="4", cascade_extent="single", unfinished="opponent_plays"),
    tf.LONG_NARDY.replace(last_roll_draw="on", head_exception="none"),
]


def load(ruleset: tf.Ruleset, **parameters: int):
    game = pyspiel.load_game(adapter.name_of(ruleset))
    if parameters:
        game = pyspiel.load_game(game.get_type().short_name, game.get_parameters() | parameters)
    assert game.ruleset == ruleset
    return game


def play(game, seed: int):
    """Every state of a random game, the last one over."""
    choose = random.Random(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        yield state
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(choose.choices(outcomes, weights)[0])
        else:
            state.apply_action(choose.choice(state.legal_actions()))
    yield state


@pytest.mark.parametrize("ruleset", VARIANTS, ids=str)
def test_random_simulations(ruleset):
    """The check that OpenSpiel runs on games of its own."""
    pyspiel.random_sim_test(load(ruleset), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("ruleset", VARIANTS, ids=str)
def test_the_check_of_games_in_python(ruleset):
    """The other one, which pickles and clones as well."""
    tests = pytest.importorskip("open_spiel.python.tests.games_sim_test")
    np.random.seed(1)
    tests.GamesSimTest().sim_game(load(ruleset))


@pytest.mark.parametrize("ruleset", VARIANTS, ids=str)
def test_turns_are_those_of_a_game(ruleset):
    """What chance showed, as scripted dice, and the moves as text give the same game."""
    for seed in range(3):
        rolls, starter, moves = [], None, []
        told = Counter()
        before = None
        for state in play(load(ruleset), seed):
            if before is not None:
                action = state.history()[-1]
                text = before.action_to_string(action)
                kind, *rest = text.replace(",", "").split()
                if before.current_player() >= 0:
                    moves.append((before.current_player(), text))
                elif kind == "roll":
                    rolls.append(tuple(map(int, rest[0].split("-"))))
                elif rest[-1] == "begins":
                    starter = int(rest[0])
                else:
                    rolls.append((int(rest[2]), int(rest[-1])))
                told[before.current_player() < 0] += 1
            before = state.clone()
        game = tf.Game.start(ruleset, rolls, starter=starter)
        for player, text in moves:
            assert game.player == player
            game = game.play(text)
        assert len(rolls) + (starter is not None) == told[True]
        assert game.position == state.table.game.position
        points = [0.0, 0.0]
        if game.result.winner is not None:
            points[game.result.winner] = float(game.result.points)
            points[1 - game.result.winner] = -float(game.result.points)
        assert state.returns() == points


def test_the_opening_is_a_throw_without_ties():
    for ruleset, count in ((tf.PORTES, 2), (tf.BACKGAMMON, 30)):
        state = load(ruleset).new_initial_state()
        outcomes = state.chance_outcomes()
        assert [action for action, _ in outcomes] == list(range(count))
        assert {chance for _, chance in outcomes} == {1 / count}
        assert state.current_player() == pyspiel.PlayerId.CHANCE
    begun = Counter()
    for action, _ in outcomes:
        child = state.child(action)
        mine, his = (int(word.rstrip(",")) for word in state.action_to_string(action).split()[3::3])
        begun[child.current_player()] += 1
        assert child.current_player() == (mine < his)
        assert child.table.game.roll == (max(mine, his), min(mine, his))
    assert begun == {0: 15, 1: 15}


def test_a_throw_is_21_outcomes_as_likely_as_36_rolls_make_them():
    state = load(tf.PORTES).new_initial_state().child(1)
    assert state.current_player() == pyspiel.PlayerId.CHANCE
    expected = Counter()
    for die in range(1, 7):
        for other in range(1, 7):
            expected[max(die, other), min(die, other)] += 1 / 36
    found = {}
    for action, chance in state.chance_outcomes():
        die, other = map(int, state.action_to_string(action).removeprefix("roll ").split("-"))
        found[max(die, other), min(die, other)] = chance
        assert state.child(action).current_player() == 1
    assert found == pytest.approx(expected)
    assert len(found) == 21


def test_actions_are_moves_in_standard_notation():
    state = load(tf.BACKGAMMON).new_initial_state()
    state.apply_action(
        next(
            a
            for a, _ in state.chance_outcomes()
            if "throws 3, player 1 1" in state.action_to_string(a)
        )
    )
    texts = [state.action_to_string(action) for action in state.legal_actions()]
    assert len(texts) == 16
    assert "8/5 6/5" in texts
    for action, text in enumerate(texts):
        after = state.child(action).table.game.position.flip()
        assert after == tf.Position.start(tf.BACKGAMMON).play(text, (3, 1))
        assert state.string_to_action(text) == action


def test_a_cascade_goes_on_without_chance():
    state = load(tf.GUL_BARA).new_initial_state().child(0)
    doubles = {state.action_to_string(a): a for a, _ in state.chance_outcomes()}
    state.apply_action(doubles["roll 5-5"])
    state.apply_action(0)
    assert state.current_player() == 0
    assert state.table.game.roll == (6, 6)
    assert "player 0 (O) to play 6-6" in str(state)


def test_a_lost_turn_is_one_action():
    for seed in range(40):
        for state in play(load(tf.HYPERGAMMON), seed):
            if state.is_player_node() and state.action_to_string(0) == "pass":
                assert state.legal_actions() == [0]
                return
    pytest.fail("no turn was lost")


def test_the_ply_cap_makes_a_draw():
    game = load(tf.FEVGA, ply_cap=5)
    *_, state = play(game, seed=1)
    assert state.returns() == [0.0, 0.0]
    assert sum(node >= 0 for node in players(state)) == game.max_game_length() == 5
    assert sum(node < 0 for node in players(state)) <= game.max_chance_nodes_in_history()


def players(state) -> list[int]:
    return [pair.player for pair in state.full_history()]


@pytest.mark.parametrize("ruleset", VARIANTS, ids=str)
def test_what_a_game_says_of_itself(ruleset):
    game = load(ruleset)
    kind = game.get_type()
    assert kind.short_name == f"python_tavli_{ruleset.game}"
    assert kind.long_name == ruleset.title
    assert game.max_utility() == -game.min_utility() == most_points(ruleset)
    assert pyspiel.load_game(str(game)).ruleset == ruleset


def test_observations():
    game = load(tf.PLAKOTO)
    for state in play(game, seed=3):
        for player in (0, 1):
            tensor = state.observation_tensor(player)
            assert len(tensor) == game.observation_tensor_size() == 120
            if state.table.game is None:
                assert np.flatnonzero(tensor).tolist() == [24, 50]
                assert state.observation_string(player).endswith("to open")
                continue
            shown = observation(state.table.game, player, state.table.is_rolled)
            np.testing.assert_array_equal(np.float32(tensor), shown)
            assert state.observation_string(player).split()[0].count("/") == 1


def test_observations_in_one_line():
    state = load(tf.PORTES).new_initial_state().child(0)
    start = tf.Position.start(tf.PORTES).text
    assert state.observation_string(1) == f"{start} opp to roll"
    state.apply_action(3)
    assert state.observation_string(0) == f"{start} own to play 3-1"
    *_, state = play(load(tf.PORTES), seed=1)
    assert state.observation_string(0).endswith(" over")
    assert str(state).startswith("the game is over, player ")


def test_clones_go_their_own_way():
    state = load(tf.TAPA).new_initial_state().child(0)
    state.apply_action(3)
    clone = state.clone()
    text = str(state)
    clone.apply_action(0)
    assert str(state) == text != str(clone)


def test_states_and_games_are_pickled():
    game = load(tf.FEVGA.replace(runner="pass"))
    for number, state in enumerate(play(game, seed=1)):
        if number % 20 == 0:
            copy = pickle.loads(pickle.dumps(state))
            assert str(copy) == str(state)
            assert copy.history() == state.history()
            assert copy.get_game().ruleset == game.ruleset
            assert copy.legal_actions() == state.legal_actions()


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("python_tavli_fevga(runner=slow)", "runner cannot be 'slow'"),
        ("python_tavli_fevga(ply_cap=0)", "a ply cap is at least 1, not 0"),
        ("python_tavli_portes(runner=pass)", "Unknown parameter 'runner'"),
    ],
)
def test_bad_parameters(name, match):
    with pytest.raises((ValueError, pyspiel.SpielError), match=match):
        pyspiel.load_game(name)


def test_bad_actions():
    opening = load(tf.PORTES).new_initial_state()
    decision = opening.child(0).child(0)
    for state, number in ((opening, 2), (opening.child(0), 21), (decision, 3000), (decision, -2)):
        with pytest.raises(ValueError, match=rf"{number} is no action here; they are \[0, 1"):
            state.apply_action(number)
        with pytest.raises(ValueError, match=rf"{number} is no action here"):
            state.action_to_string(number)
    with pytest.raises(ValueError, match="observations have no parameters"):
        load(tf.PORTES).make_py_observer(params={"depth": 3})


def test_the_interpreter_ends_well():
    """What OpenSpiel registers outlives the interpreter, which some callables do not survive."""
    program = "import pyspiel; from tavli_fast.adapters import open_spiel; " + (
        "s = pyspiel.load_game('python_tavli_portes').new_initial_state()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_algorithms_of_the_framework_run():
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import mcts

    game = load(tf.HYPERGAMMON)
    randomly = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, randomly)
    bot = mcts.MCTSBot(game, 1.4, 20, evaluator, random_state=randomly)
    state = game.new_initial_state().child(0)
    assert bot.step(state) in state.legal_actions()
    environment = rl_environment.Environment(game)
    step = environment.reset()
    while not step.last():
        seen = step.observations
        step = environment.step([seen["legal_actions"][seen["current_player"]][0]])
    assert sum(step.rewards) == 0 != step.rewards[0]


@pytest.mark.thread_unsafe(reason="doctest replaces sys.stdout")
def test_examples():
    assert doctest.testmod(adapter, optionflags=FLAGS).failed == 0
    page = Path(__file__).parents[1] / "docs" / "adapters.md"
    assert run_section(page, "OpenSpiel").failed == 0
