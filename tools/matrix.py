"""Build and test on one Linux machine what runs on many: CPUs, architectures, Pythons, C libraries.

    python tools/matrix.py --list
    python tools/matrix.py --quick
    python tools/matrix.py --only 's390x|cp315' --json matrix.json
    python tools/matrix.py --markdown matrix.md

Every line ends as passed, failed or skipped with the reason. It needs the extra `package`, and the
Debian packages that a line names when it is skipped without them (mmdebstrap, qemu-user-static,
musl-tools, gcc, make). What was downloaded or built is kept in a cache folder.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import hashlib
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pythons
from check_wheel import BUILDS, faults
from pythons import Python, Unavailable, made_once, needs, run

ROOT = Path(__file__).parents[1]
TARGETS = {
    "x86_64": "x86_64-linux-gnu.2.28",
    "i686": "x86-linux-gnu.2.28",
    "aarch64": "aarch64-linux-gnu.2.28",
    "armv7l": "arm-linux-gnueabihf.2.28",
    "s390x": "s390x-linux-gnu.2.28",
    "riscv64": "riscv64-linux-gnu.2.28",
}
"""Machines as wheels name them, and as the cross compiler does."""
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
FEW = (
    *PYTEST,
    *("tests/test_cases.py", "tests/test_corpus.py", "tests/test_perft.py", "-k"),
    "test_batch or counts_and_fingerprints or lost_turns or known_figures and not reference",
)
"""Every worked position, every decision of the corpora and known perft figures, by the kernel."""
KERNEL = (
    *PYTEST,
    *(f"tests/test_{name}.py" for name in ("cases", "corpus", "perft", "levels")),
    *("-k", "not reference and not any_position"),
)
"""The same files whole, without what is the reference's and no concern of a processor."""
SUITE = (*PYTEST, "tests", *(f"--ignore=tests/test_{name}.py" for name in ("house", "packaging")))
"""All but what is about the source tree, which is not there."""
NEEDED = ("pytest>=8", "hypothesis>=6.100", "tqdm>=4.66")


@dataclass
class Shop:
    """Where the lines of one run work, and what they share."""

    cache: Path
    few_tests: bool
    source: Path = field(init=False)
    sdist: Path = field(init=False)
    building: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Make the source distribution; everything else is built from it."""
        for module in ("build", "setuptools", "Cython", "ziglang", "wheel", "auditwheel"):
            if importlib.util.find_spec(module) is None:
                raise SystemExit(f"{module} is missing: pip install '.[package]'")
        content = hashlib.sha256()
        files = [ROOT / name for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE")]
        sources = (ROOT / "src").rglob("*.*")
        files += sorted(path for path in sources if path.suffix in {".h", ".pxi", ".typed"})
        files += sorted(path for path in (ROOT / "src").rglob("*.py*") if path.suffix != ".pyc")
        for path in files:
            content.update(path.name.encode() + b"\0" + path.read_bytes())
        home = self.cache / "sources" / content.hexdigest()[:16]
        for old in (self.cache / "sources").glob("*"):
            if old != home:
                shutil.rmtree(old)
        with made_once(home) as unfinished:
            if unfinished:
                build = [sys.executable, "-m", "build", "--sdist", "--no-isolation"]
                run([*build, "-o", unfinished, ROOT], self.cache / "logs" / "sdist.log")
        (self.sdist,) = home.glob("*.tar.gz")
        self.source = home / self.sdist.name.removesuffix(".tar.gz")
        if not self.source.exists():
            with tarfile.open(self.sdist) as archive:
                archive.extractall(home, filter="data")

    @property
    def wheels(self) -> Path:
        return self.source.parent / "wheels"


@dataclass
class Outcome:
    """How a line of the matrix ended."""

    name: str
    what: str
    status: str = "passed"
    reason: str = ""
    python: str = ""
    numpy: str = ""
    machine: str = ""
    level: str = ""
    tests: str = ""
    seconds: float = 0.0


class Failed(Exception):
    """What a line of the matrix found wrong."""


# Building


def native_wheel(shop: Shop, folder: Path) -> Path:
    """The wheel as anybody builds it: from the source distribution, by the system's compiler."""
    needs("cc")
    with made_once(folder) as unfinished:
        if unfinished:
            with tempfile.TemporaryDirectory() as place:
                with tarfile.open(shop.sdist) as archive:
                    archive.extractall(place, filter="data")
                (source,) = Path(place).iterdir()
                build = [sys.executable, "-m", "build", "--wheel", "--no-isolation"]
                log = shop.cache / "logs" / "native.log"
                run([*build, "-o", unfinished, source], log)
                repaired(unfinished, "manylinux_2_28_x86_64", log)
    (wheel,) = folder.glob("*.whl")
    return wheel


