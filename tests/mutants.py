"""Are the tests worth anything? Break the kernel in every small way, and see whether they notice.

    python tests/mutants.py [--only FUNCTION] [--processes 2]
    python tests/mutants.py --search 400

Each mutant is one change of a condition, a mask, a rule or a number in the kernel's source: an
operand of `and`, `or`, `&` or `|` left out, a comparison moved by one or turned round, a `not` left
out, a rule taken for its opposite. All are compiled into one kernel, of which a number
chooses; so a mutant costs a second or less and not a build.

A mutant is killed if one of the suite's tests fails, crashes or takes too long: those on the
positions in `witnesses.txt` are asked first, then those in `SUITE`. Those that live must be
explained in `mutants.toml`, by function and change: most are conditions that only choose a faster
way. The command ends with status 1 if one lives that nobody has explained, or if an explanation is
of no mutant that lives; those explained are asked of `SUITE` only with `--thorough`.

With `--search` so many pairs of each game, of every kind the generators of the tests know, are
asked about the unexplained ones, and for each that answers differently one is printed as a line
for `witnesses.txt`, on which `test_witnesses.py` holds the kernel against the reference.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import importlib
import io
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import boards
import compare
import numpy as np
import pytest
import test_witnesses
from boards import ROLLS, fingerprints, to_array, to_position
from compare_steps import EVERY_STEP
from strategies import arbitrary_board, board_about, few, shaped_board, with_checkers
from test_witnesses import Witness
from tqdm import tqdm

import tavli_fast as tf
from tavli_fast import reference, why
from tavli_fast.rules import OPTIONS, Ruleset

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "tavli_fast"
FILES = [
    "_kernel.pyx",
    *("_turn.pxi", "_steps.pxi", "_bans.pxi", "_mixed.pxi", "_doubles.pxi", "_stops.pxi"),
    *("_count.pxi", "_walls.pxi", "_mobility.pxi", "_game.pxi", "_playouts.pxi", "_features.pxi"),
]
SWITCH = '''
cdef extern from *:
    """
    static int MUTANT = 0;
    #define is_mutant(number) (MUTANT == (number))
    """
    int MUTANT
    int is_mutant(int number) noexcept nogil


def set_mutant(int number):
    global MUTANT
    MUTANT = number

'''
KERNEL = "tavli_fast._kernel_base"
LEFT_ALONE = {"fill_deltas", "add_byte", "add_move", "fill_units", "set_mutant"}
"""Run once at import, before any mutant is chosen."""
EXPLAINED = Path(__file__).parent / "mutants.toml"
SUITE = (
    "test_faults.py test_laws.py test_explain.py test_features.py",
    "test_playouts.py test_selfplay.py",
    "test_cases.py test_perft.py::test_perft_is_what_it_says test_perft.py::test_known_figures",
    "test_batch.py::test_dice_outside_1_to_6 test_batch.py::test_one_row_with_exactly_enough_room"
    " test_batch.py::test_too_small_an_out_says_how_much_is_needed"
    " test_batch.py::test_one_row_with_room_to_spare"
    " test_batch.py::test_results_sent_past_the_caches_are_the_same",
    "test_agreement.py::test_a_checker_on_every_point",
    "test_hostile.py::test_nothing_is_written_beyond_out"
    " test_hostile.py::test_mixed_rolls_that_become_doubles_under_way",
)
"""Tests that judge those mutants which no witness kills, the quickest first."""
PATIENCE = 4
"""How many times as long as with the kernel as it is they may take."""
WAITS = 30
"""Seconds of the day for each of the processor's, on a machine with other work."""


class Mutant(NamedTuple):
    number: int
    function: str
    place: str
    """File and line."""
    statement: str
    """Its expression."""
    change: str

    def __str__(self) -> str:
        told = f"{self.place} {self.function}: {self.change}"
        return told if self.statement in told else f"{told}, in {self.statement}"


def plain(text: str) -> str:
    """An expression on one line."""
    return " ".join(text.split())


