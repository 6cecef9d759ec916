"""The adapter with gnubg-nn's names gives what gnubg-nn gives, to the order and the steps.

What can be known without gnubg-nn is tested without it.
"""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest
from boards import ROLLS
from hypothesis import given, settings
from hypothesis import strategies as st
from sections import FLAGS, run_section
from strategies import legal_boards
from test_corpus import CORPORA

import tavli_fast as tf
from tavli_fast.adapters import gnubg_nn as ours

START = "4HPwATDgc/ABMA"
ALL_ORDERS = [(die, other) for die in range(1, 7) for other in range(1, 7)]


@pytest.fixture(scope="module")
def theirs():
    reason = "gnubg-nn is in the extra `bench`, Linux on x86-64"
    return pytest.importorskip("gnubg_nn", reason=reason)


def agree(theirs, board, roll) -> None:
    expected = theirs.moves(board, *roll, 1)
    assert ours.moves(board, *roll, 1) == expected, (board, roll)
    assert ours.moves(board, *roll) == tuple(key for key, _ in expected)


def corpus_boards(step: int) -> list[tuple[list[list[int]], tuple[int, int]]]:
    corpus = CORPORA["backgammon"]()
    sides = [corpus.records[side]["checkers"][::step, 1:] for side in ("opp", "own")]
    rolls = map(tuple, corpus.rolls[::step].tolist())
    return list(zip(np.stack(sides, axis=1).tolist(), rolls, strict=True))


def test_moves_of_the_corpus(theirs):
    for board, roll in corpus_boards(4):
        agree(theirs, board, roll)


def test_moves_with_the_dice_in_either_order(theirs):
    for board, _ in corpus_boards(400):
        for roll in ALL_ORDERS:
            agree(theirs, board, roll)


@settings(max_examples=50)
@given(legal_boards(tf.PORTES))
def test_moves_of_arbitrary_boards(theirs, board):
    sides = [list(board.opp[1:]), list(board.own[1:])]
    for die, other in ROLLS:
        if board.opp[0] == tf.PORTES.checkers:
            with pytest.raises(ValueError, match="the game is over"):
                ours.moves(sides, die, other)
        else:
            agree(theirs, sides, (die, other))
            agree(theirs, sides, (other, die))


def test_keys_and_ids_of_the_corpus(theirs):
    for board, _ in corpus_boards(4):
        key, text = theirs.key_of_board(board), theirs.position_id(board)
        assert (ours.key_of_board(board), ours.position_id(board)) == (key, text)
        assert ours.board_from_position_key(key) == theirs.board_from_position_key(key)
        assert ours.board_from_position_id(text) == theirs.board_from_position_id(text) == board


def test_every_bearoff_id(theirs):
    for place in range(1, 54_264):
        assert ours.bearoff_id_2_pos(place) == theirs.bearoff_id_2_pos(place)


def test_every_name_is_here_or_said_to_be_absent(theirs):
    here = set(ours.__all__)
    assert here <= set(theirs.__all__)
    for name in set(theirs.__all__) - here:
        with pytest.raises(AttributeError, match=f"'{name}': it is for evaluation"):
            getattr(ours, name)
    assert ours.boardfromid is ours.board_from_position_id
    assert ours.boardfromkey is ours.board_from_position_key


def test_an_unknown_name_is_just_unknown():
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        _ = ours.nothing


