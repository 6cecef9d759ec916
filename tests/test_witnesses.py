"""Positions on which a kernel broken in some small way answers otherwise than the reference.

`witnesses.txt` has one a line: what is asked (`results` of the roll, single `steps` of it, `walls`,
or what all `rolls` can do), the ruleset, with how many checkers where the game has another number,
the roll, and the position. Most were found by `python tests/mutants.py --search`, which tells when
one more is wanted.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from boards import by_reference, by_row, from_position, shown, to_array, to_position
from compare_steps import agree_on_a_walk
from compare_walls import roll_faults, wall_faults
from strategies import with_checkers

import tavli_fast as tf
from tavli_fast import reference
from tavli_fast.reference import Board
from tavli_fast.rules import Ruleset

FILE = Path(__file__).parent / "witnesses.txt"
WALKS = 3


class Witness(NamedTuple):
    what: str
    ruleset: Ruleset
    roll: tuple[int, int]
    board: Board

    def __str__(self) -> str:
        name = str(self.ruleset)
        if self.ruleset.checkers != tf.find_ruleset(name).checkers:
            name += f" with {self.ruleset.checkers}"
        text = to_position(self.board, self.ruleset).text
        return f"{self.what} | {name} | {self.roll[0]}{self.roll[1]} | {text}"


def read(line: str) -> Witness:
    what, name, dice, text = line.split(" | ")
    name, _, checkers = name.partition(" with ")
    ruleset = tf.find_ruleset(name)
    if checkers:
        ruleset = with_checkers(ruleset, int(checkers))
    position = tf.Position.parse(text, ruleset)
    return Witness(what, ruleset, (int(dice[0]), int(dice[1])), from_position(position))


WITNESSES = [read(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def result_faults(witness: Witness) -> list[str]:
    """Seen by the mover and by the next player, and counted; and who has won already."""
    _, ruleset, roll, board = witness
    expected, most = by_reference(board, roll, ruleset)
    record, rolls = to_array([board]), np.array([roll], np.uint8)
    faults = []
    for flip in (False, True):
        found = tf.afterstates(record, rolls, ruleset, flip=flip)
        (results,) = by_row(found)
        wanted = {reference.flip(each) for each in expected} if flip else set(expected)
        faults += [f"missing {shown(each)}" for each in wanted - set(results)]
        faults += [f"wrong {shown(each)}" for each in set(results) - wanted]
        if len(results) != len(wanted):
            faults.append(f"{len(results)} results instead of {len(wanted)}")
        if found.played[0] != most:
            faults.append(f"{found.played[0]} numbers played instead of {most}")
    count = tf.count_afterstates(record, rolls, ruleset)[0]
    if count != len(expected):
        faults.append(f"{count} results counted instead of {len(expected)}")
    points = to_position(board, ruleset).points_won
    if points != reference.points_won(board, ruleset):
        faults.append(f"{points} points instead of {reference.points_won(board, ruleset)}")
    return faults


def step_faults(witness: Witness) -> list[str]:
    _, ruleset, roll, board = witness
    for walk in range(WALKS):
        try:
            agree_on_a_walk(random.Random(walk), board, roll, ruleset)
        except AssertionError as difference:
            return [str(difference)]
    return []


FAULTS: dict[str, Callable[[Witness], list[str]]] = {
    "results": result_faults,
    "steps": step_faults,
    "walls": lambda witness: wall_faults(witness.board, witness.ruleset),
    "rolls": lambda witness: roll_faults(witness.board, witness.ruleset),
}


@pytest.mark.parametrize("what", FAULTS)
def test_witnesses(what):
    some = [witness for witness in WITNESSES if witness.what == what]
    assert some
    for witness in some:
        assert FAULTS[what](witness) == [], str(witness)


def test_lines_are_read_as_they_are_written():
    lines = FILE.read_text(encoding="utf-8").splitlines()
    assert [str(witness) for witness in WITNESSES] == lines
    assert lines == sorted(set(lines))
