"""Games of self-play as arrays: each is a whole game, and the same however they are shared out."""

from __future__ import annotations

import itertools
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast import generate


def first_of_all(result, play, rng):
    return np.zeros(len(play), int)


@pytest.mark.parametrize("player", ["random", "pips", first_of_all])
@pytest.mark.parametrize("ruleset", [tf.FEVGA, tf.HYPERGAMMON, tf.GIOUL], ids=lambda row: row.game)
def test_the_plies_of_a_game_follow_one_another(ruleset, player):
    games = tf.generate_games(ruleset, 40, 1, player, ply_cap=300)
    positions = tf.from_records(games.positions, ruleset)
    chosen = tf.from_records(games.chosen, ruleset)
    assert games.offsets[0] == 0
    assert len(games.points) == len(games.capped) == len(games.offsets) - 1 == 40
    for number, (first, last) in enumerate(itertools.pairwise(games.offsets.tolist())):
        assert positions[first] == tf.Position.start(ruleset)
        for at in range(first, last):
            roll = tuple(games.rolls[at].tolist())
            if ruleset.unfinished == "forfeit":
                assert chosen[at] in positions[at].afterstates(roll)
            if at + 1 < last:
                same = games.players[at] == games.players[at + 1]
                assert positions[at + 1] == (chosen[at] if same else chosen[at].flip())
        won = chosen[last - 1].points_won
        mover = games.players[last - 1]
        if games.capped[number]:
            assert last - first == 300
            assert won is None
            assert games.points[number] == 0
        else:
            assert games.points[number] == (won if mover == 0 else -won)
            assert games.outcomes[last - 1] == won
    signs = np.where(games.players == 0, 1, -1)
    lengths = np.diff(games.offsets).astype(np.intp)
    assert (games.outcomes == signs * np.repeat(games.points, lengths)).all()


def test_the_pips_player_is_the_most_pips_ahead():
    games = tf.generate_games(tf.HYPERGAMMON, 20, 1, "pips")
    for at, chosen in enumerate(tf.from_records(games.chosen, tf.HYPERGAMMON)):
        before = tf.from_records(games.positions[at : at + 1], tf.HYPERGAMMON)[0]
        results = before.afterstates(tuple(games.rolls[at].tolist()))
        ahead = [opp - own for own, opp in (result.pip_counts for result in results)]
        own, opp = chosen.pip_counts
        assert opp - own == max(ahead)


def test_the_lengths_are_those_of_whole_games(monkeypatch):
    """More games than places: every one begun counts, so that short ones are not preferred."""
    monkeypatch.setattr(generate, "_LOCKSTEP", 7)
    monkeypatch.setattr(generate, "_SHARE", 300)
    plies = np.diff(tf.generate_games(tf.HYPERGAMMON, 3000, 5).offsets)
    found = tf.playouts(tf.start_records(tf.HYPERGAMMON, 1), tf.HYPERGAMMON, 1, games=20_000)
    mean = found.plies[0] / 20_000
    assert abs(plies.mean() - mean) < 4.5 * plies.std() / 3000**0.5


def test_an_executor_and_threads_make_no_difference():
    def made(**how):
        return [part.tobytes() for part in tf.generate_games(tf.HYPERGAMMON, 5000, 3, **how)]

    alone = made()
    assert made(threads=2) == alone
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        assert made(executor=processes) == alone


def test_no_games():
    games = tf.generate_games(tf.PORTES, 0, 1)
    assert len(games.points) == len(games.positions) == 0
    assert games.offsets.tolist() == [0]
    assert games.positions.dtype == tf.POSITION


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((tf.PORTES, -1, 1), "games is a number of games, not -1"),
        ((tf.PORTES, "many", 1), "games is a number of games, not 'many'"),
        ((tf.PORTES, 1, "dice"), "rng is a numpy.random.Generator or a seed"),
        ((tf.PORTES, 1, 1, "best"), "player is a function or one of random, pips, not 'best'"),
        (("portes", 1, 1), "ruleset is 'p', not a Ruleset"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        tf.generate_games(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(({"threads": each}, "threads is an integer of at least 1") for each in (0, 1.5, "2")),
        ({"executor": 3}, "executor is an Executor of concurrent.futures, not 3"),
        ({"rng": np.random.RandomState(1)}, r"rng cannot be split|rng is a numpy\.random"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        tf.generate_games(**{"ruleset": tf.HYPERGAMMON, "games": 1, "rng": 1, **options})


def test_a_million_threads_are_no_more_than_enough():
    games = tf.generate_games(tf.HYPERGAMMON, 3, 1, threads=10**9)
    assert games.positions.tobytes() == tf.generate_games(tf.HYPERGAMMON, 3, 1).positions.tobytes()


def advances(afterstates, play, rng):
    play.advance(np.zeros(len(play), int))
    return np.zeros(len(play), int)


def spoils(afterstates, play, rng):
    afterstates.positions.view(np.uint8)[:] = 255
    return np.zeros(len(play), int)


@pytest.mark.parametrize(
    ("player", "message"),
    [
        (advances, "the player has advanced the games itself"),
        (spoils, "row 0: own has 6630 checkers, not 3"),
        (lambda *given: None, "choice has dtype object"),
        (lambda afterstates, play, rng: np.zeros(len(play)), "choice has dtype float64"),
        (lambda afterstates, play, rng: [-1] * len(play), "there is no choice -1"),
        (lambda afterstates, play, rng: [2**70] * len(play), "choice has dtype object"),
    ],
)
def test_players_that_do_what_none_should(player, message):
    with pytest.raises(ValueError, match=message):
        tf.generate_games(tf.HYPERGAMMON, 3, 1, player)
