"""What the tools say of wheels and measurements: each fault is found, and nothing else is one."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
TOOLS = ROOT / "tools"


def script(path: Path):
    """A script of this project as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check_wheel = script(TOOLS / "check_wheel.py")
SUFFIX = "cpython-313-x86_64-linux-gnu.so"
LINUX = "tavli_fast-1.0-cp313-cp313-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl"
GOOD = [
    "tavli_fast/__init__.py",
    "tavli_fast/py.typed",
    f"tavli_fast/_kernel_base.{SUFFIX}",
    f"tavli_fast/_kernel_x86_64_v2.{SUFFIX}",
    f"tavli_fast/_kernel_x86_64_v3.{SUFFIX}",
    f"tavli_fast/_kernel_x86_64_v4.{SUFFIX}",
    f"tavli_fast/batch.{SUFFIX}",
    "tavli_fast/batch.pyi",
    "tavli_fast-1.0.dist-info/METADATA",
    "tavli_fast-1.0.dist-info/licenses/LICENSE",
]


def wheel(folder: Path, names: list[str], name: str = LINUX, size: int = 10) -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w") as archive:
        for each in names:
            archive.writestr(each, b"x" * size)
    return path


def test_a_good_wheel_has_no_fault(tmp_path):
    assert check_wheel.faults(wheel(tmp_path, GOOD)) == []


@pytest.mark.parametrize(
    ("platform", "levels", "sound"),
    [
        ("win_amd64", ["base", "x86_64_v3", "x86_64_v4"], True),
        ("win_amd64", ["base", "x86_64_v3"], False),
        ("win_amd64", ["base"], False),
        ("macosx_11_0_x86_64", ["base"], False),
        ("macosx_11_0_x86_64", ["base", "x86_64_v3", "x86_64_v4"], False),
        ("macosx_11_0_arm64", ["base"], True),
        ("macosx_11_0_arm64", ["base", "x86_64_v3"], False),
        ("win_arm64", ["base"], True),
        ("musllinux_1_2_aarch64", ["base"], True),
        ("linux_i686", ["base"], True),
        ("linux_s390x", [], False),
    ],
)
def test_every_level_is_there(tmp_path, platform, levels, sound):
    rest = [each for each in GOOD if "_kernel" not in each]
    names = [*rest, *(f"tavli_fast/_kernel_{level}.pyd" for level in levels)]
    found = check_wheel.faults(wheel(tmp_path, names, f"tavli_fast-1.0-cp313-cp313-{platform}.whl"))
    assert found == [] if sound else "its kernel is for" in found[0]


@pytest.mark.parametrize(
    ("added", "fault"),
    [
        ("tavli_fast/batch.c", "batch.c is not for those who run it"),
        ("tavli_fast/batch.pyx", "batch.pyx is not for those who run it"),
        ("tavli_fast/_record.h", "_record.h is not for those who run it"),
        ("tests/test_batch.py", "lies beside the package"),
        ("tavli_fast/data/corpus.npz", "corpus.npz is not for those who run it"),
        (f"tavli_fast/more.{SUFFIX}", "more has no stub"),
    ],
)
def test_what_does_not_belong_there(tmp_path, added, fault):
    (found,) = check_wheel.faults(wheel(tmp_path, [*GOOD, added]))
    assert fault in found


@pytest.mark.parametrize(
    ("left_out", "fault"),
    [
        ("tavli_fast/py.typed", "py.typed is missing"),
        ("tavli_fast/batch.pyi", "batch has no stub"),
        ("tavli_fast-1.0.dist-info/licenses/LICENSE", "the licence is missing"),
        (f"tavli_fast/batch.{SUFFIX}", "nothing but the kernel is compiled"),
    ],
)
def test_what_is_missing(tmp_path, left_out, fault):
    found = check_wheel.faults(wheel(tmp_path, [each for each in GOOD if each != left_out]))
    assert fault in found


def test_a_large_wheel(tmp_path):
    (found,) = check_wheel.faults(wheel(tmp_path, GOOD, size=200_000))
    assert "are more than 1,500,000" in found


def test_the_list_of_wheels():
    """Each Python that is supported has a wheel on each platform, and no other has."""
    builds = check_wheel.BUILDS.read_text().split()
    assert len(set(builds)) == len(builds)
    platforms = {each.partition("-")[2] for each in builds} - {"pyodide_wasm32"}
    assert platforms == {
        *("manylinux_x86_64", "manylinux_aarch64", "musllinux_x86_64", "musllinux_aarch64"),
        *("macosx_x86_64", "macosx_arm64", "win_amd64", "win_arm64"),
    }
    pythons = {"cp311", "cp312", "cp313", "cp314", "cp314t", "cp315", "cp315t"}
    for platform in platforms:
        assert {each.partition("-")[0] for each in builds if each.endswith(platform)} == pythons


def test_a_release_is_complete_or_not():
    names = [
        f"tavli_fast-1.0-{build.partition('-')[0].rstrip('t')}-{build.partition('-')[0]}-"
        + re.sub(r"(manylinux|musllinux|macosx)_", r"\g<1>_2_28_", build.partition("-")[2])
        + ".whl"
        for build in check_wheel.BUILDS.read_text().split()
        if "pyodide" not in build
    ]
    wheels = [Path(name) for name in names]
    assert check_wheel.incomplete(wheels) == []
    assert check_wheel.incomplete(wheels[1:]) == ["cp311-manylinux_x86_64 is missing"]
    odd = Path("tavli_fast-1.0-cp310-cp310-win_amd64.whl")
    assert check_wheel.incomplete([*wheels, odd]) == ["cp310-win_amd64 is not in wheels.txt"]


