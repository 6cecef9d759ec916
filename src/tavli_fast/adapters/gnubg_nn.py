"""The functions of the package gnubg-nn that are about moves and IDs, under the same names.

A script that only moves and converts changes one line, to `from tavli_fast.adapters import
gnubg_nn`, and gets the same values in the same order. gnubg-nn itself is not needed. A board is
two lists of 25 counts, the other side's first: index 0 to 23 is a side's own point 1 to 24, index
24 its bar; who is missing is off. A position key is 20 letters, a position ID 14.

Where gnubg-nn makes something of what is no position (over 15 checkers, a point of both sides, a
die of 7), this raises `ValueError`; so it does for the moves of a game that the other side has
won. What is not here, neural evaluation above all, raises `AttributeError`.

>>> board = board_from_position_id("4HPwATDgc/ABMA")
>>> moves(board, 6, 5)[0], len(moves(board, 6, 5))
('OAHDPAABDAOAHDPAADCA', 7)
>>> moves(board, 6, 5, 1)[0][1]
((24, 18), (18, 13))
"""

from __future__ import annotations

import base64
import random
from collections.abc import Sequence
from functools import lru_cache
from math import comb
from operator import index
from typing import SupportsIndex

from ..batch import afterstates, to_records
from ..ids import parse_gnubg_id
from ..notation import NotationError
from ..position import Position
from ..rules import BACKGAMMON, BAR, OFF

__all__ = [
    "bearoff_id_2_pos",
    "board_from_position_id",
    "board_from_position_key",
    "boardfromid",
    "boardfromkey",
    "key_of_board",
    "moves",
    "position_id",
    "roll",
]

Board = Sequence[Sequence[SupportsIndex]]
Steps = tuple[tuple[int, int], ...]

_POINTS = 25
_CHECKERS = 15
_HOME = 6
_BEAROFF_IDS = comb(_CHECKERS + _HOME, _HOME)
_KEY_BYTES = 10
_OWN, _OPP = slice(1, 26), slice(33, 58)
"""Where a record has the 25 counts of either side."""
_BIAS = int.from_bytes(b"\x80" * _POINTS, "little")
_RUNS = tuple("1" * count + "0" for count in range(_CHECKERS + 1))
_TO_KEY = str.maketrans("0123456789abcdef", "ABCDEFGHIJKLMNOP")
_FROM_KEY = str.maketrans("ABCDEFGHIJKLMNOP", "0123456789abcdef")
_ABSENT = frozenset(
    {
        *("best_move", "bestmove", "pub_best_move", "pub_eval_score", "classify", "probabilities"),
        *("rollout", "cubeful_rollout", "one_checker_race", "evaluate_cube_decision"),
        *("bearoff_probabilities", "equities", "Trainer", "net_load", "net_use", "net_save", "set"),
        *("c_bearoff", "c_contact", "c_crashed", "c_over", "c_race"),
        *("p_0plus1", "p_1sbear", "p_1srace", "p_bearoff", "p_osr", "p_prune", "p_race"),
        *("ro_auto", "ro_bearoff", "ro_over", "ro_race"),
    }
)


def __getattr__(name: str) -> object:
    text = f"module {__name__!r} has no attribute {name!r}"
    if name in _ABSENT:
        text += ": it is for evaluation, which only gnubg-nn itself does"
    raise AttributeError(text)


