"""How the house is built: who may import whom, who may name a game, and what is shipped."""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.resources
import io
import os
import re
import subprocess
import sys
import tokenize
import tomllib
from pathlib import Path

import pytest

import tavli_fast as tf

SOURCE = Path(__file__).parents[1] / "src" / "tavli_fast"
FILES = sorted(path for path in SOURCE.rglob("*") if path.suffix in {".py", ".pyx", ".pxd", ".pyi"})
MAY_IMPORT = {
    "rules": set(),
    "reference": {"rules"},
    "walls": {"rules"},
    "reasons": set(),
    "notation": {"rules"},
    "ids": {"rules", "notation"},
    "render": {"rules"},
    "layout": {"rules", "notation"},
    "svg": {"rules", "notation", "layout"},
    "files": set(),
    "_kernel": set(),
    "_dispatch": {"rules", "_kernel"},
    "steps": {"_kernel", "_dispatch"},
    "why": {"rules", "reference", "reasons"},
    "position": {
        *("rules", "walls", "reasons", "notation", "ids", "render", "svg", "sharing"),
        *("_kernel", "_dispatch", "steps"),
    },
    "sharing": set(),
    "arrays": {"position"},
    "batch": {"rules", "_kernel", "_dispatch", "position", "arrays"},
    "features": {"rules", "_kernel", "_dispatch", "position", "arrays"},
    "playouts": {"rules", "_kernel", "_dispatch", "position", "arrays", "sharing"},
    "bearoff": {"rules", "files", "position", "arrays", "batch"},
    "match": {"rules", "position"},
    "selfplay": {
        *("rules", "files", "_kernel", "_dispatch", "position", "arrays", "batch", "match"),
        "playouts",
    },
    "generate": {
        *("rules", "position", "sharing", "arrays", "batch", "match", "playouts", "selfplay"),
    },
    "play": {"notation", "position", "match"},
    "speed": {"rules", "position", "batch", "playouts", "generate"},
    "choices": {"rules", "position", "batch", "features", "match"},
    "gnubg_nn": {"rules", "ids", "_kernel", "_dispatch", "position"},
    "open_spiel": {"rules", "render", "position", "arrays", "match", "choices"},
    "pettingzoo": {"rules", "render", "position", "batch", "match", "choices"},
    "gymnasium": {"rules", "render", "batch", "features", "match", "selfplay", "choices"},
    "__main__": {
        *("notation", "ids", "render", "svg", "files"),
        *("bearoff", "match", "play", "speed", "__init__"),
    },
}
"""Nobody imports what stands below him. `__init__` gathers the public names."""


def code(path: Path) -> list[str]:
    """The tokens of a source without comments and docstrings."""
    text = path.read_text(encoding="utf-8")
    kept = []
    fresh = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.NL):
            continue
        if token.type == tokenize.STRING and fresh:
            continue
        fresh = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if not fresh:
            kept.append(token.string)
    return kept


def imports(path: Path) -> set[str]:
    """The modules of this package that a source imports or cimports, stubs and Cython included."""
    text = re.sub(r'("""|\'\'\').*?\1', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"#.*", "", text)
    text = re.sub(r"\(([^()]*)\)", lambda match: match[0].replace("\n", " "), text)
    found = set()
    for line in text.splitlines():
        match = re.match(r"\s*from\s+(\.|tavli_fast)(\.?)(\w*)\s+c?import\s+(.*)", line)
        if match and match[3]:
            found.add(match[3])
        elif match:
            names = re.sub(r"\bas\s+\w+", "", match[4])
            found |= {
                name if name in MAY_IMPORT else "__init__" for name in re.findall(r"\w+", names)
            }
        match = re.match(r"\s*c?import\s+tavli_fast\.(\w+)", line)
        if match:
            found.add(match[1])
        elif re.match(r"\s*c?import\s+tavli_fast\b", line):
            found.add("__init__")
    return found


def module_of(path: Path) -> str:
    return path.name.split(".")[0]


def test_every_source_has_its_place():
    assert {module_of(path) for path in FILES} - {"__init__"} == set(MAY_IMPORT)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_imports_point_down(path):
    module = module_of(path)
    if module == "__init__":
        return
    assert imports(path) - {module} <= MAY_IMPORT[module]


def test_imports_are_seen():
    """The check above is worth nothing if it does not find what is there."""
    assert imports(SOURCE / "reference.py") == {"rules"}
    assert {"_dispatch", "_kernel", "notation", "render", "rules"} <= imports(
        SOURCE / "position.pyx"
    )
    assert "position" in imports(SOURCE / "batch.pyx")


@pytest.mark.parametrize(
    "name", ["rules", "reference", "walls", "notation", "ids", "render", "layout", "svg"]
)
def test_plain_modules_need_the_standard_library_alone(name):
    tree = ast.parse((SOURCE / f"{name}.py").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            tops = {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            tops = {str(node.module).partition(".")[0]}
        else:
            continue
        assert tops <= set(sys.stdlib_module_names) | {"tavli_fast"}


def game_names() -> set[str]:
    names = set(tf.RULESETS)
    for ruleset in tf.RULESETS.values():
        names |= {alias.casefold() for alias in ruleset.aliases} | {ruleset.title.casefold()}
    return names


# `gnubg_nn` stands for a program that plays one game, so it has to say which.
MAY_NAME_A_GAME = {"rules", "__init__", "gnubg_nn"}


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if module_of(path) not in MAY_NAME_A_GAME],
    ids=lambda path: path.name,
)
def test_code_knows_mechanics_and_never_a_game(path):
    words = set(re.findall(r"[^\W\d_]+(?:31)?", " ".join(code(path)).casefold()))
    assert not words & game_names()


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.suffix == ".pyx"], ids=lambda path: path.name
)
def test_only_what_was_looked_at_indexes_without_a_check(path):
    """Without the check a list from outside that is too short is read beyond its end."""
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    unchecked = module_of(path) in ("_kernel", "steps", "position")
    assert ("boundscheck=False" in first) == unchecked
    assert "boundscheck" not in (SOURCE.parents[1] / "setup.py").read_text(encoding="utf-8")


