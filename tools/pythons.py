"""Where the Pythons of the matrix come from: this machine, a Debian root, or CPython's source.

Each is a command that behaves as any `python` does, also when it starts itself again: where an
emulator or a loader must go first, a small shell script does that and hands on its own name.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

# As this machine's own mirror may be a snapshot; what is unpacked here is thrown away again.
ANY_DATE = 'Acquire::Check-Valid-Until "false"'
KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
EMULATED = {"amd64": "x86_64", "arm64": "aarch64", "armhf": "arm", "i386": "i386"}
"""QEMU's names of Debian's architectures, where they differ."""
PROBE = """
import json, platform, struct, sys, sysconfig
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2],
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "machine": "i686" if struct.calcsize("P") == 4 and platform.machine() == "x86_64"
    else platform.machine(),
    "suffix": sysconfig.get_config_var("EXT_SUFFIX"),
    "include": sysconfig.get_paths()["include"],
    "byte_order": sys.byteorder,
    "bits": 8 * struct.calcsize("P"),
}))
"""


class Unavailable(Exception):
    """What a line of the matrix needs and cannot get here."""


class Python(NamedTuple):
    """A Python that runs here, and what a compiler must know to build for it."""

    command: Path
    version: str
    free_threaded: bool
    machine: str
    suffix: str
    include: str
    byte_order: str
    bits: int
    root: Path | None = None
    """The Debian root it lives in."""
    has_venv: bool = False

    @property
    def tag(self) -> str:
        return "cp" + self.version.replace(".", "")

    @property
    def abi(self) -> str:
        return self.tag + "t" * self.free_threaded

    @property
    def musl(self) -> bool:
        return "musl" in self.suffix


def run(command: list[object], log: Path, **options) -> None:
    """Run a command with its output going to a file; a failure is `CalledProcessError`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as output:
        print("$", shlex.join(map(str, command)), file=output, flush=True)
        subprocess.run(
            list(map(str, command)),
            check=True,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            **options,
        )


