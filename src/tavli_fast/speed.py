"""How fast the library is on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import NamedTuple

import numpy as np

from .batch import afterstates, count_afterstates, empty_records
from .generate import generate_games
from .playouts import playouts
from .position import Position
from .rules import Ruleset

__all__ = ["Speed", "measure"]

_GAMES = 200
"""Random games whose plies are the positions: some 20,000."""
_PLAYOUTS = 2048


class Speed(NamedTuple):
    """What `measure` found, each the median of its rounds on one thread.

    `rolls`: rolls a second whose results a batch of new positions has, its output reused.
    `results`: those results a second. `single`: calls of `Position.afterstates` a second, from
    the start. `games`: random games a second in `playouts`. `paths`: paths a second of
    `Position.perft(3)`.
    """

    rolls: float
    results: float
    single: float
    games: float
    paths: float


def measure(ruleset: Ruleset, rounds: int = 5) -> Speed:
    """Time positions of random play of a game, after comparing their counts; takes a second or two.

    Raises `ValueError` for less than one round.

    >>> from tavli_fast import HYPERGAMMON
    >>> measure(HYPERGAMMON, rounds=1).results > 1000
    True
    """
    if rounds < 1:
        raise ValueError(f"rounds is at least 1, not {rounds}")
    games = generate_games(ruleset, _GAMES, rng=1)
    records, rolls = games.positions, games.rolls
    counts = count_afterstates(records, rolls, ruleset)
    out = empty_records(counts.sum())
    found = afterstates(records, rolls, ruleset, out=out)
    if not np.array_equal(np.diff(found.offsets), counts):
        raise RuntimeError("counted and made results differ: this build is broken")
    start = Position.start(ruleset)
    few = [(start, roll) for roll in rolls[:500].tolist()]
    paths = start.perft(3)

    def one_by_one() -> None:
        for position, roll in few:
            position.afterstates(roll)

    seconds = [
        _median_seconds(run, rounds)
        for run in (
            lambda: afterstates(records, rolls, ruleset, out=out),
            one_by_one,
            lambda: playouts(records[:1], ruleset, rng=1, games=_PLAYOUTS),
            lambda: start.perft(3),
        )
    ]
    return Speed(
        len(rolls) / seconds[0],
        len(found.positions) / seconds[0],
        len(few) / seconds[1],
        _PLAYOUTS / seconds[2],
        paths / seconds[3],
    )


def _median_seconds(run: Callable[[], object], rounds: int) -> float:
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        run()
        taken.append(time.perf_counter() - began)
    return median(taken)
