"""How fast the same rows are through other libraries and through tavli_fast, in one run.

Every contestant's counts are compared before the clock starts. All of them take turns for many
rounds; a ratio is the median over the rounds, so that whatever slows the machine for a while slows
both of its sides. A library that is not installed is named as absent.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import sys
import timeit
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import TypeVar

import cpuinfo
import numpy as np
from charts import bars
from contestants import (
    PEERS,
    Contestant,
    batches,
    batches_of_one,
    perft_through_gnubg_nn,
    small_batches,
    through_adapter,
    through_gnubg_nn,
    through_position,
)
from positions import CORPORA, corpus, playouts
from tqdm import trange

import tavli_fast as tf
from tavli_fast import _dispatch

# All libraries meet on so many rows: the slowest takes a millisecond for one.
PEER_ROWS = 1_000

THREAD_ROWS = 1_000_000

Answer = TypeVar("Answer")

# Each contestant's share of a round: long enough to outlast its cold start.
SHARE_SECONDS = 0.1


@dataclasses.dataclass(frozen=True)
class Figures:
    """Medians over the rounds; `cost` is that of a result, where one of `against` costs 1."""

    group: str
    name: str
    rolls: int
    results: int
    ns_a_roll: float
    ns_a_result: float
    against: str | None = None
    cost: float | None = None
    note: str = ""
    ours: bool = True


def machine() -> dict[str, str | int | None]:
    """What the figures depend on besides the code."""
    return {
        # The package comes with pytest-benchmark.
        "cpu": cpuinfo.get_cpu_info().get("brand_raw", platform.machine()),
        # A process may be confined to fewer cores than there are.
        "cores": len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count(),
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "tavli_fast": tf.__version__,
        "kernel": tf.cpu.level,
    }


def measure(runs: Sequence[Callable[[], object]], rounds: int) -> np.ndarray:
    """Seconds a call, (rounds, runs): all take turns in every round, for about the same time."""
    timers = [timeit.Timer(run) for run in runs]
    calls = [max(1, round(SHARE_SECONDS / timer.timeit(1))) for timer in timers]
    return np.array(
        [
            [timer.timeit(number) / number for timer, number in zip(timers, calls, strict=True)]
            for _ in trange(rounds, desc="rounds", leave=False, disable=None)
        ]
    )


def all_libraries(absent: dict[str, str]) -> list[Contestant]:
    """Every library on the same rows, compared with the first that gives the same results."""
    group, decisions = f"all libraries, {PEER_ROWS:,} rows", corpus("random").resized(PEER_ROWS)
    rows: list[Contestant] = []
    for name, make in PEERS.items():
        try:
            rows += make(group, decisions, plain(rows))
        except ImportError as error:
            absent[name] = str(error)
    peer = plain(rows)
    makers = through_adapter, batches_of_one, through_position
    rows += [maker(group, decisions, peer) for maker in makers]
    return rows + batches(group, decisions, peer)


def plain(rows: Sequence[Contestant]) -> Contestant | None:
    """The first whose results need no note: they are the distinct positions."""
    return next((row for row in rows if not row.note), None)


def corpora(gnubg_nn: bool) -> list[Contestant]:
    """Both kinds of backgammon play."""
    rows = []
    for name in CORPORA:
        group, decisions = f"backgammon corpus, {name} play", corpus(name)
        peers = through_gnubg_nn(group, decisions, None) if gnubg_nn else []
        peer = peers[0] if peers else None
        rows += [*peers, through_adapter(group, decisions, peer)]
        peers = through_gnubg_nn(group, decisions, None, 1) if gnubg_nn else []
        rows += [*peers, through_adapter(group, decisions, peers[0] if peers else None, 1)]
        rows += [through_position(group, decisions, peer)]
        rows += [small_batches(group, decisions, peer), *batches(group, decisions, peer)]
    return rows


def games() -> list[Contestant]:
    """Every game in its own play, against the first of them, Portes."""
    rows: list[Contestant] = []
    for ruleset in tf.RULESETS.values():
        first = rows[0] if rows else None
        rows.append(small_batches("playouts of each game", playouts(ruleset), first))
    return rows


def perft(gnubg_nn: bool) -> list[Contestant]:
    """Leaves a second, each side as deep as it gets in about a second."""
    group, start = "perft of Portes, a result is a leaf", tf.Position.start(tf.PORTES)
    peers = [perft_through_gnubg_nn(group)] if gnubg_nn else []
    pairs, leaves = start.perft(2) * len(tf.ALL_ROLLS), start.perft(3)
    run, peer = partial(start.perft, 3), peers[0] if peers else None
    return [*peers, Contestant(group, "tavli_fast, Position.perft(3)", run, pairs, leaves, peer)]


def threads() -> list[Contestant]:
    """A large batch, which with its output takes 1.3 GB."""
    group, decisions = f"{THREAD_ROWS:,} rows, out reused", corpus("random").resized(THREAD_ROWS)
    out = tf.empty_records(decisions.results)
    call = partial(tf.afterstates, decisions.records, decisions.rolls, decisions.ruleset, out=out)
    sizes = THREAD_ROWS, decisions.results
    assert np.array_equal(np.diff(call(threads=2).offsets), decisions.counts)
    one = Contestant(group, "one thread", partial(call, threads=1), *sizes)
    return [one, Contestant(group, "two threads", partial(call, threads=2), *sizes, one)]


def levels() -> list[Contestant]:
    """The builds of the kernel that run here, the plainest first."""
    group, decisions = "kernel levels, random play", corpus("random")
    rows: list[Contestant] = []
    for level in reversed(tf.cpu.supported):
        plainest = rows[0] if rows else None
        batch = at_level(level, partial(small_batches, group, decisions, plainest))
        run = partial(at_level, level, batch.run)
        rows.append(dataclasses.replace(batch, name=level, run=run))
    return rows


def at_level(level: str, call: Callable[[], Answer]) -> Answer:
    """What is called with another build of the kernel."""
    _dispatch.use(level)
    try:
        return call()
    finally:
        _dispatch.use(tf.cpu.level)


def contestants(absent: dict[str, str]) -> list[Contestant]:
    """All that is timed, each after what it is compared with; notes which libraries are absent."""
    rows = all_libraries(absent)
    gnubg_nn = "gnubg-nn" not in absent
    return [*rows, *corpora(gnubg_nn), *games(), *perft(gnubg_nn), *threads(), *levels()]


def compare(rows: Sequence[Contestant], seconds: np.ndarray) -> list[Figures]:
    """The figures of each row; seconds: (rounds, rows)."""
    each = dict(zip(rows, (seconds / [row.results for row in rows]).T, strict=True))
    figures = []
    for row in rows:
        ns = float(np.median(each[row])) * 1e9
        known = Figures(
            row.group,
            row.name,
            row.rolls,
            row.results,
            ns * row.results / row.rolls,
            ns,
            note=row.note,
            ours=row.ours,
        )
        if row.against:
            cost = float(np.median(each[row] / each[row.against]))
            known = dataclasses.replace(known, against=row.against.name, cost=cost)
        figures.append(known)
    return figures


def table(figures: Sequence[Figures]) -> str:
    """The figures for reading."""
    lines = []
    for group, rows in groupby(figures, lambda row: row.group):
        lines += ["", f"{group:44}{'ns a roll':>12}{'ns a result':>14}"]
        for row in rows:
            line = f"  {row.name:42}{row.ns_a_roll:12,.0f}{row.ns_a_result:14,.2f}"
            if row.cost is not None:
                ratio = (
                    f"{1 / row.cost:.3g} times as fast as"
                    if row.cost < 1
                    else f"a result costs {row.cost:.2f} times that of"
                )
                line += f"   {ratio} {row.against}"
            lines.append(line)
            lines += [f"    {row.note}"] if row.note else []
    return "\n".join(lines)


def chart(figures: Sequence[Figures], path: Path, caption: str) -> None:
    """The group of all libraries as bars."""
    rows = [row for row in figures if row.group == figures[0].group]
    values = {row.name: row.ns_a_roll for row in rows}
    ours = {row.name for row in rows if row.ours}
    bars(path, values, ours, "ns per (position, roll)", f"{figures[0].group}; {caption}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15, help="default %(default)s")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    parser.add_argument("--chart", type=Path, metavar="FILE", help="draw all libraries there, SVG")
    arguments = parser.parse_args()
    absent: dict[str, str] = {}
    rows = contestants(absent)
    figures = compare(rows, measure([row.run for row in rows], arguments.rounds))
    about = machine() | {name: version(name) for name in PEERS if name not in absent}
    caption = ", ".join(f"{name} {value}" for name, value in about.items())
    print(caption)
    for name, reason in absent.items():
        print(f"{name} is absent: {reason} (pip install {name})")
    print(table(figures))
    if arguments.json:
        report = {
            "machine": about,
            "absent": absent,
            "rows": [dataclasses.asdict(row) for row in figures],
        }
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")
    if arguments.chart:
        chart(figures, arguments.chart, caption)


if __name__ == "__main__":
    main()