# Statements, and where the expression in them is


class Statement(NamedTuple):
    function: str
    line: int
    start: int
    text: str
    """An expression, in Python's grammar and as long as it is in the source."""


STATEMENT = re.compile(
    r"\s*(?:(?:if|elif|while)\s(?P<condition>.*):"
    r"|return\s+(?P<value>\S.*)"
    r"|(?:cdef\s[\w ]+\s\*?)?[\w.\[\]]+\s*(?:[|&^+-]|<<|>>)?=\s(?P<assigned>.*)"
    r"|(?P<call>\w+\(.*\)))\s*",
    re.DOTALL,
)
CAST = re.compile(r"<(?:const )?\w+(?: \*)?>(?=[\w(&])")
ADDRESS = re.compile(r"(?<=[(, =])&(?=\w)")


def blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def statements(text: str) -> Iterator[Statement]:
    """The expressions of all statements of a source, of those that Python can read as well."""
    position, function = 0, ""
    lines = text.splitlines(keepends=True)
    at = 0
    in_docstring = False
    while at < len(lines):
        first, start, whole = at, position, ""
        while True:
            line = lines[at]
            whole += re.sub(r"#.*", blank, line)
            position += len(line)
            at += 1
            quotes = line.count('"""')
            if quotes % 2:
                in_docstring = not in_docstring
            if in_docstring or quotes or at == len(lines):
                break
            if all(whole.count(a) <= whole.count(b) for a, b in ("()", "[]")):
                break
        named = re.match(r"(?:cdef|def)\s(?:.*?)(\w+)\(", whole)
        if named and whole.rstrip().endswith(":"):
            function = named[1]
            continue
        if in_docstring or '"""' in whole or function in LEFT_ALONE | {""}:
            continue
        match = STATEMENT.fullmatch(whole)
        if match is None:
            continue
        group = next(name for name, found in match.groupdict().items() if found is not None)
        expression = ADDRESS.sub(blank, CAST.sub(blank, match[group]))
        if group == "assigned" and "cdef" in whole and ", " in re.sub(r"\(.*\)", "", expression):
            continue
        yield Statement(function, first + 1, start + match.start(group), expression)


# Mutations

TURNED = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
}


class Writer:
    """Writes an expression anew with all its mutations in it."""

    def __init__(self, statement: Statement, original: str, file: str, known: list[Mutant]):
        self.statement, self.original, self.known = statement, original, known
        self.file = file
        self.text = "(" + statement.text + "\n)"
        self.starts = [0, *itertools.accumulate(map(len, self.text.splitlines(keepends=True)))]

    def span(self, node: ast.AST) -> tuple[int, int]:
        start = self.starts[node.lineno - 1] + node.col_offset - 1
        # A cast before it is a part of it.
        cast = re.search(r"<[\w ]+\*?>$", self.original[:start])
        end = self.starts[node.end_lineno - 1] + node.end_col_offset - 1
        return (cast.start() if cast else start), end

    def new(self, change: str) -> str:
        number = len(self.known) + 1
        place = f"{self.file}:{self.statement.line}"
        statement = plain(self.original)
        self.known.append(Mutant(number, self.statement.function, place, statement, plain(change)))
        return f"is_mutant({number})"

    def source(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.original[start:end]

    def write(self, node: ast.AST) -> str:
        """The node's text with its children's mutations and its own."""
        start, end = self.span(node)
        out, at = "", start
        for child in sorted(self.children(node), key=self.span):
            first, last = self.span(child)
            out += self.original[at:first] + self.write_child(node, child)
            at = last
        return self.own(node, out + self.original[at:end])

    def children(self, node: ast.AST) -> list[ast.AST]:
        if isinstance(node, ast.Attribute | ast.Name | ast.Constant):
            return []
        return [each for each in ast.iter_child_nodes(node) if hasattr(each, "lineno")]

    def write_child(self, parent: ast.AST, child: ast.AST) -> str:
        text = self.write(child)
        source = self.source(child)
        if isinstance(parent, ast.BoolOp):
            if isinstance(parent.op, ast.And):
                return f"(({text}) or {self.new(f'and without {source}')})"
            return f"(({text}) and not {self.new(f'or without {source}')})"
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.BitAnd):
            return f"(({text}) | -{self.new(f'& without {source}')})"
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.BitOr):
            return f"(({text}) & ({self.new(f'| without {source}')} - 1))"
        return text

    def own(self, node: ast.AST, text: str) -> str:
        source = self.source(node)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in TURNED:
            left, right = self.source(node.left), self.source(node.comparators[0])
            sign = TURNED[type(node.ops[0])]
            mutant = self.new(f"{source}: {sign}")
            return f"(({text}) if not {mutant} else (({left}) {sign} ({right})))"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"(({text}) != {self.new(f'{source}: without not')})"
        if isinstance(node, ast.Attribute) and re.search(r"\brules\.(?!start\b)\w+$", source):
            if node.attr in ("checkers", "runner_exit", "mother_points", "cascade_from"):
                return f"({text} + {self.new(f'{source} + 1')})"
            return f"(({text} != 0) != {self.new(f'not {source}')})"
        return text