NO_BUSINESS = {
    *("pickle", "marshal", "shelve", "dill", "ctypes", "subprocess"),
    *("socket", "ssl", "http", "urllib", "ftplib", "smtplib", "requests", "xmlrpc"),
}
"""Modules that load code out of data, or talk to others."""


def test_neither_pickles_nor_the_network():
    """Nor what would evaluate a text, or let NumPy load pickles."""
    sources = [path for path in SOURCE.rglob("*") if path.suffix in {".py", ".pyx", ".pxi"}]
    assert len(sources) > 30
    found = set()
    for path in sources:
        text = " ".join(code(path))
        found |= set(re.findall(r"(?:from|import) (\w+)", text))
        assert not re.search(r"(?<!\. )\b(eval|exec|compile|__import__) \(", text), path.name
        loads = re.findall(r"np \. load \(", text)
        assert len(loads) == text.count("allow_pickle = False"), path.name
    assert {"json", "numpy"} <= found
    assert not found & NO_BUSINESS


def test_no_unfinished_business():
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\b(TODO|FIXME|XXX)\b", text), path.name
    forbidden = {"utils", "util", "common", "helpers", "types", "constants", "misc"}
    assert not {module_of(path) for path in FILES} & forbidden


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.suffix == ".pyx"], ids=lambda path: path.name
)
def test_compiled_modules_need_no_gil(path):
    """One that does not say so brings the GIL back for the whole program."""
    directives = re.findall(r"^# cython: (.*)", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert "freethreading_compatible=True" in ", ".join(directives)


# What is shipped


def compiled_modules() -> list[str]:
    """Their names below `tavli_fast`."""
    sources = {path.relative_to(SOURCE).with_suffix("") for path in SOURCE.rglob("*.pyx")}
    return sorted({".".join(source.parts) for source in sources} - {"_kernel"})


def test_every_folder_of_sources_is_shipped():
    text = (SOURCE.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    listed = set(tomllib.loads(text)["tool"]["setuptools"]["packages"])
    folders = {path.parent.relative_to(SOURCE.parent) for path in FILES}
    assert listed == {".".join(folder.parts) for folder in folders}


def test_stubs_and_marker_are_in_the_package():
    package = importlib.resources.files("tavli_fast")
    assert (package / "py.typed").is_file()
    for name in compiled_modules():
        assert (package / f"{name.replace('.', '/')}.pyi").is_file(), name


def test_the_version_is_that_of_the_package():
    assert tf.__version__ == importlib.metadata.version("tavli-fast")


def test_numpy_is_all_that_is_needed_to_run():
    needed = importlib.metadata.requires("tavli-fast") or []
    plain = [each for each in needed if "extra ==" not in each]
    assert [re.match(r"[\w-]+", each)[0] for each in plain] == ["numpy"]


def test_import_needs_nothing_else():
    """No test, benchmark or command-line package is loaded by `import tavli_fast`."""
    program = (
        "import sys, tavli_fast\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules} - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(ast.literal_eval(done.stdout)) - {"__main__", "__mp_main__"}
    assert {name for name in loaded if "cython" not in name.casefold()} == {"numpy", "tavli_fast"}


def test_public_names():
    assert len(set(tf.__all__)) == len(tf.__all__)
    for name in tf.__all__:
        assert hasattr(tf, name)


def test_an_unknown_cpu_level_is_refused_aloud():
    environment = {**os.environ, "TAVLI_FAST_CPU": "quantum"}
    done = subprocess.run(
        [sys.executable, "-c", "import tavli_fast"],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode != 0
    assert "ImportError" in done.stderr
    assert "quantum" in done.stderr
    for level in tf.cpu.built:
        assert level in done.stderr


def test_the_cpu_level_can_be_named():
    for level in ("auto", *tf.cpu.supported):
        environment = {**os.environ, "TAVLI_FAST_CPU": level}
        done = subprocess.run(
            [sys.executable, "-c", "import tavli_fast; print(tavli_fast.cpu.level)"],
            capture_output=True,
            text=True,
            env=environment,
            check=True,
        )
        assert done.stdout.strip() == (tf.cpu.supported[0] if level == "auto" else level)


ARTEFACTS = r"""
.*\.__test__
.*\.__pyx_capi__
.*\.__(reduce|setstate)_cython__
tavli_fast\.\w+\.(POSITION|NEXT_STARTER|PLY_CAP)
"""
"""What Cython adds, and values of other modules that stubtest cannot tell from one's own."""


def test_stubs_say_what_the_compiled_modules_are(tmp_path):
    pytest.importorskip("mypy", reason="stubs are checked where mypy is installed")
    allowed = tmp_path / "allowed"
    allowed.write_text(ARTEFACTS)
    modules = [f"tavli_fast.{name}" for name in compiled_modules()]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy.stubtest", *modules),
            *("--allowlist", str(allowed), "--ignore-unused-allowlist"),
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