def test_status(tmp_path, monkeypatch, capsys):
    path = wheel(tmp_path, GOOD)
    monkeypatch.setattr(sys, "argv", ["check_wheel.py", str(path)])
    assert check_wheel.main() == 0
    assert "as it should be" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["check_wheel.py", "--complete", str(path)])
    assert check_wheel.main() == 1
    assert "cp311-win_arm64 is missing" in capsys.readouterr().out


# Workflows


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.skipif(not WORKFLOWS, reason="there is no source tree here")
def test_actions_are_pinned():
    """A tag can be moved; a commit cannot."""
    used = [
        line.partition("uses:")[2].strip()
        for path in WORKFLOWS
        for line in path.read_text(encoding="utf-8").splitlines()
        if "uses:" in line
    ]
    assert used
    for each in used:
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each), each
    # One version of each.
    assert len({each.partition("@")[0] for each in used}) == len(set(used))


# What is built with


BOUNDS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PINNED = TOOLS / "build-requirements.txt"


def pins() -> dict[str, tuple[str, list[str]]]:
    """The version and the hashes of each project that a release is built with."""
    found = {}
    text = re.sub(r"(?m)^#.*\n", "", PINNED.read_text(encoding="utf-8"))
    for entry in text.replace("\\\n", " ").split("\n"):
        if not entry.strip():
            continue
        pin, *hashes = entry.split()
        name, version = pin.split("==")
        found[name] = version, hashes
    return found


def test_a_release_is_built_with_known_files_alone():
    """All that a build asks for, in a version that it accepts, by the hashes of the files."""
    pinned = pins()
    for text in [*BOUNDS["build-system"]["requires"], "build"]:
        wanted = Requirement(text)
        version, _ = pinned[canonicalize_name(wanted.name)]
        assert wanted.specifier.contains(version), text
    for name, (version, hashes) in pinned.items():
        assert re.fullmatch(r"[\d.]+", version), name
        assert hashes, name
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", each) for each in hashes), name
    # As `--no-deps` leaves out whatever is not listed.
    listed = PINNED.with_suffix(".in").read_text(encoding="utf-8").casefold().splitlines()
    assert {each for each in listed if not each.startswith("#")} <= set(pinned)
    assert {"packaging", "pyproject-hooks"} <= set(pinned), "which `build` needs"


INSTALLED = f"pip install --no-deps --require-hashes -r {{}}tools/{PINNED.name}"


def test_wheels_are_built_with_them():
    settings = BOUNDS["tool"]["cibuildwheel"]
    assert settings["before-build"] == INSTALLED.format("{project}/")
    assert settings["build-frontend"] == {"name": "build", "args": ["--no-isolation"]}


@pytest.mark.skipif(not WORKFLOWS, reason="there is no source tree here")
def test_the_source_distribution_is_built_with_them():
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
    (job,) = re.findall(r"(?ms)^  sdist:\n(.*?)^  \w", text)
    installs = re.findall(r"pip install .*", job)
    assert installs == [INSTALLED.format("")]
    assert "python -m build --sdist --no-isolation" in job
    kept = (ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8")
    assert re.search(r"package-ecosystem: pip\n\s+directory: /tools\n", kept)


# Base against head


def measured(folder: Path, times: dict[str, float], counts: dict[str, float]) -> Path:
    folder.mkdir()
    benchmarks = [{"fullname": name, "stats": {"min": time}} for name, time in times.items()]
    (folder / "benchmarks.json").write_text(json.dumps({"benchmarks": benchmarks}))
    older = {"build": {}, "instructions a roll": {"base": dict.fromkeys(counts, 1.0)}}
    (folder / "instructions.json").write_text(
        json.dumps([older, {"build": {}, "instructions a roll": {"base": counts}}])
    )
    return folder


@pytest.mark.parametrize(
    ("time", "count", "status"),
    [(1.0, 100.0, 0), (1.2, 100.9, 0), (0.5, 50.0, 0), (1.3, 100.0, 1), (1.0, 101.5, 1)],
)
def test_a_slower_head_is_refused(tmp_path, monkeypatch, capsys, time, count, status):
    pytest.importorskip("matplotlib", reason="the chart needs the extra `bench`")
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    versus = script(ROOT / "bench" / "versus.py")
    base = measured(tmp_path / "base", {"a": 1.0, "gone": 1.0}, {"b": 100.0})
    head = measured(tmp_path / "head", {"a": time, "new": 9.0}, {"b": count})
    files = [str(tmp_path / "versus.md"), str(tmp_path / "versus.svg")]
    arguments = [str(base), str(head), "--markdown", files[0], "--svg", files[1]]
    monkeypatch.setattr(sys, "argv", ["versus.py", *arguments])
    assert versus.main() == status
    assert f"2 figures, {status} refused" in capsys.readouterr().out
    table = Path(files[0]).read_text(encoding="utf-8")
    assert table.count("**refused**") == status
    assert "gone" not in table
    assert Path(files[1]).read_text(encoding="utf-8").startswith("<?xml")