@contextlib.contextmanager
def made_once(path: Path) -> Iterator[Path | None]:
    """Yield where to make a folder of the cache, or None if it is there; no half of it stays."""
    if path.exists():
        yield None
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f"{path.name}.", dir=path.parent))
    try:
        yield unfinished
        unfinished.rename(path)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def needs(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            raise Unavailable(f"{program} is not installed")


def asked(command: Path, **known) -> Python:
    """What a Python says of itself."""
    done = subprocess.run([str(command), "-c", PROBE], capture_output=True, text=True)
    if done.returncode:
        raise Unavailable(f"{command.name} does not start: {done.stderr.strip()[-200:]}")
    return Python(command, **json.loads(done.stdout) | known)


def script(path: Path, settings: dict[str, object], command: list[object]) -> Path:
    """A shell script that runs a command with its own arguments behind."""
    lines = ["#!/bin/sh"]
    # NumPy's own choice for this machine is wrong for an emulated one.
    lines += ["unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE"]
    lines += [f"export {name}={shlex.quote(str(value))}" for name, value in settings.items()]
    lines += [f'exec {" ".join(map(str, command))} "$@"', ""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")
    path.chmod(0o755)
    return path


def installed(version: str, cache: Path) -> Python:
    """A Python of this machine: the one that runs this, one on the path, or one of pyenv."""
    found = [sys.executable] if "{}.{}".format(*sys.version_info) == version else []
    found += [shutil.which(f"python{version}") or ""]
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    found += sorted(glob.glob(f"{pyenv}/versions/{version}.*/bin/python{version}"))
    for command in filter(None, found):
        with contextlib.suppress(Unavailable):
            python = asked(Path(command), has_venv=True)
            if python.version == version and not python.free_threaded:
                return python
    raise Unavailable(f"no Python {version} on this machine")


def emulated(version: str, cpu: str) -> Callable[[Path], Python]:
    """A Python of this machine on another x86-64 processor."""

    def get(cache: Path) -> Python:
        needs("qemu-x86_64-static")
        python = installed(version, cache)
        done = subprocess.run(
            [python.command, "-c", "import sys; print(sys._base_executable)"],
            capture_output=True,
            text=True,
            check=True,
        )
        command = [shutil.which("qemu-x86_64-static"), "-cpu", cpu, "-0", '"$0"']
        command += [shlex.quote(done.stdout.strip())]
        path = script(cache / "bin" / f"python{version}-{cpu}", {}, command)
        return python._replace(command=path, has_venv=False)

    return get


def debian(suite: str, version: str, machine: str) -> Callable[[Path], Python]:
    """Debian's Python, out of an unpacked root; behind an emulator where the machine is another."""

    def get(cache: Path) -> Python:
        native = machine == "amd64"
        emulator = f"qemu-{EMULATED.get(machine, machine)}-static"
        needs("mmdebstrap", *([] if native else [emulator]))
        name = f"{suite}-{machine}-{version}"
        root = cache / "roots" / name
        # NumPy's wheels are for this machine alone.
        packages = ["base-files", f"python{version}", f"libpython{version}-dev", "libstdc++6"]
        packages += [] if native else ["python3-numpy"]
        with made_once(root) as unfinished:
            if unfinished:
                command = ["mmdebstrap", "--variant=extract", f"--architectures={machine}"]
                command += [f"--aptopt={ANY_DATE}", '--aptopt=Acquire::Retries "3"']
                command += [f"--include={','.join(packages)}"]
                # The suite alone: its updates are of no use here, and may be on their way.
                command += [suite, unfinished, *debian_source("deb", suite)]
                run(command, cache / "logs" / f"{name}.log")
        (triplet,) = (path.name for path in (root / "usr" / "lib").glob("*-linux-gnu*"))
        if native:
            command = [root / "usr" / "lib64" / "ld-linux-x86-64.so.2", "--argv0", '"$0"']
            command += ["--library-path", root / "usr" / "lib" / triplet]
        else:
            libraries = root / "usr" / "lib" / triplet
            folders = f"{libraries / 'blas'}:{libraries / 'lapack'}"
            command = [shutil.which(emulator), "-L", root, "-0", '"$0"']
            command += ["-E", f"LD_LIBRARY_PATH={folders}"]
        command.append(root / "usr" / "bin" / f"python{version}")
        # Full paths here and above: an emulator does not look into the root at every system call.
        settings = {"PYTHONHOME": root / "usr"}
        return asked(script(cache / "bin" / f"python-{name}", settings, command), root=root)

    return get


def from_source(version: str, suite: str, flags: tuple[str, ...] = ()) -> Callable[[Path], Python]:
    """CPython as Debian keeps its source, built with flags of one's own."""

    def get(cache: Path) -> Python:
        needs("apt-get", "make", "cc")
        name = f"{version}{''.join(flags)}"
        home = cache / "pythons" / name
        log = cache / "logs" / f"python{name}.log"
        # Where it is made is where it stays: CPython remembers its place.
        if not (home / "done").exists():
            shutil.rmtree(home, ignore_errors=True)
            with tempfile.TemporaryDirectory() as folder:
                source = unpacked(f"python{version}", suite, Path(folder), log)
                configure = ["./configure", "-q", f"--prefix={home}", "--without-ensurepip"]
                run([*configure, "--disable-test-modules", *flags], log, cwd=source)
                run(["make", "-s", f"-j{os.cpu_count()}"], log, cwd=source)
                run(["make", "-s", "install"], log, cwd=source)
            (home / "done").touch()
        return asked(home / "bin" / f"python{version}")

    return get


def with_musl(version: str, suite: str, zlib_suite: str) -> Callable[[Path], Python]:
    """CPython and the zlib it needs, built with the musl C library in place of GNU's."""

    def get(cache: Path) -> Python:
        needs("apt-get", "make", "musl-gcc")
        home = cache / "pythons" / f"{version}-musl"
        log = cache / "logs" / f"python{version}-musl.log"
        if not (home / "done").exists():
            shutil.rmtree(home, ignore_errors=True)
            with tempfile.TemporaryDirectory() as folder:
                # CPython asks the compiler for its platform, and this one answers GNU's.
                compiler = Path(folder) / "musl"
                compiler.write_text(
                    '#!/bin/sh\n[ "$1" = --print-multiarch ] && exec echo x86_64-linux-musl\n'
                    'exec musl-gcc "$@"\n'
                )
                compiler.chmod(0o755)
                settings = os.environ | {"CC": str(compiler), "CFLAGS": "-O2 -fPIC"}
                source = unpacked("zlib", zlib_suite, Path(folder), log)
                configure = ["./configure", f"--prefix={home}"]
                run([*configure, "--static"], log, cwd=source, env=settings)
                run(["make", "-s", "install"], log, cwd=source, env=settings)
                settings |= {"ZLIB_CFLAGS": f"-I{home}/include", "ZLIB_LIBS": f"-L{home}/lib -lz"}
                # This machine's libraries are made for its own C library.
                settings["PKG_CONFIG_LIBDIR"] = folder
                source = unpacked(f"python{version}", suite, Path(folder), log)
                configure += ["-q", "--without-ensurepip", "--disable-test-modules"]
                run(configure, log, cwd=source, env=settings)
                run(["make", "-s", f"-j{os.cpu_count()}"], log, cwd=source, env=settings)
                run(["make", "-s", "install"], log, cwd=source, env=settings)
            (home / "done").touch()
        return asked(home / "bin" / f"python{version}")

    return get


def debian_source(kind: str, suite: str) -> list[str]:
    """The line that names a suite at the Debian mirror of this machine, if it has one."""
    if not shutil.which("apt-get") or not KEYS.exists():
        return []
    asked_for = ["Created-By: Packages", "Origin: Debian", "Label: Debian"]
    mirrors = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", *asked_for],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    return [f"{kind} [signed-by={KEYS}] {mirror} {suite} main" for mirror in mirrors[:1]]


def unpacked(package: str, suite: str, folder: Path, log: Path) -> Path:
    """The source of a Debian package as its authors published it, checked by apt's signatures."""
    place = folder / package
    for part in ("lists/partial", "cache/archives/partial", "source"):
        (place / part).mkdir(parents=True)
    origin = debian_source("deb-src", suite)
    if not origin:
        raise Unavailable("apt knows no Debian here: apt-get update was not run, or another system")
    sources = place / "sources.list"
    sources.write_text("".join(f"{line}\n" for line in origin))
    options = {
        "Dir::Etc::sourcelist": sources,
        "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": place / "lists",
        "Dir::Cache": place / "cache",
        "APT::Sandbox::User": "root",
        "Acquire::Check-Valid-Until": "false",
    }
    apt = ["apt-get", *(f"-o{name}={value}" for name, value in options.items())]
    run([*apt, "update"], log)
    run([*apt, "source", "--download-only", package], log, cwd=place)
    (archive,) = (path for path in place.glob("*.orig.tar.*") if path.suffix != ".asc")
    run(["tar", "-C", place / "source", "--strip-components=1", "-xf", archive], log)
    return place / "source"
