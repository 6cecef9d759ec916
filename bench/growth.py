"""How time and peak memory grow with the number of records in a call.

The records are those of the random backgammon corpus, over and over. Time is that of a call with
`out` reused, and of one that allocates its output: the first such call of a fresh process, whose
pages the system has to find, and later ones. Peak memory is what that first call adds to its
process. Needs a Unix: no other system tells a process its peak so.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
from peers import machine, measure
from positions import corpus
from tqdm import tqdm

import tavli_fast as tf

SIZES = [10**power for power in range(7)]

# What must hold, and from how many records on: a smaller call is ruled by its fixed cost, and its
# output is lost among the pages of a process. Blocks of more than about 32 MB are not recycled by
# glibc: the fresh output of a large call also pays the system for clean pages.
LINEAR_FROM, MOST_TIMES_DEARER = 1_000, {"out reused": 2.0, "fresh output": 3.0}
SEEN_FROM, MOST_MEMORY = 10_000, 1.10

# Lifts the process to its own earlier peak, so that whatever comes on top is seen.
BALLAST_BYTES = 32 << 20


class First(NamedTuple):
    """The first call of a process: what it took and returned, and what it added to the peak."""

    seconds: float
    output_bytes: int
    added_bytes: int


def inputs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """n records and rolls."""
    known = corpus("random")
    return np.resize(known.records, n), np.resize(known.rolls, (n, 2))


def resident_peak() -> int:
    """The most memory this process ever had, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def first_call(n: int) -> First:
    """To be run in a fresh process."""
    records, rolls = inputs(n)
    ballast = np.ones(BALLAST_BYTES, np.uint8)
    before, start = resident_peak(), time.perf_counter()
    found = tf.afterstates(records, rolls, tf.PORTES)
    seconds, added = time.perf_counter() - start, resident_peak() - before
    del ballast
    return First(seconds, sum(array.nbytes for array in found), added)


def calls(n: int) -> list[Callable[[], tf.Afterstates]]:
    """A call with `out` reused, and one with fresh output, their counts compared."""
    records, rolls = inputs(n)
    fresh = partial(tf.afterstates, records, rolls, tf.PORTES)
    counts = np.resize(corpus("random").counts, n)
    out = np.empty(counts.sum(), tf.POSITION)
    both: list[Callable[[], tf.Afterstates]] = [partial(fresh, out=out), fresh]
    for call in both:
        assert np.array_equal(np.diff(call().offsets), counts)
    return both


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9, help="default %(default)s")
    rounds = parser.parse_args().rounds
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        # First of all, while this process is small: a child's peak starts from its parent's.
        found = pool.map(first_call, SIZES)
        firsts = list(tqdm(found, "first calls", len(SIZES), leave=False, disable=None))
    seconds = measure([call for n in SIZES for call in calls(n)], rounds)
    # (rounds, sizes, out reused or fresh)
    each = seconds.reshape(rounds, len(SIZES), 2) / np.array(SIZES)[:, np.newaxis] * 1e9
    dearer = np.median(each / each[:, [SIZES.index(LINEAR_FROM)]], axis=0)

    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    print("\n            ns a record                        output    peak memory")
    print("  records   out reused   fresh output   first      MB      MB   of output")
    for n, (reused, fresh), first in zip(SIZES, np.median(each, axis=0), firsts, strict=True):
        share = f"{first.added_bytes / first.output_bytes:12.1%}" if n >= SEEN_FROM else ""
        print(
            f"{n:9,}{reused:13,.0f}{fresh:15,.0f}{first.seconds / n * 1e9:8,.0f}"
            f"{first.output_bytes / 2**20:8.1f}{first.added_bytes / 2**20:8.1f}{share}"
        )

    for (name, limit), times in zip(MOST_TIMES_DEARER.items(), dearer.T, strict=True):
        print(
            f"{name}: a record of {SIZES[-1]:,} costs {times[-1]:.2f} times one of {LINEAR_FROM:,}"
        )
        assert times[SIZES.index(LINEAR_FROM) :].max() <= limit, f"{name}: time is not linear"
    for n, first in zip(SIZES, firsts, strict=True):
        assert n < SEEN_FROM or first.added_bytes <= MOST_MEMORY * first.output_bytes, (
            f"{n:,} records: {first.added_bytes:,} bytes for {first.output_bytes:,} of output"
        )


if __name__ == "__main__":
    main()
