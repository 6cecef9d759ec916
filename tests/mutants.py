"""Are the tests worth anything? Break the kernel in every small way, and see whether they notice.

    python tests/mutants.py [--pairs 400] [--rolls 60] [--only FUNCTION]

Each mutant is one change of a condition, a mask, a rule or a number in the kernel's source: an
operand of `and`, `or`, `&` or `|` left out, a comparison moved by one or turned round, a `not` left
out, a rule taken for its opposite. All are compiled into one kernel, of which a number
chooses; so a mutant costs a tenth of a second and not a build.

A mutant is killed if anything the library finds out differs, crashes or takes too long: on
positions like those of `compare.py`, on which the kernel as it is has first been held against the
reference, and, if it lives on, on five times as many. Those that still live are told with their
place. Most are no faults: a condition that only chooses a faster way, or bits that can never be set
where they are masked; see `docs/trust.md`.
"""

from __future__ import annotations

import argparse
import ast
import functools
import importlib
import itertools
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import compare
import compare_walls
import numpy as np
from boards import ROLLS, fingerprints, to_array, to_position
from strategies import board_about
from tqdm import tqdm

import tavli_fast as tf
from tavli_fast.reference import Board
from tavli_fast.rules import OPTIONS, Ruleset

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "tavli_fast"
FILES = [
    "_kernel.pyx",
    *("_turn.pxi", "_steps.pxi", "_bans.pxi", "_mixed.pxi", "_doubles.pxi", "_stops.pxi"),
    *("_count.pxi", "_walls.pxi", "_mobility.pxi"),
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
LEFT_ALONE = {"fill_deltas", "add_byte", "add_move", "set_mutant"}
"""Run once at import, before any mutant is chosen."""
SLOW = 20
"""Seconds of the processor after which a mutant is taken to hang; the kernel as it is takes one."""


class Mutant(NamedTuple):
    number: int
    function: str
    place: str
    """File and line."""
    change: str


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
        self.known.append(Mutant(number, self.statement.function, place, " ".join(change.split())))
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
        if isinstance(node, ast.Attribute) and re.search(r"\brules\.\w+$", source):
            if node.attr in ("checkers", "runner_exit"):
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


# What the library finds out, from positions known before any mutant is chosen


Question = tuple[int, Callable[[], object]]
"""How late to ask it, and how."""


class Group(NamedTuple):
    """The pairs that are judged by the same rules."""

    records: np.ndarray
    rolls: np.ndarray
    ruleset: Ruleset


def questions(ruleset: Ruleset, pairs: int, rolls: int) -> list[Question]:
    rows = judged(ruleset, pairs)
    of_rules: dict[Ruleset, list[compare.Pair]] = {}
    for row in rows:
        of_rules.setdefault(row[2], []).append(row)
    groups = [
        Group(
            to_array([board for board, _, _ in some]),
            np.array([roll for _, roll, _ in some], np.uint8),
            rules,
        )
        for rules, some in of_rules.items()
    ]
    with_rolls: dict[Ruleset, list[Board]] = {}
    for board, rules in compare_walls.some_positions(1, ruleset, rolls):
        with_rolls.setdefault(rules, []).append(board)
    choose = random.Random(f"bad records of {ruleset}")
    bad = np.concatenate([groups[0].records] * 8)
    data = bad.view(np.uint8).reshape(-1, 64)
    for row in range(len(bad)):
        for _ in range(choose.choice([1, 1, 2])):
            byte = choose.choice([choose.randrange(64), choose.choice([28, 30, 31, 60, 62, 63])])
            data[row, byte] = choose.choice([0, 1, 2, 64, 128, 255, choose.randrange(256)])
    return [
        (0, functools.partial(results, groups, False)),
        (1, functools.partial(counts, groups)),
        (2, functools.partial(walls, groups)),
        (3, functools.partial(results, groups, True)),
        (4, functools.partial(faults, bad, ruleset)),
        (
            5,
            functools.partial(
                escapes, [(to_array(some), each) for each, some in with_rolls.items()]
            ),
        ),
        (6, functools.partial(in_hand, choose.sample(rows, rolls // 4))),
    ]


def results(groups: list[Group], flip: bool) -> object:
    found = [tf.afterstates(*group, flip=flip) for group in groups]
    lengths = np.concatenate([np.diff(each.offsets) for each in found])
    whole = tf.Afterstates(
        np.concatenate([each.positions for each in found]),
        np.concatenate([[0], lengths.cumsum()]),
        np.concatenate([each.played for each in found]),
    )
    return lengths.tobytes(), whole.played.tobytes(), fingerprints(whole).tobytes()


def counts(groups: list[Group]) -> object:
    return [tf.count_afterstates(*group).tobytes() for group in groups]


def walls(groups: list[Group]) -> object:
    return [
        (
            tf.blockades(records, ruleset, rolls=False).tobytes(),
            tf.in_contact(records, ruleset).tobytes(),
        )
        for records, _, ruleset in groups
    ]


def escapes(groups: list[tuple[np.ndarray, Ruleset]]) -> object:
    return [(tf.blockades(*group).tobytes(), tf.mobility(*group).tobytes()) for group in groups]


def faults(records: np.ndarray, ruleset: Ruleset) -> object:
    found = []
    for row in range(len(records)):
        try:
            tf.check_records(records[row : row + 1], ruleset)
        except tf.IllegalPosition as error:
            found.append(str(error))
        else:
            found.append("")
    return found


def in_hand(some: list[compare.Pair]) -> object:
    """Moves, next steps and walls of single positions, and a perft."""
    told = []
    for board, roll, rules in some:
        position = to_position(board, rules)
        steps = position.next_steps(roll)
        told.append(
            (
                sorted(
                    (move.after.own, move.after.opp, len(move.steps))
                    for move in position.moves(roll)
                ),
                steps,
                position.next_steps(roll, steps[:1]),
                position.primes(),
                position.perft(1, weighted=True),
            )
        )
    return told


def verdict(number: int, asked: list[tuple[Callable[[], object], object]]) -> str:
    """What becomes of a mutant, in a process of its own: `killed`, `crashed`, `hung` or `lives`."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        importlib.import_module(KERNEL).set_mutant(number)
        resource.setrlimit(resource.RLIMIT_CPU, (SLOW, SLOW))
        try:
            for ask, answer in asked:
                if ask() != answer:
                    os._exit(1)
        except BaseException:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        too_long = os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
        return "hung" if too_long else "crashed"
    return "killed" if os.WEXITSTATUS(status) else "lives"


def judged(ruleset: Ruleset, pairs: int) -> list[compare.Pair]:
    """So many pairs of a game, and a fifth of that about every value of every option."""
    choose = random.Random(f"mutants {ruleset}")
    rows = list(itertools.islice(compare.pairs(choose, ruleset, True), pairs))
    for name in ruleset.options:
        for value in OPTIONS[name]:
            changed = ruleset.replace(**{name: value})
            for _ in range(pairs // 5):
                rows.append((board_about(choose, ruleset, name), choose.choice(ROLLS), changed))
    return rows


def agree(pairs: int) -> None:
    """Hold the kernel as it is against the reference, on the positions that judge the mutants."""
    for ruleset in tqdm(tf.RULESETS.values(), unit=" games", mininterval=1):
        block = judged(ruleset, pairs)
        differ = compare.differing(compare.answers(block, compare.AUTHORITIES[0]))
        if differ:
            sys.exit(compare.report(*differ[0], compare.AUTHORITIES[0]))


def answered(pairs: int, rolls: int) -> list[tuple[Callable[[], object], object]]:
    found = [each for row in tf.RULESETS.values() for each in questions(row, pairs, rolls)]
    found.sort(key=lambda question: question[0])
    return [(ask, ask()) for _, ask in found]


def judge(mutants: list[Mutant], pairs: int, rolls: int) -> None:
    """In a process that has loaded the kernel with all the mutants in it."""
    agree(pairs)
    fates: Counter[str] = Counter()
    for times in (1, 5):
        asked = answered(times * pairs, times * rolls)
        living = []
        for mutant in tqdm(mutants, unit=" mutants", mininterval=1):
            fate = verdict(mutant.number, asked)
            if fate == "lives":
                living.append(mutant)
            else:
                fates[fate] += 1
        mutants = living
    for mutant in living:
        print(f"{mutant.place} {mutant.function}: {mutant.change}")
    told = ", ".join(f"{count} {fate}" for fate, count in fates.items())
    print(f"{fates.total() + len(living)} mutants: {told}, {len(living)} live")


def main() -> None:
    parser = argparse.ArgumentParser(description="Break the kernel, and see who notices.")
    parser.add_argument("--pairs", type=int, default=400, help="a game")
    parser.add_argument("--rolls", type=int, default=60, help="positions a game, with all rolls")
    parser.add_argument("--only", default="", help="a file, a function, or a file and line")
    arguments = parser.parse_args()
    loaded = os.environ.get("TAVLI_FAST_MUTANTS")
    if loaded:
        mutants: list[Mutant] = []
        for file in FILES:
            mutate((SOURCE / file).read_text(encoding="utf-8"), file, mutants)
        names = [{"", each.function, each.place, each.place.split(":")[0]} for each in mutants]
        wanted = [each for each, of in zip(mutants, names, strict=True) if arguments.only in of]
        judge(wanted, arguments.pairs, arguments.rolls)
        return
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        environment = {
            **os.environ,
            "TAVLI_FAST_MUTANTS": "1",
            "TAVLI_FAST_CPU": "base",
            "PYTHONPATH": folder,
        }
        sys.exit(subprocess.run([sys.executable, *sys.argv], env=environment).returncode)


if __name__ == "__main__":
    main()
