"""What a wheel may and must hold: `python tools/check_wheel.py dist/*.whl`.

A level of the kernel that was not built would go unseen: the library would run, only slower.
"""

from __future__ import annotations

import argparse
import re
import sys
import zipfile
from pathlib import Path, PurePosixPath

MOST_BYTES = 1_500_000
BUILDS = Path(__file__).with_name("wheels.txt")
"""What cibuildwheel builds, a line each."""
PACKAGE = "tavli_fast"
COMPILED = {".so", ".pyd"}
PLAIN = {".py", ".pyi"}
WINDOWS = {"base", "x86_64_v3", "x86_64_v4"}
LEVELS = {"amd64": WINDOWS, "x86_64": WINDOWS | {"x86_64_v2"}}
"""The levels a wheel has, by the end of its platform tag; of other machines the baseline alone."""


def faults(wheel: Path) -> list[str]:
    """What is wrong with a wheel, in words; nothing if it is as it should be.

    >>> faults(Path("missing.whl"))
    ['no such wheel']
    """
    if not wheel.is_file():
        return ["no such wheel"]
    found = []
    if wheel.stat().st_size > MOST_BYTES:
        found.append(f"{wheel.stat().st_size:,} bytes are more than {MOST_BYTES:,}")
    with zipfile.ZipFile(wheel) as archive:
        names = [PurePosixPath(name) for name in archive.namelist() if not name.endswith("/")]
    inside = [name for name in names if name.parts[0] == PACKAGE]
    beside = [name for name in names if name.parts[0] != PACKAGE]
    modules = {name.name.partition(".")[0] for name in inside if name.suffix in COMPILED}
    for name in inside:
        if name.suffix not in COMPILED | PLAIN and name.name != "py.typed":
            found.append(f"{name} is not for those who run it")
    for name in beside:
        if not re.fullmatch(PACKAGE + r"-[^/]+\.dist-info", name.parts[0]):
            found.append(f"{name} lies beside the package")
    levels = {name.removeprefix("_kernel_") for name in modules if name.startswith("_kernel_")}
    platform = wheel.stem.rpartition("-")[2].split(".")[0].lower()
    wanted = next((levels for end, levels in LEVELS.items() if platform.endswith(end)), {"base"})
    if levels != wanted:
        found.append(f"its kernel is for {sorted(levels)}, not for {sorted(wanted)}")
    if modules == {f"_kernel_{level}" for level in levels}:
        found.append("nothing but the kernel is compiled")
    texts = {str(name) for name in inside}
    for module in sorted(modules):
        folder = next(name.parent for name in inside if name.name.startswith(f"{module}."))
        if not module.startswith("_kernel_") and f"{folder}/{module}.pyi" not in texts:
            found.append(f"{module} has no stub")
    if f"{PACKAGE}/py.typed" not in texts:
        found.append("py.typed is missing")
    if not any(name.parts[1:] == ("licenses", "LICENSE") for name in beside):
        found.append("the licence is missing")
    return found


def identifier(wheel: Path) -> str:
    """What cibuildwheel calls the build that a wheel comes of.

    >>> identifier(Path("x-1-cp314-cp314t-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl"))
    'cp314t-manylinux_x86_64'
    >>> identifier(Path("x-1-cp311-cp311-win_amd64.whl"))
    'cp311-win_amd64'
    """
    *_, abi, platforms = wheel.stem.split("-")
    return f"{abi}-" + re.sub(r"(?<=[a-z])(_\d+)+(?=_)", "", platforms.partition(".")[0])


def incomplete(wheels: list[Path]) -> list[str]:
    """What a release lacks, or has over the list beside this file; Pyodide's are not published."""
    wanted = [each for each in BUILDS.read_text().split() if "pyodide" not in each]
    there = [identifier(wheel) for wheel in wheels]
    return [f"{each} is missing" for each in wanted if each not in there] + [
        f"{each} is not in {BUILDS.name}" for each in there if each not in wanted
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("wheels", metavar="WHEEL", nargs="+", type=Path)
    parser.add_argument(
        "--complete", action="store_true", help=f"they must be those that {BUILDS.name} lists"
    )
    arguments = parser.parse_args()
    told = {wheel.name: faults(wheel) for wheel in arguments.wheels}
    if arguments.complete:
        told["the release"] = incomplete(arguments.wheels)
    for name, found in told.items():
        print(f"{name}: {'; '.join(found) or 'as it should be'}")
    return int(any(told.values()))


if __name__ == "__main__":
    sys.exit(main())
