"""Work of every kind for a long time, and whether the memory it takes stays the same.

    python tests/soak.py [--minutes 10] [--seed N] [--keep-freed]

Rounds of batches, single positions, whole games, playouts, walls, perft and what `fuzz.py` feeds
are repeated; after each the resident memory is looked at. The first fifth of the time, and ten
times every different round, are for caches to fill and for Python's allocator to find its places;
from then on it may not grow by more than 1 %.

The C library of GNU keeps freed memory for later, up to 64 MB and the more the larger the blocks
freed so far, which looks like growth for as long as larger ones come. It is told to give back what
is freed, so that what is resident is in use; with `--keep-freed` it is left as it is.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import platform
import random
import sys
import time

import numpy as np
from fuzz import TARGETS, execute
from test_hostile import ENTRIES, decisions
from tqdm import tqdm

import tavli_fast as tf

GROWTH = 0.01

DIFFERENT = 52
"""Rounds until the first one comes again: each game four times."""

SETTLING = 10 * DIFFERENT
"""Rounds that are not judged, however long they took: a busy machine settles later."""

# Of glibc's malloc.h: from how many bytes on a block is mapped and unmapped by itself, and how many
# free ones may stay at the end of the heap. To set one is to end its growth.
M_MMAP_THRESHOLD, M_TRIM_THRESHOLD = -3, -1
KEPT = 128 * 1024


def give_back_freed() -> None:
    """Let glibc hold on to as little freed memory as it does at first."""
    if platform.libc_ver()[0] == "glibc":
        mallopt = ctypes.CDLL(None).mallopt
        for parameter in (M_MMAP_THRESHOLD, M_TRIM_THRESHOLD):
            if not mallopt(parameter, KEPT):
                sys.exit("the C library cannot be told to give back freed memory: --keep-freed")


def resident() -> int:
    """Bytes of this process in memory; 0 where the system does not say."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096
    except OSError:
        return 0


def work(round_: int, seed: int) -> int:
    """One round; returns how many calls it was.

    The same come again after a while: whatever is ever new finds ever new gaps in Python's memory,
    and looking for faults of ever new kinds is for `fuzz.py`.
    """
    calls = 0
    round_ %= DIFFERENT
    ruleset = list(tf.RULESETS.values())[round_ % len(tf.RULESETS)]
    records, rolls = decisions(ruleset, 600, seed=round_)
    for entry in ENTRIES.values():
        for threads in (1, 2):
            entry(records, rolls, ruleset, threads)
            calls += 1
    play = tf.SelfPlay(ruleset, 100, rng=seed + round_)
    for _ in range(30):
        found = play.afterstates()
        play.advance(found.offsets[:-1] * 0 + np.diff(found.offsets) - 1)
        calls += 2
    position = tf.from_records(records[:1], ruleset)[0]
    for roll in tf.ALL_ROLLS.tolist():
        position.moves(roll)
        position.next_steps(roll)
        calls += 2
    position.perft(2)
    for name, target in TARGETS.items():
        for execution in range(10):
            execute(target, random.Random(f"{seed} {name} {round_} {execution}"))
            calls += 1
    return calls


def main() -> None:
    parser = argparse.ArgumentParser(description="Work for long, and look at the memory.")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep-freed", action="store_true", help="leave the C library as it is")
    arguments = parser.parse_args()
    if not resident():
        sys.exit("this system does not tell how much memory a process has")
    if not arguments.keep_freed:
        give_back_freed()
    began = time.monotonic()
    taken: list[tuple[float, int]] = []
    calls = round_ = 0
    with tqdm(total=round(60 * arguments.minutes), unit=" s", mininterval=1) as bar:
        while (since := time.monotonic() - began) < 60 * arguments.minutes:
            calls += work(round_, arguments.seed)
            round_ += 1
            gc.collect()
            taken.append((since, resident()))
            bar.update(round(since) - bar.n)
    settled = [memory for since, memory in taken[SETTLING:] if since > 12 * arguments.minutes]
    if len(settled) < SETTLING:
        sys.exit(f"{round_} rounds are too few to tell of {2 * SETTLING}: more --minutes")
    tenth = max(1, len(settled) // 10)
    first, last = np.median(settled[:tenth]), np.median(settled[-tenth:])
    growth = last / first - 1
    print(
        f"{calls} calls in {round_} rounds and {arguments.minutes:g} minutes: "
        f"{first / 2**20:.1f} MB, then {last / 2**20:.1f} MB, {growth:+.2%}"
    )
    if growth > GROWTH:
        sys.exit(1)


if __name__ == "__main__":
    main()