def mutate(text: str, file: str, known: list[Mutant]) -> str:
    """A source with all its mutants in it."""
    out, at = "", 0
    for statement in statements(text):
        try:
            node = ast.parse("(" + statement.text + "\n)", mode="eval").body
        except SyntaxError:
            continue
        end = statement.start + len(statement.text)
        writer = Writer(statement, text[statement.start : end], file, known)
        first, last = writer.span(node)
        out += text[at : statement.start + first] + writer.write(node)
        at = statement.start + last
    return out + text[at:]


def build(folder: Path) -> list[Mutant]:
    """A copy of the package whose only kernel holds all the mutants."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    package = folder / "tavli_fast"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("_kernel_*", "__pycache__"))
    known: list[Mutant] = []
    for file in FILES:
        text = mutate((SOURCE / file).read_text(encoding="utf-8"), file, known)
        if file == "_kernel.pyx":
            text = text.replace('\ninclude "_turn.pxi"', SWITCH + '\ninclude "_turn.pxi"')
        (package / file).write_text(text, encoding="utf-8")
    extension = Extension(
        KERNEL,
        [str(package / "_kernel.pyx")],
        include_dirs=[str(package)],
        extra_compile_args=["-O1", "-g0", "-w"],
    )
    modules = cythonize(
        [extension], build_dir=str(folder / "c"), include_path=[str(folder)], quiet=True
    )
    command = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
    command.build_lib, command.build_temp = str(folder), str(folder / "o")
    command.ensure_finalized()
    command.run()
    return known


# What becomes of a mutant


class Fate(NamedTuple):
    name: str
    """`killed`, `crashed`, `hung` or `lives`."""
    told: str
    """What the process had to tell."""
    seconds: float
    """Of the processor."""


Work = Callable[[], str | None]
"""What it tells is what went wrong; `None` is a sign of life."""


def begin(number: int, seconds: float, work: Work) -> tuple[int, int]:
    """Begin some work with a mutant chosen, in a process of its own; its id, and what it tells."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    importlib.import_module(KERNEL).set_mutant(number)
    limit = int(seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    # And one that waits for ever takes no time of the processor.
    signal.alarm(WAITS * limit)
    try:
        told = work()
    except BaseException as error:
        told = f"{type(error).__name__}: {error}"
    if told is not None:
        os.write(writing, told.encode()[:4000])
    os._exit(0 if told is None else 1)


def end(status: int, used: resource.struct_rusage, reading: int) -> Fate:
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    name = "killed" if status else "lives"
    if os.WIFSIGNALED(status):
        too_long = os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL, signal.SIGALRM)
        name = "hung" if too_long else "crashed"
    return Fate(name, told, used.ru_utime + used.ru_stime)