def moves(
    board: Board, die1: SupportsIndex, die2: SupportsIndex, verbose: SupportsIndex = 0, /
) -> tuple[str, ...] | tuple[tuple[str, Steps], ...]:
    """Return the distinct positions a roll can lead to, seen by the mover, as position keys.

    With `verbose`, each with its steps, as pairs (from, to), 25 the bar and 0 off. The order is
    gnubg-nn's: moves in which `die1` plays the rearmost checker moved come first, and among
    those the rearmost first. A lost turn has none; a game the mover has won has one without
    steps. Raises `ValueError` for what is no board or no roll, and for a game the mover has lost.

    >>> moves([[0] * 24 + [1], [1, 1] + [0] * 23], 2, 1, 1)
    (('AAAAAAABAAAAAAAAAAAA', ((2, 0), (1, 0))), ('AAAAAAAFAAAAAAAAAAAA', ((2, 1), (1, 0))))
    """
    roll = index(die1), index(die2)
    wordy = index(verbose)
    opp, own = _read(board)
    if not any(opp):
        raise ValueError("the game is over: the other side has no checkers left")
    position = Position(BACKGAMMON, _with_off(own), _with_off(opp))
    before = to_records([position])
    after = afterstates(before, [roll], BACKGAMMON)
    if not after.played[0] and any(own):
        return ()
    start = before.tobytes()
    rows = after.positions.tobytes()
    found = []
    for at in range(0, len(rows), len(start)):
        row = rows[at : at + len(start)]
        place, steps = _first_way(start, row, roll)
        found.append((place, [-source for source, _ in steps], _key(row[_OPP], row[_OWN]), steps))
    found.sort()
    if wordy:
        return tuple((key, steps) for *_, key, steps in found)
    return tuple(key for *_, key, _ in found)


def board_from_position_id(pos_id: str, /) -> list[list[int]]:
    """Return the board that a position ID of GNU Backgammon stands for.

    Raises `ValueError` for a text that is none.

    >>> board_from_position_id("sGfwATDgc/ABMA")[0][4:6]
    [2, 4]
    """
    _must_be_text(pos_id)
    own, opp, *_ = parse_gnubg_id(pos_id, BACKGAMMON)
    return [list(opp[1:]), list(own[1:])]


