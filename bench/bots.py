"""What a bot author waits for: whole random games, and turns of lockstep self-play, in one run.

All rows take turns for many rounds, and medians are shown. Before the clock starts, the games of
every library that plays them are compared: uniformly random backgammon has one mean length.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from peers import machine, measure

import tavli_fast as tf

PLAYOUTS = 4096
GAMES = 1024
PLIES = 20
COMPARED = 2000
"""Games whose lengths are compared."""
PEER_GAMES = 20


class Row(NamedTuple):
    """Something to time: one call makes so many games or turns."""

    name: str
    unit: str
    amount: int
    run: Callable[[], object]


def games_in_the_kernel(ruleset: tf.Ruleset, policy: str) -> Row:
    start, rng = tf.start_records(ruleset, 1), np.random.default_rng(1)
    games = PLAYOUTS if policy == "random" else 256

    def run() -> tf.Playouts:
        return tf.playouts(start, ruleset, rng, games=games, policy=policy)

    assert run().points.sum() + run().capped.sum() == games
    return Row(f"playouts, {ruleset.title}, {policy}", "games", games, run)


def lockstep(ruleset: tf.Ruleset, encoding: str | None) -> Row:
    """A loop in Python: all afterstates, their features if wanted, any choice in every game."""
    play, choose = tf.SelfPlay(ruleset, GAMES, rng=1), np.random.default_rng(2)
    out = tf.empty_records(64 * GAMES)
    names = tf.feature_names(ruleset, encoding) if encoding else ()
    units = np.empty((len(out), len(names)), np.float32)

    def run() -> None:
        for _ in range(PLIES):
            result = play.afterstates(out=out)
            if encoding:
                tf.features(result.positions, ruleset, out=units, encoding=encoding)
            play.advance(choose.integers(np.diff(result.offsets)))

    for _ in range(10):
        run()
    counts = tf.count_afterstates(play.positions, play.rolls, ruleset)
    assert (np.diff(play.afterstates(out=out).offsets) == counts).all()
    what = f", {encoding} features of all" if encoding else ""
    return Row(f"lockstep, {ruleset.title}{what}", "turns", GAMES * PLIES, run)


def games_through_gnubg_nn() -> Row:
    """Whole random games, the loop in Python around gnubg-nn's generator."""
    import gnubg_nn

    start = tf.Position.start(tf.PORTES)
    board = [list(start.opp[1:]), list(start.own[1:])]
    rng = random.Random(1)

    def length() -> int:
        turned, plies = board, 0
        while True:
            plies += 1
            keys = gnubg_nn.moves(turned, rng.randint(1, 6), rng.randint(1, 6))
            opp, own = turned
            if keys:
                opp, own = gnubg_nn.board_from_position_key(rng.choice(keys))
            if not any(own):
                return plies
            turned = [own, opp]

    lengths = np.array([length() for _ in range(COMPARED)])
    found = tf.playouts(tf.start_records(tf.PORTES, 1), tf.PORTES, 1, games=20 * COMPARED)
    mean = found.plies[0] / (20 * COMPARED)
    assert abs(lengths.mean() - mean) < 5 * lengths.std() / COMPARED**0.5

    def run() -> None:
        for _ in range(PEER_GAMES):
            length()

    return Row("a loop around gnubg-nn", "games", PEER_GAMES, run)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="default %(default)s")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    options = parser.parse_args()
    rows = [games_in_the_kernel(ruleset, "random") for ruleset in tf.RULESETS.values()]
    rows += [games_in_the_kernel(ruleset, "pips") for ruleset in (tf.PLAKOTO, tf.FEVGA)]
    try:
        rows.append(games_through_gnubg_nn())
    except ImportError as error:
        print(f"absent: gnubg-nn ({error})")
    for ruleset in tf.TAVLI:
        rows += [lockstep(ruleset, encoding) for encoding in (None, "td_gammon", "compact")]
    began = time.perf_counter()
    seconds = np.median(measure([row.run for row in rows], options.rounds), axis=0)
    about = machine()
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    figures = {row.name: row.amount / each for row, each in zip(rows, seconds, strict=True)}
    for row in rows:
        print(f"{row.name:48}{figures[row.name]:14,.0f} {row.unit} a second")
    print(f"{options.rounds} rounds in {time.perf_counter() - began:.0f} s")
    if options.json:
        told = {"machine": about, "a_second": {name: round(each) for name, each in figures.items()}}
        options.json.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
