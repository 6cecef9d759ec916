"""Boards as the tests speak of them, and the ways from there into the library and back.

A board is a `reference.Board`. Records are written byte by byte from the published layout, so that
the layout itself is tested with everything else.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast import reference
from tavli_fast.reference import Board
from tavli_fast.rules import Contact, Movement, Ruleset

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
"""The 21 distinct rolls in the order of `tf.ALL_ROLLS`."""

PORTES_OPENINGS = dict(
    zip(
        ROLLS,
        [42, 15, 75, 16, 17, 73, 14, 18, 17, 52, 8, 8, 9, 9, 4, 10, 14, 14, 14, 7, 11],
        strict=True,
    )
)
"""Results of each roll from the start of Portes and backgammon; known to every generator."""


def counts(points: Mapping[int, int], checkers: int = 15) -> tuple[int, ...]:
    """The 26 counts of a side; whoever is not named is off."""
    side = [points.get(point, 0) for point in range(26)]
    side[0] += checkers - sum(side)
    return tuple(side)


def board(own: Mapping[int, int], opp: Mapping[int, int], checkers: int = 15) -> Board:
    return Board(counts(own, checkers), counts(opp, checkers), frozenset(), frozenset())


def facing(movement: Movement, point: int) -> int:
    """The number by which the other side knows my point 1 to 24."""
    if movement is Movement.CONTRARY:
        return 25 - point
    return point + 12 if point <= 12 else point - 12


def pack(board: Board) -> bytes:
    """The 64 bytes of a record: for own, then opp, 26 counts, two spare bytes, the pinned mask."""
    return (
        bytes(board.own) + _behind(board.own_pinned) + bytes(board.opp) + _behind(board.opp_pinned)
    )


@functools.lru_cache(256)
def _behind(pinned: frozenset[int]) -> bytes:
    return bytes(2) + sum(1 << point for point in pinned).to_bytes(4, "little")


def unpack(record: bytes) -> Board:
    sides = [
        (tuple(half[:26]), int.from_bytes(half[28:], "little"))
        for half in (record[:32], record[32:])
    ]
    (own, own_mask), (opp, opp_mask) = sides
    return Board(own, opp, _points(own_mask), _points(opp_mask))


def _points(mask: int) -> frozenset[int]:
    return frozenset(point for point in range(32) if mask >> point & 1)


def to_array(boards: Iterable[Board]) -> np.ndarray:
    """Boards as records, without the help of the library's own converters."""
    packed = b"".join(pack(board) for board in boards)
    return np.frombuffer(bytearray(packed), dtype=tf.POSITION)


def from_array(records: np.ndarray) -> list[Board]:
    data = records.tobytes()
    return [unpack(data[i : i + 64]) for i in range(0, len(data), 64)]


def as_bytes(records: np.ndarray) -> np.ndarray:
    """(n, 64) uint8."""
    return records.view(np.uint8).reshape(-1, 64)


def fnv_1a(data: np.ndarray) -> np.ndarray:
    """FNV-1a-64 of each row of bytes, by the corpora's basis."""
    hashes = np.full(len(data), 1469598103934665603, dtype=np.uint64)
    for column in data.T:
        hashes ^= column
        hashes *= np.uint64(1099511628211)
    return hashes


def fingerprints(found: tf.Afterstates, columns: np.ndarray | slice = slice(None)) -> np.ndarray:
    """Of each row's results in any order: the sum of their hashes, (n,) uint64."""
    # As NumPy cuts: by numbers of the machine's own size.
    starts = found.offsets[:-1].astype(np.intp)
    return np.add.reduceat(fnv_1a(as_bytes(found.positions)[:, columns]), starts)


def fingerprints_of(found: Sequence[Sequence[Board]]) -> np.ndarray:
    """The same of results as boards, a sequence of them a row."""
    hashes = fnv_1a(as_bytes(to_array(itertools.chain.from_iterable(found))))
    sums = np.append(np.uint64(0), np.cumsum(hashes, dtype=np.uint64))
    return np.diff(sums[np.cumsum([0, *map(len, found)])])


def to_position(board: Board, ruleset: Ruleset) -> tf.Position:
    return tf.Position(
        ruleset, board.own, board.opp, tuple(board.own_pinned), tuple(board.opp_pinned)
    )


