"""How fast the same rows are through gnubg-nn and through tavli_fast, in one run.

Every contestant's counts are compared with the corpus before the clock starts. All of them take
turns for many rounds; a ratio is the median over the rounds, so that whatever slows the machine for
a while slows both of its sides.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import timeit
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from pathlib import Path

import cpuinfo
import numpy as np
from positions import CORPORA, Decisions, corpus, playouts
from tqdm import trange

import tavli_fast as tf

try:
    import gnubg_nn
except ImportError:
    gnubg_nn = None

# Each contestant's share of a round: long enough to outlast its cold start.
SHARE_SECONDS = 0.1


@dataclasses.dataclass(frozen=True, eq=False)
class Contestant:
    """Something to time, what it is compared with, and what one call of it does."""

    group: str
    name: str
    run: Callable[[], object]
    rolls: int
    results: int
    against: Contestant | None = None


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


def machine() -> dict[str, str | int | None]:
    """What the figures depend on besides the code."""
    return {
        # The package comes with pytest-benchmark.
        "cpu": cpuinfo.get_cpu_info().get("brand_raw", platform.machine()),
        "cores": os.cpu_count(),
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


def batches(
    group: str, decisions: Decisions, against: Sequence[Contestant | None]
) -> list[Contestant]:
    """One call for all rows, one thread: with `out` reused, and with a new array each time."""
    call = partial(tf.afterstates, decisions.records, decisions.rolls, decisions.ruleset)
    out = np.empty(decisions.results, tf.POSITION)
    runs = {"out reused": partial(call, out=out), "fresh output": call}
    for run in runs.values():
        assert np.array_equal(np.diff(run().offsets), decisions.counts)
    title, sizes = decisions.ruleset.title, (len(decisions.rolls), decisions.results)
    return [
        Contestant(group, f"{title} batch, {output}", run, *sizes, other)
        for (output, run), other in zip(runs.items(), against, strict=True)
    ]


def through_gnubg_nn(group: str, decisions: Decisions) -> Contestant:
    """One call a row of gnubg-nn's generator."""
    # Each side's points 1 to 24 and bar, the other player first; lists are its fastest form.
    sides = [decisions.records[side]["checkers"][:, 1:] for side in ("opp", "own")]
    boards = np.stack(sides, axis=1).tolist()
    rows = [(board, *roll) for board, roll in zip(boards, decisions.rolls.tolist(), strict=True)]

    def run() -> None:
        moves = gnubg_nn.moves
        for board, die, other in rows:
            moves(board, die, other)

    # It finds nothing where the turn is lost.
    assert [len(gnubg_nn.moves(*row)) or 1 for row in rows] == decisions.counts.tolist()
    return Contestant(group, "gnubg-nn, one by one", run, len(rows), decisions.results)


def through_position(group: str, decisions: Decisions, against: Contestant | None) -> Contestant:
    """One call a row of `Position.afterstates`."""
    positions = tf.from_records(decisions.records, decisions.ruleset)
    rows = list(zip(positions, decisions.rolls.tolist(), strict=True))

    def run() -> None:
        for position, roll in rows:
            position.afterstates(roll)

    assert [len(position.afterstates(roll)) for position, roll in rows] == decisions.counts.tolist()
    return Contestant(
        group, "Position.afterstates, one by one", run, len(rows), decisions.results, against
    )


def contestants() -> list[Contestant]:
    """All that is timed, each after what it is compared with."""
    found = []
    for name in CORPORA:
        group, decisions = f"backgammon corpus, {name} play", corpus(name)
        peer = through_gnubg_nn(group, decisions) if gnubg_nn else None
        found += [peer] if peer else []
        found += [through_position(group, decisions, peer)]
        found += batches(group, decisions, [peer, peer])
    portes = batches("playouts", playouts(tf.PORTES), [None, None])
    return found + portes + batches("playouts", playouts(tf.FEVGA), portes)


def compare(rows: Sequence[Contestant], seconds: np.ndarray) -> list[Figures]:
    """The figures of each row; seconds: (rounds, rows)."""
    each = dict(zip(rows, (seconds / [row.results for row in rows]).T, strict=True))
    figures = []
    for row in rows:
        ns = float(np.median(each[row])) * 1e9
        known = Figures(
            row.group, row.name, row.rolls, row.results, ns * row.results / row.rolls, ns
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
            line = f"  {row.name:42}{row.ns_a_roll:12,.0f}{row.ns_a_result:14.2f}"
            if row.cost is not None:
                ratio = (
                    f"{1 / row.cost:.1f} times as fast as"
                    if row.cost < 1
                    else f"a result costs {row.cost:.2f} times that of"
                )
                line += f"   {ratio} {row.against}"
            lines.append(line)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15, help="default %(default)s")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    arguments = parser.parse_args()
    rows = contestants()
    figures = compare(rows, measure([row.run for row in rows], arguments.rounds))
    about = machine()
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    if gnubg_nn is None:
        print("gnubg-nn is not installed (pip install gnubg-nn): nothing to compare with")
    print(table(figures))
    if arguments.json:
        report = {"machine": about, "rows": [dataclasses.asdict(row) for row in figures]}
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