def repaired(folder: Path, tag: str, log: Path) -> None:
    """Put the wheel in a folder in the hands of auditwheel."""
    (wheel,) = folder.glob("*.whl")
    run([sys.executable, "-m", "auditwheel", "repair", "--plat", tag, "-w", folder, wheel], log)
    wheel.unlink()


def cross_wheel(shop: Shop, python: Python) -> Path:
    """A wheel for any Python on any machine, by a cross compiler."""
    target = "x86_64-linux-musl" if python.musl else TARGETS.get(python.machine)
    if target is None:
        raise Unavailable(f"no cross compiler is known for {python.machine}")
    folder = shop.wheels / f"{python.abi}-{target}"
    log = shop.cache / "logs" / f"{folder.name}.log"
    with made_once(folder) as unfinished, tempfile.TemporaryDirectory() as place:
        if unfinished:
            compiler = f"{sys.executable} -m ziglang cc -target {target}"
            headers = f" -idirafter {python.root}/usr/include" if python.root else ""
            # One source folder serves all, so that its C is made once; the rest is kept apart.
            settings = Path(place) / "settings.cfg"
            settings.write_text(
                f"[build]\nbuild_base = {place}/build\n[build_ext]\nparallel = {os.cpu_count()}\n"
            )
            environment = os.environ | {
                "CC": compiler,
                "LDSHARED": f"{compiler} -shared -s",
                "CFLAGS": f"-I{python.include}{headers}",
                "SETUPTOOLS_EXT_SUFFIX": python.suffix,
                "TAVLI_FAST_MACHINE": python.machine,
                "_PYTHON_HOST_PLATFORM": f"linux-{python.machine}",
                "DIST_EXTRA_CONFIG": str(settings),
            }
            build = [sys.executable, "-m", "build", "--wheel", "--no-isolation"]
            run([*build, "-o", place, shop.source], log, env=environment)
            (wheel,) = Path(place).glob("*.whl")
            tags = [f"--python-tag={python.tag}", f"--abi-tag={python.abi}"]
            # Of musl auditwheel knows nothing where it runs under GNU's C library.
            system = "musllinux_1_2" if python.musl else "linux"
            tags += [f"--platform-tag={system}_{python.machine}"]
            run([sys.executable, "-m", "wheel", "tags", "--remove", *tags, wheel], log)
            (wheel,) = Path(place).glob("*.whl")
            shutil.copy(wheel, unfinished)
            if system == "linux" and python.machine == "x86_64":
                repaired(unfinished, "manylinux_2_28_x86_64", log)
    (wheel,) = folder.glob("*.whl")
    return wheel


def dependencies(shop: Shop, python: Python, numpy: str, log: Path) -> Path:
    """A folder with what the tests need, for a Python that has no pip of its own."""
    key = hashlib.sha256(repr((python.abi, python.musl, python.machine, numpy)).encode())
    folder = shop.cache / "dependencies" / key.hexdigest()[:16]
    with made_once(folder) as unfinished:
        if unfinished:
            pip = [sys.executable, "-m", "pip", "install", "-q", "--only-binary=:all:"]
            pip += [f"--target={unfinished}", f"--python-version={python.version}"]
            # The newest that is pure Python: what is compiled comes late to new Pythons.
            run([*pip, "--platform=any", "--implementation=py", "--abi=none", *NEEDED], log)
            if numpy:
                names = ["musllinux_1_2"] if python.musl else ["manylinux_2_28", "manylinux2014"]
                pip += [f"--platform={name}_{python.machine}" for name in names]
                pip += ["--implementation=cp", f"--abi={python.abi}", "--no-deps"]
                # That is compared with the Python that runs pip.
                run([*pip, "--ignore-requires-python", numpy], log)
    return folder


# Testing