def in_processes(
    numbers: list[int], seconds: float, work: Work, processes: int, what: str
) -> dict[int, Fate]:
    """The same work with each of many mutants, a few at a time."""
    waiting, under_way, fates = numbers[::-1], {}, {}
    with tqdm(desc=what, total=len(numbers), unit=" mutants", mininterval=5) as bar:
        while waiting or under_way:
            while waiting and len(under_way) < processes:
                number = waiting.pop()
                child, reading = begin(number, seconds, work)
                under_way[child] = number, reading
            child, status, used = os.wait4(-1, 0)
            number, reading = under_way.pop(child)
            fates[number] = end(status, used, reading)
            bar.update()
    return fates


def failing_test(tests: str) -> str | None:
    """The first of some tests to fail."""
    told: list[str] = []

    class Watch:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.failed:
                told.append(report.nodeid)

    paths = [str(Path(__file__).parent / test) for test in tests.split()]
    options = ["-x", "-q", "-p", "no:cacheprovider", "--assert=plain"]
    code = pytest.main([*options, *paths], plugins=[Watch()])
    return told[0] if told else None if code == 0 else f"pytest ends with {code}"


def failing_witness() -> str | None:
    """The first one of `test_witnesses.py` to fail, without the time that pytest takes to start."""
    for witness in test_witnesses.WITNESSES:
        if test_witnesses.FAULTS[witness.what](witness):
            return str(witness)
    return None


def remember_the_reference() -> None:
    """What the reference answered before is not asked anew by every mutant's process."""
    for module, names in (
        (test_witnesses, ["by_reference"]),
        (why, ["why_not_next"]),
        (reference, ["plays_of", "next_steps", "blockade", "walls_of", "forbidden", "primes"]),
    ):
        for name in names:
            setattr(module, name, remembered(getattr(module, name)))


def remembered(function: Callable[..., object]) -> Callable[..., object]:
    kept: dict[object, object] = {}
    alive: list[object] = []

    @functools.wraps(function)
    def ask(*arguments: object) -> object:
        key = tuple(map(frozen, arguments))
        if key not in kept:
            kept[key] = function(*arguments)
            alive.append(arguments)
        return kept[key]

    return ask


def frozen(argument: object) -> object:
    """What stands for an argument; plays are known by the dictionary that they are."""
    if isinstance(argument, dict):
        return id(argument)
    return tuple(argument) if isinstance(argument, list) else argument


def judged(mutants: list[Mutant], processes: int, thorough: bool) -> dict[int, Fate]:
    """By the witnesses, and then by each part of the suite, until something kills."""
    fates: dict[int, Fate] = {}
    living = mutants
    parts = [functools.partial(failing_test, tests) for tests in SUITE]
    for work, what in zip([failing_witness, *parts], ["witnesses", *SUITE], strict=True):
        if not living:
            break
        with contextlib.redirect_stdout(io.StringIO()) as told:
            failure = work()
        if failure:
            sys.exit(f"{failure} fails with the kernel as it is: {told.getvalue()}")
        numbers = [each.number for each in living]
        seconds = PATIENCE * in_processes([0], 3600, work, 1, "as it is")[0].seconds + 2
        fates |= in_processes(numbers, seconds, work, processes, what)
        living = [each for each in living if fates[each.number].name == "lives"]
        if not thorough:
            living = unexplained(living)
    return fates


# Those that live


class Explanation(NamedTuple):
    function: str
    changes: frozenset[str]
    """Empty: any change in `statements`."""
    statements: frozenset[str]
    """Empty: in any statement."""

    def covers(self, mutant: Mutant) -> bool:
        return (
            mutant.function == self.function
            and (not self.changes or mutant.change in self.changes)
            and (not self.statements or mutant.statement in self.statements)
        )


