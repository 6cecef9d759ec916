"""Which lines of the package the suite runs: Python's by coverage.py, compiled ones by gcov.

    python tools/covered.py [--least 97] [--missing] [TEST ...]

Needs gcc, and the extras `test` and `coverage`. A copy of the tree is built so that gcc counts, the
tests run in it, and what was counted in the C that Cython wrote is told of the lines it came from:
above each statement's C there is a comment that names them. A line of C that belongs to no line of
the package counts for none, nor does the code that leaves a function. Without tests named, those of
`SLOW` are left out: they repeat what others run, many times, or run none of it.

The command ends with status 1 if a source is missing from the table or none of its lines ran, if
the tests fail, or if less than `--least` percent of all lines ran.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = Path("src", "tavli_fast")
CODE = {".py", ".pyx", ".pxi", ".h"}
NO_CODE = {"_record.h", "adapters/__init__.py"}
"""Declarations and words only."""
SLOW = (
    *("agreement", "exhaustive", "moves", "perft", "gnubg", "learner", "sharing", "leaks"),
    *("packaging", "house"),
)

MARK = re.compile(r'\s*/\* "(?:src/)?tavli_fast/(.+)":(\d+)$')
ELSEWHERE = re.compile(r'\s*/\* (?:".+":\d+|function exit code) ?(?:\*/)?$|\}')
"""A comment that names another place, or the end of a function."""

Counts = dict[str, dict[int, int]]
"""How often each line of each source ran."""


def run(command: list[object], folder: Path, **environment: str) -> None:
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, env={**os.environ, **environment}
    )
    if done.returncode:
        sys.exit(f"{command[:6]} ends with {done.returncode}")


def copy_tree(folder: Path) -> None:
    """All that the tests read, and nothing that was built."""
    ignored = shutil.ignore_patterns("__pycache__", ".hypothesis", "*.so", "*.egg-info")
    for path in ROOT.iterdir():
        if path.name in ("src", "tests", "docs", "examples", "tools", "bench", ".github", ".ci"):
            shutil.copytree(path, folder / path.name, ignore=ignored)
        elif path.is_file():
            shutil.copy(path, folder)


def marked(source: Path) -> Iterator[tuple[str, int] | None]:
    """For each line of a C file, the line of the package it was made of."""
    mark = None
    for line in source.read_text(encoding="utf-8").splitlines():
        if match := MARK.match(line):
            mark = match[1], int(match[2])
        elif ELSEWHERE.match(line):
            mark = None
        yield mark


def by_gcov(folder: Path, counts: Counts) -> None:
    """Add what gcc counted to each line of the sources that were compiled."""
    for data in sorted((folder / "build").rglob("*.gcda")):
        told = subprocess.run(
            ["gcov", "--json-format", "--stdout", data],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
        for file in json.loads(told.stdout)["files"]:
            path = folder / file["file"]
            places: dict[int, tuple[str, int] | None]
            if (folder / SOURCES / path.name).is_file():
                # A header, or the copy of one beside the C.
                numbers = [line["line_number"] for line in file["lines"]]
                places = {number: (path.name, number) for number in numbers}
            elif path.suffix == ".c" and path.is_relative_to(folder / "build"):
                places = dict(enumerate(marked(path), start=1))
            else:
                continue
            for line in file["lines"]:
                if place := places.get(line["line_number"]):
                    of = counts.setdefault(place[0], {})
                    of[place[1]] = of.get(place[1], 0) + line["count"]


def by_coverage(folder: Path, counts: Counts) -> None:
    """Add the lines of Python."""
    report = folder / "coverage.json"
    run([sys.executable, "-m", "coverage", "combine", "-q"], folder)
    run([sys.executable, "-m", "coverage", "json", "-q", "-o", report], folder)
    for name, file in json.loads(report.read_text(encoding="utf-8"))["files"].items():
        of = counts.setdefault(Path(name).relative_to(SOURCES).as_posix(), {})
        of |= dict.fromkeys(file["missing_lines"], 0) | dict.fromkeys(file["executed_lines"], 1)


def ranges(lines: list[int]) -> str:
    """Line numbers as text, neighbours joined."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def report(counts: Counts, least: float, missing: bool) -> int:
    print("| file | lines | ran | % |")
    print("|---|---:|---:|---:|")
    faults = []
    total = total_ran = 0
    paths = sorted(path for path in (ROOT / SOURCES).rglob("*") if path.suffix in CODE)
    for path in paths:
        name = path.relative_to(ROOT / SOURCES).as_posix()
        lines = counts.get(name, {})
        ran = sum(count > 0 for count in lines.values())
        total, total_ran = total + len(lines), total_ran + ran
        if not ran and name not in NO_CODE:
            faults.append(f"nothing of {name} ran")
        if lines:
            print(f"| `{name}` | {len(lines)} | {ran} | {100 * ran / len(lines):.1f} |")
    share = 100 * total_ran / total if total else 0.0
    print(f"| all | {total} | {total_ran} | {share:.1f} |")
    for name in sorted(counts) if missing else ():
        left = sorted(line for line, count in counts[name].items() if not count)
        if left:
            print(f"{name}: {ranges(left)}")
    if share < least:
        faults.append(f"{share:.2f} % of all lines ran, and {least} are asked for")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def measure(folder: Path, tests: list[str]) -> Counts:
    copy_tree(folder)
    run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        folder,
        TAVLI_FAST_COVERED="1",
        CFLAGS="-w",
    )
    settings = folder / ".coveragerc"
    settings.write_text(
        f"[run]\nsource = {SOURCES}\nparallel = true\npatch = subprocess\nrelative_files = true\n"
    )
    ignored = [f"--ignore=tests/test_{name}.py" for name in SLOW] if not tests else []
    run(
        [
            *(sys.executable, "-m", "coverage", "run", "-m", "pytest", "-q"),
            *("-p", "no:cacheprovider", *ignored, *tests),
        ],
        folder,
        PYTHONPATH=str(folder / "src"),
        PYTHONDONTWRITEBYTECODE="1",
    )
    counts: Counts = {}
    by_gcov(folder, counts)
    by_coverage(folder, counts)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description="Which lines of the package the suite runs.")
    parser.add_argument("tests", nargs="*", metavar="TEST", help="as pytest takes them")
    parser.add_argument("--least", type=float, default=95.0, help="percent of all lines")
    parser.add_argument("--missing", action="store_true", help="name the lines that did not run")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        # Not by a link: gcc and coverage.py name files as they find them.
        counts = measure(Path(folder).resolve(), arguments.tests)
    return report(counts, arguments.least, arguments.missing)


if __name__ == "__main__":
    sys.exit(main())