def wheel_under(
    get: Callable[[Path], Python],
    *,
    numpy: str = "numpy",
    levels: tuple[str, ...] = ("base",),
    native: bool = False,
    tests: tuple[str, ...] = KERNEL,
) -> Callable[[Shop, Outcome], None]:
    """A line: the installed wheel under a Python, without compiler and source tree.

    `numpy` is what to install, nothing if the Python has its own; one of `levels` has to run.
    """

    def check(shop: Shop, outcome: Outcome) -> None:
        log = shop.cache / "logs" / f"line-{outcome.name}.log"
        log.unlink(missing_ok=True)
        with shop.building:
            python = get(shop.cache)
            outcome.python = python.version + "t" * python.free_threaded
            outcome.machine = f"{python.machine}, {python.bits} bits, {python.byte_order} endian"
            wheel = (
                native_wheel(shop, shop.wheels / "native") if native else cross_wheel(shop, python)
            )
            needed = None if python.has_venv else dependencies(shop, python, numpy, log)
        # The same place every time, so that what was compiled there is found again.
        folder = shop.cache / "lines" / outcome.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        environment = {
            # Under an emulator most of the time would go to compiling what is imported.
            "PYTHONPYCACHEPREFIX": str(shop.cache / "bytecode" / python.abi),
            "TAVLI_FAST_EXPECT_CPU": ",".join(levels),
            "HOME": str(folder),
            "LC_ALL": "C.UTF-8",
        }
        command = python.command
        if needed is None:
            run([command, "-m", "venv", "--without-pip", folder / "venv"], log)
            command = folder / "venv" / "bin" / "python"
            pip = [sys.executable, "-m", "pip", "--python", command, "install", "-q"]
            run([*pip, "--only-binary=:all:", wheel, *NEEDED, numpy], log)
        else:
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder / "wheel")
            environment["PYTHONPATH"] = f"{folder / 'wheel'}:{needed}"
        # The Python and nothing else: neither a compiler nor the tools of this machine.
        environment["PATH"] = str(command.parent)
        copy_tests(folder / "run")
        about = [str(command), "-c", ABOUT]
        done = subprocess.run(
            about, capture_output=True, text=True, env=environment, cwd=folder / "run"
        )
        if done.returncode:
            raise Failed(done.stderr.strip().rpartition("\n")[2])
        told = json.loads(done.stdout)
        outcome.python, outcome.numpy, outcome.level = (
            told[name] for name in ("python", "numpy", "level")
        )
        if outcome.level not in levels:
            raise Failed(f"level {outcome.level} runs, not {' or '.join(levels)}")
        if python.free_threaded and told["gil"]:
            raise Failed("the GIL came back")
        selection = FEW if shop.few_tests else tests
        outcome.tests = counted([command, *selection], log, environment, folder / "run")

    return check


ABOUT = """
import json, platform, sys, numpy, tavli_fast
print(json.dumps({
    "python": platform.python_version(), "numpy": numpy.__version__,
    "level": tavli_fast.cpu.level, "gil": getattr(sys, "_is_gil_enabled", lambda: True)(),
}))
"""