def explanations() -> list[Explanation]:
    """One of each change or statement; those that are told with one reason are several."""
    found = []
    for each in tomllib.loads(EXPLAINED.read_text(encoding="utf-8"))["lives"]:
        if not each["why"] or not (each.get("changes") or each.get("in")):
            sys.exit(f"{EXPLAINED.name}: {each}: no reason, or no change")
        statements = frozenset(map(plain, each.get("in", [])))
        for change in each.get("changes", []):
            found.append(Explanation(each["function"], frozenset([plain(change)]), statements))
        if not each.get("changes"):
            for statement in statements:
                found.append(Explanation(each["function"], frozenset(), frozenset([statement])))
    return found


def unexplained(living: list[Mutant]) -> list[Mutant]:
    known = explanations()
    return [each for each in living if not any(one.covers(each) for one in known)]


def conclude(mutants: list[Mutant], fates: dict[int, Fate], only: str) -> int:
    """Say what came of it; 1 if something is to be done."""
    living = [mutant for mutant in mutants if fates[mutant.number].name == "lives"]
    strange = unexplained(living)
    stale = [
        each
        for each in explanations()
        if not any(each.covers(one) for one in living)
        and (not only or any(each.covers(one) for one in mutants))
    ]
    for mutant in strange:
        print(f"lives, and nobody has said why: {mutant}")
    for each in stale:
        named = ", ".join([*each.changes, *each.statements])
        print(f"explained, but no mutant that lives: {each.function}: {named}")
    counts = Counter(fate.name for fate in fates.values())
    told = ", ".join(f"{count} {name}" for name, count in counts.most_common() if name != "lives")
    print(f"{len(fates)} mutants: {told}, {len(living)} live, {len(strange)} of them unexplained")
    return 1 if strange or stale else 0


# What the library finds out, to search for witnesses

Ask = Callable[[list[Witness]], list[object]]
"""An answer for each."""


def of_each_ruleset(ask: Ask) -> Ask:
    """Ask about the rows of each ruleset together."""

    def ask_all(rows: list[Witness]) -> list[object]:
        of_rules: dict[Ruleset, list[int]] = {}
        for at, row in enumerate(rows):
            of_rules.setdefault(row.ruleset, []).append(at)
        answers: list[object] = [None] * len(rows)
        for places in of_rules.values():
            found = ask([rows[at] for at in places])
            for at, answer in zip(places, found, strict=True):
                answers[at] = answer
        return answers

    return ask_all


def arrays(rows: list[Witness]) -> tuple[np.ndarray, np.ndarray, Ruleset]:
    records = to_array([row.board for row in rows])
    return records, np.array([row.roll for row in rows], np.uint8), rows[0].ruleset


@of_each_ruleset
def results(rows: list[Witness]) -> list[object]:
    counts = tf.count_afterstates(*arrays(rows)).tolist()
    seen = []
    for flip in (False, True):
        found = tf.afterstates(*arrays(rows), flip=flip)
        lengths = np.diff(found.offsets).tolist()
        seen += [lengths, found.played.tolist(), fingerprints(found).tolist()]
    return list(zip(counts, *seen, strict=True))


@of_each_ruleset
def walls(rows: list[Witness]) -> list[object]:
    records, _, ruleset = arrays(rows)
    found = tf.blockades(records, ruleset, rolls=False).tolist()
    return list(zip(found, tf.in_contact(records, ruleset).tolist(), strict=True))


@of_each_ruleset
def rolls(rows: list[Witness]) -> list[object]:
    records, _, ruleset = arrays(rows)
    found = tf.blockades(records, ruleset).tolist()
    return list(zip(found, tf.mobility(records, ruleset).tolist(), strict=True))


def steps(rows: list[Witness]) -> list[object]:
    return [steps_of(to_position(row.board, row.ruleset), row.roll) for row in rows]


def steps_of(position: tf.Position, roll: tuple[int, int]) -> object:
    found = position.next_steps(roll)
    told = [found, position.primes()]
    for played in [[], *([(step.start, step.end)] for step in found)]:
        told.append(position.next_steps(roll, played))
        told.append([position.explain(step, roll, played) for step in EVERY_STEP])
    return told


