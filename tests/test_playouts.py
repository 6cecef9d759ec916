"""Playouts in the kernel: whole games as `Game` plays them, fair, and the same however shared."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from test_selfplay import VARIANTS

import tavli_fast as tf
from tavli_fast import reference


def pips_behind(position):
    own, opp = position.pip_counts
    return own - opp


@pytest.mark.parametrize("policy", ["random", "pips"])
@pytest.mark.parametrize("text", VARIANTS)
def test_games_are_those_of_game(text, policy):
    """The kernel's own stream, followed ply by ply with NumPy's ways to a number below another."""
    ruleset = tf.find_ruleset(text)
    cap, number = 150, 3
    found = tf.playouts(
        tf.start_records(ruleset, 1), ruleset, 3, games=number, policy=policy, max_plies=cap
    )
    [stream] = np.random.default_rng(3).spawn(1)
    points, plies, capped = [0] * 7, 0, 0

    def below(bound):
        return int(stream.integers(bound, dtype=np.uint32))

    def dice():
        while True:
            both = below(36)
            yield both % 6 + 1, both // 6 + 1

    for _ in range(number):
        game = tf.Game.start(ruleset, dice(), starter=0, ply_cap=cap)
        while not game.is_over:
            assert game.roll
            # In the order of the kernel's list, which that of `afterstates` is.
            results = game.afterstates()
            chosen = 0
            if policy == "random":
                chosen = below(len(results)) if len(results) > 1 else 0
            else:
                best = [pips_behind(result) for result in results]
                equal = 1
                for at in range(1, len(results)):
                    if best[at] < best[chosen]:
                        chosen, equal = at, 1
                    elif best[at] == best[chosen]:
                        equal += 1
                        chosen = at if below(equal) == 0 else chosen
            game = game.play(results[chosen])
        result = game.result
        plies += game.plies
        if result.capped:
            capped += 1
        else:
            points[3 + (result.points if result.winner == 0 else -result.points)] += 1
    assert found.points[0].tolist() == points
    assert found.plies[0] == plies
    assert found.capped[0] == capped


def test_the_wins_of_a_bear_off_are_the_exact_ones():
    """Against rational numbers by the reference, every result as likely as the others."""
    start = tf.Position(tf.PORTES, own={6: 1, 3: 2}, opp={5: 1, 1: 2})

    @cache
    def wins(board):
        points = reference.points_won(board, tf.PORTES)
        if points is not None:
            return Fraction(points > 0)
        total = Fraction(0)
        for roll in itertools.product(range(1, 7), repeat=2):
            results = reference.afterstates(board, roll, tf.PORTES)
            total += sum(1 - wins(reference.flip(result)) for result in results) / len(results)
        return total / 36

    exact = wins(reference.board(start))
    games = 200_000
    found = tf.playouts(tf.to_records([start]), tf.PORTES, 1, games=games, threads=2)
    deviation = float(exact * (1 - exact) / games) ** 0.5
    assert 0.2 < exact < 0.8
    assert abs(found.wins[0] - float(exact)) < 4.5 * deviation


def test_finished_games_are_what_they_are():
    won = tf.Position(tf.PORTES, own={}, opp={24: 15})
    found = tf.playouts(tf.to_records([won, won.flip()]), tf.PORTES, 1, games=10)
    assert found.points.tolist() == [[0, 0, 0, 0, 0, 10, 0], [0, 10, 0, 0, 0, 0, 0]]
    assert found.plies.tolist() == [0, 0]
    assert found.equity.tolist() == [2, -2]
    assert found.wins.tolist() == [1, 0]


def test_games_without_an_end_are_counted_apart():
    found = tf.playouts(tf.start_records(tf.PORTES, 2), tf.PORTES, 1, games=5, max_plies=3)
    assert found.capped.tolist() == [5, 5]
    assert found.plies.tolist() == [15, 15]
    assert found.points.sum() == 0
    assert found.equity.tolist() == [0, 0]


def test_no_limit_is_no_limit_at_all():
    records = tf.start_records(tf.PORTES, 2)
    free, limited = (
        tf.playouts(records, tf.PORTES, 5, games=3, max_plies=cap) for cap in (None, 10_000)
    )
    assert free.points.tolist() == limited.points.tolist()
    assert free.points.sum() == 6
    assert not free.capped.any()


def test_every_seed_plays_other_games_and_so_does_every_call():
    records = tf.start_records(tf.FEVGA, 1)
    rng = np.random.default_rng(1)
    plies = [
        tf.playouts(records, tf.FEVGA, seed, games=50).plies[0] for seed in (1, 1, 2, rng, rng)
    ]
    assert plies[0] == plies[1] == plies[3]
    assert len(set(plies)) == 3


# However shared


def found_by(**how):
    records = np.concatenate(
        [tf.start_records(tf.PLAKOTO, 3), tf.to_records([tf.Position(tf.PLAKOTO, {1: 2}, {5: 9})])]
    )
    found = tf.playouts(records, tf.PLAKOTO, 9, games=200, **how)
    return [part.tolist() for part in found]


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_make_no_difference(threads):
    assert found_by(threads=threads) == found_by()


def test_progress_is_told():
    told = []
    found_by(progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_bad_record_is_named_by_its_row():
    records = tf.start_records(tf.PORTES, 500)
    records["opp"]["checkers"][[321, 400], 6] = 0
    for threads in (1, 3):
        with pytest.raises(tf.IllegalPosition, match="row 321: opp has 10 checkers"):
            tf.playouts(records, tf.PORTES, 1, games=3, threads=threads)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rng": "dice"}, "rng is a numpy.random.Generator or a seed, not 'dice'"),
        ({"games": 0}, "games is an integer of at least 1"),
        ({"games": 1.5}, "games is an integer of at least 1"),
        ({"max_plies": 0}, "max_plies is an integer of at least 1"),
        ({"policy": "best"}, "policy cannot be 'best'; it is one of random, pips"),
        ({"threads": 0}, "threads is an integer of at least 1"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        tf.playouts(tf.start_records(tf.PORTES, 1), tf.PORTES, **{"rng": 1, **options})


def test_no_records_have_no_games():
    found = tf.playouts(tf.start_records(tf.PORTES, 0), tf.PORTES, 1)
    assert found.points.shape == (0, 7)