def copy_tests(folder: Path) -> None:
    """The tests, their settings and the texts that they read; no source of the library."""
    folder.mkdir()
    ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=ignored)
    for name in ("docs", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for path in [ROOT / "pyproject.toml", *ROOT.glob("*.md")]:
        shutil.copy(path, folder)


def counted(command: list[object], log: Path, environment: dict[str, str], cwd: Path) -> str:
    """Run tests; how many passed and were skipped, in words."""
    before = log.stat().st_size if log.exists() else 0
    failed = None
    try:
        run(command, log, env=environment, cwd=cwd)
    except subprocess.CalledProcessError as error:
        failed = error
    output = log.read_bytes()[before:].decode("utf-8", "replace")
    ends = re.findall(r"^(?:=+ )?(\d+ \w+.*?) in [\d.]+s", output, flags=re.MULTILINE)
    if failed or not ends or "passed" not in ends[-1]:
        raise Failed(f"{ends[-1] if ends else output.strip()[-200:]}; see {log}")
    return re.sub(r", \d+ deselected", "", ends[-1])


def instrumented(kind: str, flags: str) -> Callable[[Shop, Outcome], None]:
    """A line: a build that checks itself, under the Python that runs this."""

    def check(shop: Shop, outcome: Outcome) -> None:
        needs("cc")
        log = shop.cache / "logs" / f"line-{outcome.name}.log"
        log.unlink(missing_ok=True)
        outcome.python, outcome.machine = platform.python_version(), platform.machine()
        with tempfile.TemporaryDirectory(prefix="tavli-fast-") as place:
            folder = Path(place)
            environment = os.environ | {"TAVLI_FAST_CHECKED": "1" if kind == "checked" else "0"}
            if flags:
                environment |= {"CFLAGS": flags, "LDFLAGS": flags}
            with shop.building:
                run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], log)
                command = folder / "venv" / "bin" / "python"
                pip = [sys.executable, "-m", "pip", "--python", command, "install", "-q"]
                run([*pip, "setuptools>=77", "Cython>=3.3.1,<3.4", "numpy", *NEEDED], log)
                with tarfile.open(shop.sdist) as archive:
                    archive.extractall(folder, filter="data")
                (source,) = (path for path in folder.iterdir() if (path / "setup.py").exists())
                build = [*pip, "--no-build-isolation", "--no-deps", source]
                run(build, log, env=environment)
                shutil.rmtree(source)
            if flags:
                library = subprocess.run(
                    ["cc", "-print-file-name=libasan.so"],
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout.strip()
                environment |= {
                    # CPython itself leaks by design, and its own allocator hides overruns.
                    "LD_PRELOAD": library,
                    "ASAN_OPTIONS": "detect_leaks=0",
                    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
                    "PYTHONMALLOC": "malloc",
                }
            copy_tests(folder / "run")
            selection = FEW if shop.few_tests else KERNEL
            outcome.tests = counted([command, *selection], log, environment, folder / "run")

    return check


def without_numpy(get: Callable[[Path], Python]) -> Callable[[Shop, Outcome], None]:
    """A line: what needs no NumPy, in many threads, under a Python that has none."""

    def check(shop: Shop, outcome: Outcome) -> None:
        log = shop.cache / "logs" / f"line-{outcome.name}.log"
        log.unlink(missing_ok=True)
        with shop.building:
            python = get(shop.cache)
            wheel = cross_wheel(shop, python)
        outcome.python = f"{python.version}{'t' * python.free_threaded}"
        outcome.machine = python.machine
        with tempfile.TemporaryDirectory(prefix="tavli-fast-") as place:
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(place)
            environment = {"PYTHONPATH": place, "PYTHONDONTWRITEBYTECODE": "1"}
            script = Path(__file__).with_name("without_numpy.py")
            command = [python.command, script, ROOT / "tests"]
            outcome.tests = counted(command, log, environment, Path(place))
            told = re.search(r"^level (\S+); (\d+ modules)", log.read_text(), flags=re.MULTILINE)
            outcome.level = told[1]
            outcome.tests = f"{told[2]} imported, {outcome.tests}"

    return check


def described(shop: Shop, outcome: Outcome) -> None:
    """A line: workflows, metadata and the list of wheels are what their own tools accept."""
    log = shop.cache / "logs" / f"line-{outcome.name}.log"
    log.unlink(missing_ok=True)
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    schema = ["check-jsonschema", "--builtin-schema"]
    commands = [
        [*schema, "vendor.github-workflows", *workflows],
        [*schema, "vendor.dependabot", ROOT / ".github" / "dependabot.yml"],
        ["actionlint", *workflows],
        ["zizmor", "--offline", "--persona=pedantic", ROOT / ".github"],
        ["validate-pyproject", ROOT / "pyproject.toml"],
        ["repo-review", ROOT],
        # The files that a release is built with are those whose hashes are kept.
        [
            *("pip", "download", "-q", "--no-deps", "--require-hashes"),
            *("-d", shop.cache / "pinned", "-r", ROOT / "tools" / "build-requirements.txt"),
        ],
    ]
    for command in commands:
        if shutil.which(command[0]) is None:
            raise Unavailable(f"{command[0]} is missing: pip install '.[package]'")
        run(command, log)
    found = []
    for name, machines in BUILT_ON.items():
        done = subprocess.run(
            [
                *("cibuildwheel", "--print-build-identifiers"),
                *("--platform", name, "--archs", machines, str(ROOT)),
            ],
            capture_output=True,
            text=True,
            check=True,
        )
        found += done.stdout.split()
    if differ := sorted(set(found) ^ set(BUILDS.read_text().split())):
        raise Failed(f"cibuildwheel and {BUILDS.name} differ: {', '.join(differ)}")
    outcome.tests = f"{len(commands)} tools, {len(found)} builds"


BUILT_ON = {
    "linux": "x86_64,aarch64",
    "macos": "arm64,x86_64",
    "windows": "AMD64,ARM64",
    "pyodide": "wasm32",
}
"""The platforms of cibuildwheel, and the machines of each that there are wheels for."""


def contents(wheel: Path) -> dict[str, str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def reproduced(shop: Shop, outcome: Outcome) -> None:
    """A line: the same wheel comes of the same source, in another folder and at another time."""
    with shop.building:
        first = contents(native_wheel(shop, shop.wheels / "native"))
        second = contents(native_wheel(shop, shop.wheels / "native-again"))
    shutil.rmtree(shop.wheels / "native-again")
    differ = sorted(
        name for name in first.keys() | second.keys() if first.get(name) != second.get(name)
    )
    if differ:
        raise Failed(f"these differ: {', '.join(differ)}")
    outcome.python, outcome.machine = platform.python_version(), platform.machine()
    outcome.tests = f"{len(first)} files equal"


def audited(shop: Shop, outcome: Outcome) -> None:
    """A line: what a wheel may and must hold, of those built here that are of a published kind."""
    for module in ("twine", "check_wheel_contents"):
        if importlib.util.find_spec(module) is None:
            raise Unavailable(f"{module} is missing: pip install '.[package]'")
    log = shop.cache / "logs" / f"line-{outcome.name}.log"
    log.unlink(missing_ok=True)
    with shop.building:
        native_wheel(shop, shop.wheels / "native")
    # The cross compiler adds much of its own to the others.
    wheels = sorted(shop.wheels.glob("*/*m*linux_*.whl"))
    for wheel in wheels:
        if found := faults(wheel):
            raise Failed(f"{wheel.name}: {'; '.join(found)}")
    run([sys.executable, "-m", "check_wheel_contents", *wheels], log)
    run([sys.executable, "-m", "twine", "check", "--strict", shop.sdist, *wheels], log)
    outcome.tests = f"{len(wheels)} wheels"


@dataclass(frozen=True)
class Line:
    """A line of the matrix; quick ones are run with few tests for every change."""

    name: str
    what: str
    check: Callable[[Shop, Outcome], None]
    quick: bool = False


def host(version: str) -> Callable[[Path], Python]:
    return lambda cache: pythons.installed(version, cache)


HERE = "{}.{}".format(*sys.version_info)
V2, V3 = ("x86_64_v2",), ("x86_64_v3",)
# Of the machine this runs on.
NATIVE = (*V3, "x86_64_v4")
LINES = (
    Line(
        "native",
        "built by the system's compiler, repaired, installed into an empty environment",
        wheel_under(host(HERE), native=True, levels=NATIVE, tests=SUITE),
        quick=True,
    ),
    Line("reproducible", "a second build of the same source is the same", reproduced, quick=True),
    Line(
        "conroe",
        "Intel of 2006 (x86-64-v1)",
        wheel_under(pythons.emulated(HERE, "Conroe"), numpy="numpy<2", native=True),
        quick=True,
    ),
    Line(
        "nehalem",
        "Intel of 2008 (x86-64-v2)",
        wheel_under(pythons.emulated(HERE, "Nehalem"), native=True, levels=V2),
    ),
    Line(
        "haswell",
        "Intel of 2013 (x86-64-v3)",
        wheel_under(pythons.emulated(HERE, "Haswell"), native=True, levels=V3),
    ),
    Line(
        "epyc-rome",
        "AMD of 2019 (x86-64-v3, slow PEXT)",
        wheel_under(pythons.emulated(HERE, "EPYC-Rome"), native=True, levels=V3),
    ),
    Line(
        "aarch64",
        "Arm with 64 bits",
        wheel_under(pythons.debian("trixie", "3.13", "arm64"), numpy=""),
    ),
    Line(
        "armhf",
        "Arm with 32 bits",
        wheel_under(pythons.debian("trixie", "3.13", "armhf"), numpy=""),
        quick=True,
    ),
    Line(
        "i386",
        "x86 with 32 bits",
        wheel_under(pythons.debian("trixie", "3.13", "i386"), numpy=""),
    ),
    Line(
        "s390x",
        "big-endian",
        wheel_under(pythons.debian("bookworm", "3.11", "s390x"), numpy=""),
        quick=True,
    ),
    Line(
        "riscv64",
        "RISC-V",
        wheel_under(pythons.debian("trixie", "3.13", "riscv64"), numpy=""),
    ),
    Line(
        "numpy-1.26",
        "the oldest NumPy",
        wheel_under(host(HERE), numpy="numpy<2", native=True, levels=NATIVE),
    ),
    Line("cp312", "CPython 3.12", wheel_under(host("3.12"), levels=NATIVE)),
    Line("cp313", "CPython 3.13", wheel_under(host("3.13"), levels=NATIVE)),
    Line(
        "cp314",
        "CPython 3.14",
        wheel_under(pythons.debian("forky", "3.14", "amd64"), levels=NATIVE),
    ),
    Line(
        "cp315",
        "CPython 3.15",
        wheel_under(pythons.debian("forky", "3.15", "amd64"), levels=NATIVE, tests=SUITE),
    ),
    Line(
        "cp313t",
        "CPython 3.13 without the GIL",
        # The last NumPy that has wheels for it.
        wheel_under(
            pythons.from_source("3.13", "trixie", ("--disable-gil",)),
            numpy="numpy<2.5",
            levels=NATIVE,
        ),
    ),
    Line(
        "musl",
        "the musl C library, without NumPy",
        without_numpy(pythons.with_musl("3.13", "trixie", "bookworm")),
    ),
    Line("checked", "bounds checks, C assertions, traps", instrumented("checked", "")),
    Line(
        "sanitized",
        "AddressSanitizer and UBSan",
        instrumented("sanitized", "-fsanitize=address,undefined -fno-sanitize=alignment"),
    ),
)
LAST = (
    Line("project", "workflows, metadata, the list of wheels", described, quick=True),
    Line("audit", "contents, metadata and size of the wheels built", audited, quick=True),
)


def ended(line: Line, shop: Shop) -> Outcome:
    outcome = Outcome(line.name, line.what)
    started = time.monotonic()
    try:
        line.check(shop, outcome)
    except Unavailable as error:
        outcome.status, outcome.reason = "skipped", str(error)
    except Failed as error:
        outcome.status, outcome.reason = "failed", str(error)
    except subprocess.CalledProcessError as error:
        command = " ".join(map(str, error.cmd))
        outcome.status, outcome.reason = "failed", f"{command[:120]}: exit {error.returncode}"
    outcome.seconds = round(time.monotonic() - started, 1)
    told = outcome.reason or f"{outcome.tests}, {outcome.level or 'no level'}"
    print(f"{outcome.name:13} {outcome.status:8} {outcome.seconds:6.1f} s  {told}", flush=True)
    return outcome


def table(outcomes: list[Outcome]) -> str:
    """The outcomes as a table in Markdown."""
    rows = [["line", "what", "machine", "Python", "NumPy", "level", "result"]]
    rows += [["---"] * len(rows[0])]
    for each in outcomes:
        result = f"{each.status}: {each.reason or each.tests}"
        rows.append(
            [each.name, each.what, each.machine, each.python, each.numpy, each.level, result]
        )
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="print the lines, and which are quick")
    parser.add_argument("--few-tests", action="store_true", help="the kernel's main tests alone")
    parser.add_argument("--quick", action="store_true", help="the quick lines, with few tests")
    parser.add_argument("--only", metavar="PATTERN", help="lines whose name matches")
    parser.add_argument("--jobs", type=int, default=2, help="lines at a time (default: 2)")
    parser.add_argument("--strict", action="store_true", help="a line that is skipped is a failure")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the outcomes to FILE")
    parser.add_argument("--markdown", metavar="FILE", type=Path, help="write the table to FILE")
    default = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    parser.add_argument(
        "--cache",
        metavar="FOLDER",
        type=Path,
        default=Path(default, "tavli-fast-matrix"),
        help="where downloads and builds are kept (default: %(default)s)",
    )
    arguments = parser.parse_args()
    chosen = [
        line
        for line in (*LINES, *LAST)
        if (line.quick or not arguments.quick)
        and (arguments.only is None or re.fullmatch(arguments.only, line.name))
    ]
    if arguments.list:
        for line in chosen:
            print(f"{line.name:13} {'quick' if line.quick else '':6} {line.what}")
        return 0
    if not chosen:
        parser.error(f"no line matches {arguments.only!r}; --list prints them")
    if sys.platform != "linux" or platform.machine() != "x86_64":
        parser.error("this needs Linux on x86-64")
    shop = Shop(arguments.cache.resolve(), arguments.quick or arguments.few_tests)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        outcomes = list(pool.map(lambda line: ended(line, shop), set_apart(chosen, LINES)))
    outcomes += [ended(line, shop) for line in set_apart(chosen, LAST)]
    print("\n" + table(outcomes))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(each) for each in outcomes], indent=1) + "\n")
    if arguments.markdown:
        arguments.markdown.write_text(table(outcomes))
    states = [each.status for each in outcomes]
    print(", ".join(f"{states.count(state)} {state}" for state in ("passed", "failed", "skipped")))
    return int("failed" in states or (arguments.strict and "skipped" in states))


def set_apart(chosen: list[Line], of: tuple[Line, ...]) -> list[Line]:
    return [line for line in of if line in chosen]


if __name__ == "__main__":
    sys.exit(main())