def from_position(position: tf.Position) -> Board:
    return Board(
        position.own,
        position.opp,
        frozenset(position.own_pinned),
        frozenset(position.opp_pinned),
    )


def by_row(result: tf.Afterstates) -> list[list[Board]]:
    """What a batch call found, one list of boards a row."""
    boards = from_array(result.positions)
    ends = result.offsets.tolist()
    return [boards[start:end] for start, end in itertools.pairwise(ends)]


def agree_with_reference(boards: Sequence[Board], ruleset: Ruleset) -> None:
    """Fail unless the batch kernel finds, for all 21 rolls of each, what the reference finds."""
    found = tf.afterstates(to_array(boards), tf.ALL_ROLLS, ruleset)
    pairs = [(each, roll) for each in boards for roll in ROLLS]
    for (each, roll), results, played in zip(pairs, by_row(found), found.played, strict=True):
        expected, most = by_reference(each, roll, ruleset)
        same_results(expected, results, each, roll, ruleset)
        assert played == most, f"{ruleset} {roll} {shown(each)}: {played} played instead of {most}"


def by_reference(board: Board, roll: tuple[int, int], ruleset: Ruleset) -> tuple[list[Board], int]:
    """Afterstates and numbers played as the reference finds them, for the cost of one of both."""
    plays, _ = reference.plays_of(board, roll, ruleset, None)
    endings = reference.legal_endings(plays, ruleset)
    beginning = next(iter(plays))
    most = max(len(beginning.numbers) - len(turn.numbers) for turn in endings)
    return sorted({turn.board for turn in endings}, key=in_order), most


def known_to_gnubg(ruleset: Ruleset) -> bool:
    """Whether a game's moves are those of backgammon, wherever its checkers start."""
    return (
        ruleset.contact is Contact.HIT
        and ruleset.movement is Movement.CONTRARY
        and (ruleset.hit_and_run, ruleset.bear_off) == ("allowed", "if_other_step")
    )


def by_gnubg(board: Board, roll: tuple[int, int], ruleset: Ruleset) -> tuple[list[Board], int]:
    """Afterstates as gnubg-nn finds them; -1 for the numbers played, which it does not tell.

    Its board is two lists of 25 counts, the other side's first: index 0 to 23 is a side's own
    point 1 to 24, index 24 the bar. A lost turn has no results there, and a finished game goes
    on for the other side.
    """
    from gnubg_nn import boardfromkey, moves

    if ruleset.checkers in (board.own[0], board.opp[0]):
        return [board], 0
    results = []
    for key in moves([list(board.opp[1:]), list(board.own[1:])], *roll):
        opp, own = ((ruleset.checkers - sum(side), *side) for side in boardfromkey(key))
        results.append(Board(own, opp, frozenset(), frozenset()))
    return (results, -1) if results else ([board], 0)


def in_order(board: Board) -> tuple:
    """A key to sort boards by; sets of pins alone have no order."""
    return (*board[:2], *map(sorted, board[2:]))


def same_results(
    expected: Sequence[Board],
    found: Sequence[Board],
    of: Board,
    roll: tuple[int, int],
    ruleset: Ruleset,
) -> None:
    """Fail, and show the difference in the fewest words, unless both are the same distinct set."""
    assert len(set(expected)) == len(expected), f"expected results repeat: {shown(of)} {roll}"
    missing, extra = set(expected) - set(found), set(found) - set(expected)
    repeats = len(found) - len(set(found))
    if missing or extra or repeats:
        lines = [
            f"{ruleset} {roll} {shown(of)}: {len(expected)} results expected",
            *(f"  missing {shown(each)}" for each in sorted(missing, key=in_order)[:5]),
            *(f"  wrong   {shown(each)}" for each in sorted(extra, key=in_order)[:5]),
            f"  {len(missing)} missing, {len(extra)} wrong, {repeats} repeated",
        ]
        pytest.fail("\n".join(lines))


def shown(board: Board) -> str:
    sides = []
    for name, side, pinned in (
        ("own", board.own, board.own_pinned),
        ("opp", board.opp, board.opp_pinned),
    ):
        points = {point: side[point] for point in range(25, -1, -1) if side[point]}
        sides.append(f"{name}={points}" + (f" pinned={sorted(pinned)}" if pinned else ""))
    return " ".join(sides)
