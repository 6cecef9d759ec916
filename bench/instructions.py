"""How many instructions the kernel takes for a roll, against the committed figures.

Callgrind counts what is executed inside the kernel's own file, at every level that Valgrind and
this machine know: nothing of Python, NumPy or the C library, so that every run gives the same
figures. They do depend on the compiler and on the flags that a Python passes to it, and are
compared only with those of the same build; figures of several are kept.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from contestants import one_by_one
from positions import Decisions, corpus, playouts

import tavli_fast as tf

COMMITTED = Path(__file__).with_suffix(".json")

# Valgrind has no AVX-512.
UNKNOWN = {"x86_64_v4"}

# A gain beyond it is refused like a loss: it is to be committed as well.
TOLERANCE = 0.01

# One row in so many: enough rolls for the fixed cost of a call to vanish.
BATCH_EVERY, SINGLE_EVERY = 5, 20

Counts = dict[str, float]


def every(step: int, decisions: Decisions) -> Decisions:
    """Rows from all phases of all games."""
    part = slice(None, None, step)
    ruleset, records, rolls, counts = decisions
    return Decisions(ruleset, records[part], rolls[part], counts[part])


def workloads() -> tuple[dict[str, Decisions], dict[str, Decisions]]:
    """What is counted as a batch each, and what as single calls."""
    plays = {
        "Portes, random play": corpus("random"),
        "Portes, sensible play": corpus("sensible"),
        "Fevga": playouts(tf.FEVGA),
        "Plakoto": playouts(tf.PLAKOTO),
    }
    batches = {f"{name}, batch": every(BATCH_EVERY, play) for name, play in plays.items()}
    singles = {"Portes, random play, single calls": every(SINGLE_EVERY, corpus("random"))}
    return batches, singles


def work(path: str) -> None:
    """Everything once; runs under callgrind, which takes each call of `getppid` for a boundary."""
    batches, singles = pickle.loads(Path(path).read_bytes())
    runs: list[Callable[[], object]] = []
    for ruleset, records, rolls, counts in batches.values():
        out = tf.empty_records(counts.sum())
        runs.append(partial(tf.afterstates, records, rolls, ruleset, out=out))
    for ruleset, records, rolls, _ in singles.values():
        rows = list(zip(tf.from_records(records, ruleset), rolls.tolist(), strict=True))
        runs.append(partial(one_by_one, tf.Position.afterstates, rows))
    for run in runs:
        os.getppid()
        run()
    os.getppid()


def executed_in(library: Path, part: Path) -> int:
    """The instructions that a part of callgrind's output counts in the functions of a library."""
    total, inside, of_callee = 0, False, False
    for line in part.read_text().splitlines():
        if line.startswith("ob="):
            inside = line == f"ob={library}"
        elif line.startswith("calls="):
            of_callee = True
        elif line[:1].isdigit():
            if inside and not of_callee:
                total += int(line.split()[1])
            of_callee = False
    return total


def kernel_file(level: str) -> Path:
    """The compiled kernel of a level."""
    spec = find_spec(f"tavli_fast._kernel_{level}")
    return Path(spec.origin).resolve()


def count(level: str) -> Counts:
    """Kernel instructions a roll, by workload."""
    batches, singles = known = workloads()
    with TemporaryDirectory() as folder:
        inputs, parts = Path(folder, "inputs"), Path(folder, "parts")
        inputs.write_bytes(pickle.dumps(known))
        done = subprocess.run(
            [
                *("valgrind", "--tool=callgrind", f"--callgrind-out-file={parts}"),
                *("--dump-before=getppid", "--compress-strings=no", "--compress-pos=no"),
                *(sys.executable, "-c", "import sys, instructions; instructions.work(sys.argv[1])"),
                str(inputs),
            ],
            cwd=Path(__file__).parent,
            env=os.environ | {"TAVLI_FAST_CPU": level, "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(done.stderr)
        library = kernel_file(level)
        return {
            name: round(executed_in(library, Path(f"{parts}.{number}")) / len(play.rolls), 1)
            # The first part is what comes before the first boundary.
            for number, (name, play) in enumerate({**batches, **singles}.items(), 2)
        }


def build() -> dict[str, str]:
    """What made the kernel, by its own account, with which flags, and for which machine."""
    made = re.search(
        rb"(GCC|clang)[^\0]* (\d+)\.\d+\.\d+[^\0]*\0", kernel_file(tf.cpu.level).read_bytes()
    )
    name, version = (part.decode().lower() for part in made.groups())
    flags = sorted(set(re.findall(r"-[fmO][-\w]+(?=\s|$)", sysconfig.get_config_var("CFLAGS"))))
    return {
        "compiler": f"{name} {version}",
        "machine": platform.machine(),
        "flags": " ".join(flags),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--update", action="store_true", help=f"rewrite {COMMITTED.name}")
    update = parser.parse_args().update
    if not shutil.which("valgrind"):
        sys.exit("valgrind is not installed: nothing is counted")
    levels = [level for level in tf.cpu.supported if level not in UNKNOWN]
    with ThreadPoolExecutor(len(levels)) as pool:
        counts = dict(zip(levels, pool.map(count, levels), strict=True))
    here = build()
    builds = json.loads(COMMITTED.read_text())
    if update:
        builds = [each for each in builds if each["build"] != here]
        builds.append({"build": here, "instructions a roll": counts})
        COMMITTED.write_text(json.dumps(builds, indent=2) + "\n")
    committed = next((each for each in builds if each["build"] == here), None)
    print(f"{', '.join(here.values())}: instructions a roll, now and committed")
    if committed is None:
        print("No figures are committed for this build: NOT COMPARED")
    faults = 0
    for level, found in counts.items():
        for name, now in found.items():
            line = f"{level:12}{name:36}{now:10,.1f}"
            if committed:
                expected = committed["instructions a roll"][level][name]
                change = now / expected - 1
                fault = abs(change) > TOLERANCE
                faults += fault
                line += f"{expected:10,.1f}{change:+9.2%}{'  REFUSED' if fault else ''}"
            print(line)
    if faults:
        sys.exit(
            f"{faults} figures differ by more than {TOLERANCE:.0%}; if that is meant, commit what "
            "`python bench/instructions.py --update` writes"
        )


if __name__ == "__main__":
    main()
