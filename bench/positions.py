"""Where the timed positions come from: two backgammon corpora, and seeded playouts of any game."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

import tavli_fast as tf

CORPUS = Path(__file__).parents[1] / "tests" / "data" / "corpus" / "backgammon.npz"
CORPORA = {"random": slice(0, 20_000), "sensible": slice(20_000, 40_000)}
"""The two halves of the corpus: uniformly random play, and play of a weak but sensible player."""

# One row in so many of the playouts is counted by the reference as well: it takes a millisecond.
REFERENCE_EVERY = 100


class Decisions(NamedTuple):
    """Positions with a roll each, and how many distinct results they have.

    `records`: (n,) POSITION. `rolls`: (n, 2) uint8. `counts`: (n,) int64, one for a lost turn.
    """

    ruleset: tf.Ruleset
    records: np.ndarray
    rolls: np.ndarray
    counts: np.ndarray

    @property
    def results(self) -> int:
        """The results of all positions together."""
        return int(self.counts.sum())

    def resized(self, n: int) -> Decisions:
        """The first n, or all of them over and over until there are n."""
        records, rolls = np.resize(self.records, n), np.resize(self.rolls, (n, 2))
        return Decisions(self.ruleset, records, rolls, np.resize(self.counts, n))


@cache
def corpus(name: str) -> Decisions:
    """20,000 consecutive decisions of one of the `CORPORA`, with the counts of its file."""
    with np.load(CORPUS) as stored:
        boards, rolls, counts = (
            stored[array][CORPORA[name]] for array in ("positions", "rolls", "counts")
        )
    records = np.zeros(len(boards), tf.POSITION)
    for side, points in (("opp", boards[:, :25]), ("own", boards[:, 25:])):
        records[side]["checkers"][:, 1:] = points
        records[side]["checkers"][:, 0] = tf.PORTES.checkers - points.sum(axis=1)
    return Decisions(tf.PORTES, records, rolls, np.maximum(counts, 1).astype(np.int64))


@cache
def playouts(ruleset: tf.Ruleset, n: int = 20_000, games: int = 100, seed: int = 1) -> Decisions:
    """About n consecutive decisions of random play, so from all phases of the game.

    The games are played in lockstep; a finished one starts again. The result is chosen by a lottery
    of its bytes, so that the positions do not depend on the order in which results are found. What
    is left over of another's double is not among them: it is no roll of its own.
    """
    play, rng = tf.SelfPlay(ruleset, games, seed), np.random.default_rng(seed)
    records, rolls, found = [], [], 0
    while found < n:
        whole = play.numbers == 0
        records.append(play.positions[whole])
        rolls.append(play.rolls[whole])
        found += whole.sum()
        result = play.afterstates()
        lots = result.positions.view(np.uint64).reshape(-1, 8) @ rng.integers(
            2**64, size=8, dtype=np.uint64
        )
        play.advance(result.best(lots))
    return counted(ruleset, np.concatenate(records)[:n], np.concatenate(rolls)[:n])


def counted(ruleset: tf.Ruleset, records: np.ndarray, rolls: np.ndarray) -> Decisions:
    """Decisions with the kernel's counts, a sample of them compared with the reference."""
    counts = np.diff(tf.afterstates(records, rolls, ruleset).offsets)
    sample = slice(None, None, REFERENCE_EVERY)
    expected = [
        len(tf.reference.afterstates(position, tuple(roll)))
        for position, roll in zip(
            tf.from_records(records[sample], ruleset), rolls[sample].tolist(), strict=True
        )
    ]
    assert counts[sample].tolist() == expected
    return Decisions(ruleset, records, rolls, counts)


def without_bans(ruleset: tf.Ruleset) -> tf.Ruleset:
    """The same game with every blockade allowed."""
    return ruleset.replace(total_block="off", start_quarter="free", mother_prime="free")
