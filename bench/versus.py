"""Two versions measured on one machine: a table, a chart, and status 1 if the second is slower.

    python bench/versus.py BASE HEAD --markdown versus.md --svg versus.svg

BASE and HEAD are folders with two files each, made in one job, for times of two machines tell
nothing: `benchmarks.json` by `python -m pytest bench --benchmark-json`, and `instructions.json` as
`python bench/instructions.py --update` leaves it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from charts import bars

# The quickest round of a shared machine still differs by so much from job to job.
MOST_TIME = 1.25
MOST_INSTRUCTIONS = 1.01


class Change(NamedTuple):
    """What both versions took for the same work."""

    name: str
    unit: str
    base: float
    head: float
    most: float

    @property
    def ratio(self) -> float:
        return self.head / self.base

    @property
    def refused(self) -> bool:
        return self.ratio > self.most


def times(folder: Path) -> dict[str, float]:
    """The quickest round of each benchmark in microseconds."""
    stored = json.loads((folder / "benchmarks.json").read_text())
    return {each["fullname"]: each["stats"]["min"] * 1e6 for each in stored["benchmarks"]}


def instructions(folder: Path) -> dict[str, float]:
    """What a roll takes at each level, in the build that was measured last."""
    levels = json.loads((folder / "instructions.json").read_text())[-1]["instructions a roll"]
    return {
        f"{level}: {name}": count
        for level, counts in levels.items()
        for name, count in counts.items()
    }


def changes(base: Path, head: Path) -> Iterator[Change]:
    """All that both versions have; what only one has is no comparison."""
    for read, unit, most in (
        (instructions, "instructions a roll", MOST_INSTRUCTIONS),
        (times, "µs", MOST_TIME),
    ):
        before, after = read(base), read(head)
        for name in before.keys() & after.keys():
            yield Change(name, unit, before[name], after[name], most)


def table(found: list[Change]) -> str:
    rows = ["| what | unit | base | head | change |", "|---|---|---:|---:|---:|"]
    rows += [
        f"| {each.name} | {each.unit} | {each.base:,.1f} | {each.head:,.1f} "
        f"| {each.ratio - 1:+.1%}{' **refused**' if each.refused else ''} |"
        for each in found
    ]
    return "\n".join(rows) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("base", metavar="BASE", type=Path)
    parser.add_argument("head", metavar="HEAD", type=Path)
    parser.add_argument("--markdown", metavar="FILE", type=Path, help="write the table to FILE")
    parser.add_argument("--svg", metavar="FILE", type=Path, help="write the chart to FILE")
    arguments = parser.parse_args()
    found = sorted(changes(arguments.base, arguments.head))
    if not found:
        parser.error("the two folders have no figure in common")
    print(table(found))
    if arguments.markdown:
        arguments.markdown.write_text(table(found), encoding="utf-8")
    if arguments.svg:
        bars(
            arguments.svg,
            {each.name: 100 * each.ratio for each in found},
            {each.name for each in found if each.refused},
            "percent of the base",
            "Head against base: instructions a roll, and the quickest round of each benchmark",
        )
    refused = sum(each.refused for each in found)
    print(f"{len(found)} figures, {refused} refused")
    return int(refused > 0)


if __name__ == "__main__":
    sys.exit(main())
