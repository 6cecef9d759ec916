"""Worked positions and reported faults with every legal result: `data/README.md` tells whence."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from boards import by_row, from_position, same_results, to_array, to_position

import tavli_fast as tf
from tavli_fast import reference
from tavli_fast.reference import Board

FILES = sorted((Path(__file__).parent / "data" / "cases").glob("*.json.gz"))
ROWS_OF = {
    "backgammon": 29,
    "fevga": 49,
    "gioul": 1,
    "gul_bara": 3,
    "long_nardy": 25,
    "plakoto": 24,
    "portes": 31,
}


def rows(path: Path) -> list[dict]:
    return json.loads(gzip.decompress(path.read_bytes()))


def to_board(sides: dict) -> Board:
    return Board(
        tuple(sides["own"]),
        tuple(sides["opp"]),
        frozenset(sides["own_pinned"]),
        frozenset(sides["opp_pinned"]),
    )


CASES = [
    pytest.param(row, id=f"{row['id']}-{row['ruleset']}") for path in FILES for row in rows(path)
]


@pytest.fixture(params=CASES)
def case(request):
    """The row's board, both orders of its roll, its ruleset, its results, and whether it passes."""
    row = request.param
    return (
        to_board(row["position"]),
        [tuple(row["roll"]), tuple(row["roll"][::-1])],
        tf.find_ruleset(row["ruleset"]),
        [to_board(result) for result in row["results"]],
        row["pass"],
    )


def test_every_file_is_complete():
    assert {path.name.split(".")[0]: len(rows(path)) for path in FILES} == ROWS_OF


def test_reference(case):
    board, rolls, ruleset, results, passes = case
    for roll in rolls:
        same_results(results, reference.afterstates(board, roll, ruleset), board, roll, ruleset)
        assert (reference.numbers_played(board, roll, ruleset) == 0) == passes
        assert (reference.moves(board, roll, ruleset) == [()]) == passes


def test_position(case):
    board, rolls, ruleset, results, passes = case
    position = to_position(board, ruleset)
    for roll in rolls:
        found = [from_position(after) for after in position.afterstates(roll)]
        same_results(results, found, board, roll, ruleset)
        moves = position.moves(roll)
        found = [from_position(move.after) for move in moves]
        same_results(results, found, board, roll, ruleset)
        assert ([move.steps for move in moves] == [()]) == passes


def test_batch(case):
    board, rolls, ruleset, results, passes = case
    dice = np.array(rolls, dtype=np.uint8)
    records = to_array([board] * len(rolls))
    found = tf.afterstates(records, dice, ruleset)
    flipped = tf.afterstates(records, dice, ruleset, flip=True)
    turned = [reference.flip(result) for result in results]
    for roll, row, flipped_row in zip(rolls, by_row(found), by_row(flipped), strict=True):
        same_results(results, row, board, roll, ruleset)
        same_results(turned, flipped_row, board, roll, ruleset)
    assert ((found.played == 0) == passes).all()
    assert (flipped.played == found.played).all()