def test_arrays_and_tuples_are_boards_too():
    board = ours.board_from_position_id(START)
    for other in (np.array(board), np.array(board, np.uint8), tuple(map(tuple, board))):
        assert ours.moves(other, 3, 1) == ours.moves(board, 3, 1)
        assert ours.position_id(other) == START


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda b: ours.moves(b, 7, 1), ValueError, "a roll is two numbers from 1 to 6"),
        (lambda b: ours.moves(b, 0, 1), ValueError, "a roll is two numbers from 1 to 6"),
        (lambda b: ours.moves(b, 3.0, 1), TypeError, "'float' object cannot be interpreted"),
        (lambda b: ours.moves(b, "3", 1), TypeError, "'str' object cannot be interpreted"),
        (lambda b: ours.moves(b, 3), TypeError, "at least 3 positional arguments"),
        (lambda b: ours.moves(b, 3, 1, verbose=1), TypeError, "unexpected keyword argument"),
        (lambda b: ours.moves(None, 3, 1), ValueError, "a board is two lists of 25 counts"),
        (lambda b: ours.moves([b[0]], 3, 1), ValueError, "a board is two lists of 25 counts"),
        (lambda b: ours.moves([b[0][1:], b[1]], 3, 1), ValueError, "other side has 24 counts"),
        (lambda b: ours.moves([b[0], [16] + 24 * [0]], 3, 1), ValueError, "mover has .* up to 15"),
        (lambda b: ours.moves([b[0], [-1] + 24 * [0]], 3, 1), ValueError, "mover has .* up to 15"),
        (lambda b: ours.moves([b[0], [1.5] + 24 * [0]], 3, 1), ValueError, "a board is two lists"),
        (lambda b: ours.moves([b[0], 18 * [0] + [1] + 6 * [0]], 3, 1), ValueError, "both sides"),
        (lambda b: ours.moves([25 * [0], b[1]], 3, 1), ValueError, "the game is over"),
        (lambda b: ours.key_of_board("x"), ValueError, "a board is two lists of 25 counts"),
        (lambda b: ours.position_id(None), ValueError, "a board is two lists of 25 counts"),
        (lambda b: ours.board_from_position_id("4HPw"), ValueError, "not a gnubg position ID"),
        (lambda b: ours.board_from_position_id("/" * 14), ValueError, "is damaged"),
        (lambda b: ours.board_from_position_id(3), TypeError, "a text, not int"),
        (lambda b: ours.board_from_position_key("A"), ValueError, "20 letters of A to P"),
        (lambda b: ours.board_from_position_key("Z" * 20), ValueError, "20 letters of A to P"),
        (lambda b: ours.board_from_position_key("P" * 20), ValueError, "key 'P+' is damaged"),
        (lambda b: ours.board_from_position_key(b"A" * 20), TypeError, "a text, not bytes"),
        (lambda b: ours.bearoff_id_2_pos(0), ValueError, "1 to 54263, not 0"),
        (lambda b: ours.bearoff_id_2_pos(54264), ValueError, "1 to 54263, not 54264"),
        (lambda b: ours.bearoff_id_2_pos("a"), TypeError, "a number or six counts"),
    ],
)
def test_bad_input(call, error, match):
    with pytest.raises(error, match=match):
        call(ours.board_from_position_id(START))


class Clearing:
    """A count that empties the list it is in, while that is read."""

    def __init__(self, side: list) -> None:
        self.side = side

    def __index__(self) -> int:
        self.side.clear()
        return 0


class Liar(int):
    """A number that says of itself what is not true."""

    def __lt__(self, other: object) -> bool:
        return False

    __gt__ = __lt__

    def __add__(self, other: object) -> int:
        return 0

    __radd__ = __add__


def test_a_board_that_misbehaves_is_refused():
    start = ours.board_from_position_id(START)
    side = 25 * [0]
    side[3] = Clearing(side)
    for bad in (side, [Liar(200), *start[0][1:]], [10**5000, *start[0][1:]], [-(2**64), *start[0]]):
        for call in (ours.key_of_board, ours.position_id, lambda board: ours.moves(board, 3, 1)):
            with pytest.raises(ValueError, match=r"the mover has|limit"):
                call([start[0], bad])


@pytest.mark.parametrize("die", [2**31 + 3, 2**32 + 3, 2**64 + 3, -(2**64)])
def test_dice_beyond_a_c_number(die):
    for roll in ((die, 1), (1, die)):
        with pytest.raises(ValueError, match="a roll is two numbers from 1 to 6"):
            ours.moves(ours.board_from_position_id(START), *roll)
    with pytest.raises(ValueError, match="a bear-off ID is 1 to 54263"):
        ours.bearoff_id_2_pos(die)


@given(st.text(max_size=24) | st.text("ABCDEFGHIJKLMNOPé+/", min_size=14, max_size=20))
def test_any_text_is_a_board_or_refused_by_name(text):
    for read in (ours.board_from_position_id, ours.board_from_position_key):
        board, problem = None, ""
        try:
            board = read(text)
        except ValueError as error:
            problem = str(error)
        assert repr(text) in problem if board is None else [len(side) for side in board] == [25, 25]


def test_the_ends_of_a_game():
    some, none = [1] + 24 * [0], 25 * [0]
    assert ours.moves([some, none], 3, 1, 1) == ((ours.key_of_board([some, none]), ()),)
    blocked = [0] * 18 + [2] * 6 + [0]
    assert ours.moves([[*blocked[:24][::-1], 0], 24 * [0] + [1]], 3, 1) == ()


@pytest.mark.thread_unsafe(reason="all share one seed")
def test_dice_can_be_seeded():
    import random

    random.seed(1)
    thrown = [ours.roll() for _ in range(1000)]
    random.seed(1)
    assert thrown == [ours.roll() for _ in range(1000)]
    assert set(thrown) == set(ALL_ORDERS)


@pytest.mark.thread_unsafe(reason="doctest replaces sys.stdout")
def test_examples():
    assert doctest.testmod(importlib.import_module(ours.__name__), optionflags=FLAGS).failed == 0
    page = Path(__file__).parents[1] / "docs" / "adapters.md"
    assert run_section(page, "gnubg-nn").failed == 0