ASKED: dict[str, Ask] = {"results": results, "walls": walls, "rolls": rolls, "steps": steps}
SHARE = {"results": 1, "walls": 1, "rolls": 0.3, "steps": 0.1}
"""Of the pairs, for the time each takes."""


def some_pairs(ruleset: Ruleset, pairs: int) -> Iterator[tuple[Ruleset, boards.Board]]:
    """So many of a game, a fifth of that about every value of every option, and tiny ones."""
    choose = random.Random(f"mutants {ruleset}")
    for board, _, rules in itertools.islice(compare.pairs(choose, ruleset, True), pairs):
        yield rules, board
    for name in ruleset.options:
        for value in OPTIONS[name]:
            for _ in range(pairs // 5):
                yield ruleset.replace(**{name: value}), board_about(choose, ruleset, name)
    for _ in range(pairs):
        yield compare.variant(choose, ruleset), shaped_board(choose, ruleset, [few])
        tiny = with_checkers(compare.variant(choose, ruleset), choose.randint(1, 6))
        yield tiny, arbitrary_board(choose, tiny)


def search(mutants: list[Mutant], pairs: int, processes: int) -> None:
    """Print a witness against each mutant that has one."""
    choose = random.Random("rolls")
    found = [each for ruleset in tf.RULESETS.values() for each in some_pairs(ruleset, pairs)]
    known = []
    for what, ask in ASKED.items():
        some = choose.sample(found, int(SHARE[what] * len(found)))
        rows = [Witness(what, rules, choose.choice(ROLLS), board) for rules, board in some]
        known.append((ask, rows, ask(rows)))

    def witness() -> str | None:
        for ask, rows, answers in known:
            for row, before, now in zip(rows, answers, ask(rows), strict=True):
                if before != now:
                    return str(row)
        return None

    seconds = PATIENCE * in_processes([0], 3600, witness, 1, "as it is")[0].seconds + 2
    fates = in_processes([each.number for each in mutants], seconds, witness, processes, "search")
    for mutant in mutants:
        fate = fates[mutant.number]
        if fate.name != "lives":
            print(f"{mutant}\n  {fate.name}: {fate.told}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Break the kernel, and see who notices.")
    parser.add_argument("--only", default="", help="a file, a function, or a file and line")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--thorough", action="store_true", help="all judge the explained ones too")
    parser.add_argument("--search", type=int, default=0, metavar="PAIRS", help="of each game")
    parser.add_argument("--fates", type=Path, help="file to write what became of each to")
    arguments = parser.parse_args()
    if not os.environ.get("TAVLI_FAST_MUTANTS"):
        with tempfile.TemporaryDirectory() as folder:
            build(Path(folder))
            environment = {
                **os.environ,
                "TAVLI_FAST_MUTANTS": "1",
                "TAVLI_FAST_CPU": "base",
                "OMP_NUM_THREADS": "1",
                "PYTHONPATH": folder,
            }
            sys.exit(subprocess.run([sys.executable, *sys.argv], env=environment).returncode)
    mutants: list[Mutant] = []
    for file in FILES:
        mutate((SOURCE / file).read_text(encoding="utf-8"), file, mutants)
    names = [{"", each.function, each.place, each.place.split(":")[0]} for each in mutants]
    wanted = [each for each, of in zip(mutants, names, strict=True) if arguments.only in of]
    remember_the_reference()
    fates = judged(wanted, arguments.processes, arguments.thorough)
    if arguments.fates:
        rows = [{**each._asdict(), **fates[each.number]._asdict()} for each in wanted]
        arguments.fates.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    if arguments.search:
        living = [each for each in wanted if fates[each.number].name == "lives"]
        search(unexplained(living), arguments.search, arguments.processes)
    sys.exit(conclude(wanted, fates, arguments.only))


if __name__ == "__main__":
    main()
