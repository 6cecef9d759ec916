"""How time and peak memory grow with the number of records in a call.

The records are those of the random backgammon corpus, over and over. Time is that of a call with
`out` reused, and of one that allocates its output: the first such call of a fresh process, whose
pages the system has to find, and later ones. Peak memory is what that first call adds to its
process. Needs a Unix: no other system tells a process its peak so.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import resource
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
from charts import curves
from peers import machine, measure
from positions import corpus
from tqdm import tqdm

import tavli_fast as tf

SIZES = [10**power for power in range(7)]

# What must hold, and from how many records on: a smaller call is ruled by its fixed cost, and its
# output is lost among the pages of a process. It is asked of a call with `out` reused: blocks of
# more than about 32 MB are not recycled by glibc, so the fresh output of a large call also pays the
# system for clean pages, and a virtual machine's host for memory it had taken back meanwhile.
LINEAR_FROM, MOST_TIMES_DEARER = 1_000, 2.0
SEEN_FROM, MOST_MEMORY = 100_000, 1.10

MB = 2**20

# Lifts the process to its own earlier peak, so that whatever comes on top is seen.
BALLAST_BYTES = 32 * MB


class First(NamedTuple):
    """The first call of a process: what it took and returned, and what it added to the peak."""

    seconds: float
    output_bytes: int
    added_bytes: int


@dataclasses.dataclass(frozen=True)
class Figures:
    """What a call with so many records takes: medians, and the first call of a process."""

    records: int
    ns_out_reused: float
    ns_fresh_output: float
    ns_first_call: float
    output_bytes: int
    peak_bytes: int


def resident_peak() -> int:
    """The most memory this process ever had, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def first_call(n: int) -> First:
    """To be run in a fresh process."""
    decisions = corpus("random").resized(n)
    ballast = np.ones(BALLAST_BYTES, np.uint8)
    before, start = resident_peak(), time.perf_counter()
    found = tf.afterstates(decisions.records, decisions.rolls, decisions.ruleset)
    seconds, added = time.perf_counter() - start, resident_peak() - before
    del ballast
    return First(seconds, sum(array.nbytes for array in found), added)


def calls(n: int) -> list[Callable[[], tf.Afterstates]]:
    """A call with `out` reused, and one with fresh output, their counts compared.

    Each call takes the next n rows of the corpus: a processor learns the branches of a thousand
    rows that come again, and would make small batches look cheaper than they are.
    """
    whole = corpus("random")
    decisions = whole.resized(max(n, len(whole.rolls)))
    parts = [slice(at, at + n) for at in range(0, len(decisions.rolls) - n + 1, n)]
    out = tf.empty_records(max(int(decisions.counts[part].sum()) for part in parts))

    def caller(out: np.ndarray | None) -> Callable[[], tf.Afterstates]:
        rows = itertools.cycle([(decisions.records[part], decisions.rolls[part]) for part in parts])
        return lambda: tf.afterstates(*next(rows), decisions.ruleset, out=out)

    both = [caller(out), caller(None)]
    for call in both:
        for part in parts:
            assert np.array_equal(np.diff(call().offsets), decisions.counts[part])
    return both


def table(figures: Sequence[Figures]) -> str:
    """The figures for reading, times a record."""
    lines = [
        "            ns a record                           output    peak memory",
        "  records   out reused   fresh output      first      MB      MB   of output",
    ]
    for row in figures:
        n, share = row.records, row.peak_bytes / row.output_bytes
        lines.append(
            f"{n:9,}{row.ns_out_reused / n:13,.0f}{row.ns_fresh_output / n:15,.0f}"
            f"{row.ns_first_call / n:11,.0f}{row.output_bytes / MB:8.1f}{row.peak_bytes / MB:8.1f}"
            + (f"{share:12.1%}" if n >= SEEN_FROM else "")
        )
    return "\n".join(lines)


def chart(figures: Sequence[Figures], path: Path, caption: str) -> None:
    """Time and memory of a call against its records."""
    times = {
        "out reused": [row.ns_out_reused / 1e6 for row in figures],
        "fresh output": [row.ns_fresh_output / 1e6 for row in figures],
    }
    memory = {
        "peak, first call of a process": [row.peak_bytes / MB for row in figures],
        "its output": [row.output_bytes / MB for row in figures],
    }
    panels = {"ms a call": times, "MB": memory}
    curves(path, [row.records for row in figures], panels, "records in a call", caption)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9, help="default %(default)s")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    parser.add_argument("--chart", type=Path, metavar="FILE", help="draw them there, SVG")
    arguments = parser.parse_args()
    rounds = arguments.rounds
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        # First of all, while this process is small: a child's peak starts from its parent's.
        found = pool.map(first_call, SIZES)
        firsts = list(tqdm(found, "first calls", len(SIZES), leave=False, disable=None))
    seconds = measure([call for n in SIZES for call in calls(n)], rounds)
    # (rounds, sizes, out reused or fresh)
    each = seconds.reshape(rounds, len(SIZES), 2) * 1e9
    figures = [
        Figures(n, *medians, first.seconds * 1e9, first.output_bytes, first.added_bytes)
        for n, medians, first in zip(SIZES, np.median(each, axis=0).tolist(), firsts, strict=True)
    ]

    about = machine()
    caption = ", ".join(f"{name} {value}" for name, value in about.items())
    print(f"{caption}\n\n{table(figures)}")
    if arguments.json:
        report = {"machine": about, "rows": [dataclasses.asdict(row) for row in figures]}
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")
    if arguments.chart:
        chart(figures, arguments.chart, caption)

    a_record = each / np.array(SIZES)[:, np.newaxis]
    dearer = np.median(a_record / a_record[:, [SIZES.index(LINEAR_FROM)]], axis=0)
    for name, times in zip(("out reused", "fresh output"), dearer.T, strict=True):
        print(
            f"{name}: a record of {SIZES[-1]:,} costs {times[-1]:.2f} times one of {LINEAR_FROM:,}"
        )
    reused = dearer[SIZES.index(LINEAR_FROM) :, 0]
    assert reused.max() <= MOST_TIMES_DEARER, "time is not linear"
    for row in figures:
        assert row.records < SEEN_FROM or row.peak_bytes <= MOST_MEMORY * row.output_bytes, (
            f"{row.records:,} records: {row.peak_bytes:,} bytes for {row.output_bytes:,} of output"
        )


if __name__ == "__main__":
    main()