def board_from_position_key(key: str, /) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the board that a position key stands for, as tuples.

    Raises `ValueError` for a text that is none.

    >>> board_from_position_key("OAHDPAABDAOAHDPAABDA")[1].index(2)
    23
    """
    _must_be_text(key)
    if len(key) != 2 * _KEY_BYTES or not set(key) <= set(map(chr, _FROM_KEY)):
        raise ValueError(f"{key!r} is not a position key; one is 20 letters of A to P")
    data = bytes.fromhex(key.translate(_FROM_KEY))
    try:
        opp, own = board_from_position_id(base64.b64encode(data).decode().rstrip("="))
    except NotationError:
        raise ValueError(f"the position key {key!r} is damaged") from None
    return tuple(opp), tuple(own)


def key_of_board(board: Board, /) -> str:
    """Return the position key of a board.

    Raises `ValueError` for what is no board.

    >>> key_of_board(board_from_position_id("4HPwATDgc/ABMA"))
    'OAHDPAABDAOAHDPAABDA'
    """
    return _key(*_read(board))


def position_id(board: Board, /) -> str:
    """Return the position ID of a board.

    Raises `ValueError` for what is no board.

    >>> position_id(board_from_position_key("OAHDPAABDAOAHDPAABDA"))
    '4HPwATDgc/ABMA'
    """
    return base64.b64encode(_bytes(*_read(board))).decode().rstrip("=")


def bearoff_id_2_pos(bearoff_id: SupportsIndex | Sequence[SupportsIndex], /) -> tuple[int, ...]:
    """Return the checkers on the six points of a home that a bear-off ID stands for.

    The IDs 1 to 54,263 list all homes of up to 15 checkers: the fewer come first, and of the same
    number those with the more on point 1, then on point 2 and so on. Six counts stand for
    themselves. Raises `ValueError` for another number.

    >>> bearoff_id_2_pos(8), bearoff_id_2_pos(54263)
    ((1, 1, 0, 0, 0, 0), (0, 0, 0, 0, 0, 15))
    """
    if isinstance(bearoff_id, Sequence) and len(bearoff_id) == _HOME:
        return tuple(map(index, bearoff_id))
    if not isinstance(bearoff_id, SupportsIndex):
        raise TypeError(f"a bear-off ID is a number or six counts, not {bearoff_id!r}")
    place = index(bearoff_id)
    if not 1 <= place < _BEAROFF_IDS:
        raise ValueError(f"a bear-off ID is 1 to {_BEAROFF_IDS - 1}, not {place}")
    # How many homes have so many checkers on so many points.
    left = 0
    while place >= comb(left + _HOME - 1, _HOME - 1):
        place -= comb(left + _HOME - 1, _HOME - 1)
        left += 1
    counts = []
    for points in range(_HOME - 1, 0, -1):
        here = left
        while place >= comb(left - here + points - 1, points - 1):
            place -= comb(left - here + points - 1, points - 1)
            here -= 1
        counts.append(here)
        left -= here
    return (*counts, left)


def roll() -> tuple[int, int]:
    """Return two dice, thrown by Python's module `random`, which is where to seed them.

    >>> all(1 <= die <= 6 for die in roll())
    True
    """
    return random.randint(1, 6), random.randint(1, 6)


boardfromid = board_from_position_id
boardfromkey = board_from_position_key


def _first_way(before: bytes, after: bytes, roll: tuple[int, int]) -> tuple[int, Steps]:
    """Return which die goes first, 0 or 1, and the steps, where a record leads to another."""
    change = int.from_bytes(after[_OWN], "little") - int.from_bytes(before[_OWN], "little")
    ways = _ways(change, roll)
    if len(ways) == 1:
        return ways[0][:2]
    opp, left = before[_OPP], after[_OPP]
    blots_gone = {point for point in range(1, BAR) if opp[point - 1] > left[point - 1]}
    for place, steps, highest in ways:
        met = {BAR - end: opp[BAR - end - 1] for _, end in steps if end != OFF}
        hit = {point for point, count in met.items() if count}
        if hit == blots_gone and all(met[p] == 1 for p in hit) and not any(after[_OWN][highest:]):
            return place, steps
    raise AssertionError(f"no way from {before!r} to {after!r} with {roll}")


@lru_cache(maxsize=32_768)
def _ways(change: int, roll: tuple[int, int]) -> list[tuple[int, Steps, int]]:
    """Return the ways in which a roll may change one side's counts, a byte each, as asked for.

    Every move can be played from the rearmost checker on, with one die first or the other. Ways
    that use all numbers come first: bearing off, one number may seem to do what took two. Last
    comes the point above which nobody may be left, since a number larger than it bears off.
    """
    ways = []
    orders = [roll * 2] if roll[0] == roll[1] else [roll, roll[::-1]]
    for place, dice in enumerate(orders):
        # How many checkers of each point, by its number, still have to leave it.
        leaving = [0, *(128 - byte for byte in (change + _BIAS).to_bytes(_POINTS, "little"))]
        steps = []
        highest = BAR
        for die in dice:
            source = next((point for point in range(BAR, OFF, -1) if leaving[point] > 0), OFF)
            if source == OFF:
                break
            end = max(source - die, OFF)
            leaving[source] -= 1
            leaving[end] += 1
            steps.append((source, end))
            if die > source:
                highest = source
        if not any(leaving[1:]):
            ways.append((-len(steps), place, tuple(steps), highest))
    return [way[1:] for way in sorted(ways)]


def _read(board: Board) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the counts of a board, the other side's and the mover's."""
    try:
        opp, own = (tuple(map(index, side)) for side in board)
    except (TypeError, ValueError):
        raise ValueError("a board is two lists of 25 counts, the other side's first") from None
    for name, side in (("other side", opp), ("mover", own)):
        if len(side) != _POINTS:
            raise ValueError(f"the {name} has {len(side)} counts, not {_POINTS}")
        if min(side) < 0 or sum(side) > _CHECKERS:
            raise ValueError(f"the {name} has {list(side)}; a side has up to {_CHECKERS} checkers")
    return opp, own


def _with_off(side: tuple[int, ...]) -> tuple[int, ...]:
    return (_CHECKERS - sum(side), *side)


def _key(opp: Sequence[int], own: Sequence[int]) -> str:
    return _bytes(opp, own).hex().translate(_TO_KEY)


def _bytes(opp: Sequence[int], own: Sequence[int]) -> bytes:
    """Return as many ones a point as it has checkers and a zero, lowest bit first, as bytes."""
    bits = "".join(map(_RUNS.__getitem__, (*opp, *own)))
    return int(bits[::-1], 2).to_bytes(_KEY_BYTES, "little")


def _must_be_text(given: object) -> None:
    if not isinstance(given, str):
        raise TypeError(f"an ID or a key is a text, not {type(given).__name__}")
