"""The end of a race, exactly: how many rolls a side needs to bear off, and who is first.

Once the sides cannot meet any more, each plays for itself. A table holds, for every way in which
one side's checkers can stand on its last points, how the number of rolls it still needs is
distributed, and two lookups tell who wins.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from operator import index
from typing import Any, BinaryIO, Generic, NamedTuple, Self, SupportsIndex, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from .arrays import ALL_ROLLS
from .batch import afterstates, in_contact, to_records
from .files import reading, write_whole
from .position import POSITION, Position
from .rules import BAR, OFF, Movement, Ruleset

__all__ = ["BearOff", "Chances"]

Floats = NDArray[np.float64]
Records = NDArray[Any]
Numbers = TypeVar("Numbers", float, Floats)

HOME = 6
MOST_POSITIONS = 500_000
"""As many as 15 checkers have on eight points: a table of 185 MB, built in 15 seconds."""
LAST_POINT = {Movement.CONTRARY: 23, Movement.PARALLEL: 12}
"""The highest point on which a side that has not finished can stand in a race."""
WALL_BEFORE_START = 11

SAME = 1e-9
"""Plays whose expected rolls differ by less are equally good."""

# At most so many positions at a time, so that what a step needs fits in the caches or nearly so.
PORTION = 1024
LOOKUPS = 16_384

DOUBLES = np.flatnonzero(ALL_ROLLS[:, 0] == ALL_ROLLS[:, 1])
ROLL_WEIGHTS = np.full(len(ALL_ROLLS), 2.0)
ROLL_WEIGHTS[DOUBLES] = 1

NEXT_DOUBLE = np.full(len(ALL_ROLLS), -1)
"""Of every roll, which one a cascade goes on with; -1 where none."""
NEXT_DOUBLE[DOUBLES[:-1]] = DOUBLES[1:]

CASCADES = "none", "chain", "single"
MAGIC = b"TAVLIOFF"
VERSION = 1
HEADER = struct.Struct("<8s6H4x")
"""Magic, version, checkers, cascades (by their place in `CASCADES`), points, columns of `rolls` and
of `first`; then the two arrays, row by row as little-endian doubles, then the CRC-32 of everything
before it. Its length keeps the doubles aligned."""
CHECKSUM = struct.Struct("<I")


class Chances(NamedTuple, Generic[Numbers]):
    """How a race ends: floats for one position, (n,) float64 for n records.

    `win`, `draw`, `loss`: of the side on roll; they add up to 1. `win_double`, `loss_double`: the
    chances that it wins or loses two points or more, the loser having borne off none; for these he
    plays so that the rolls to his first checker off are fewest on average.
    """

    win: Numbers
    draw: Numbers
    loss: Numbers
    win_double: Numbers
    loss_double: Numbers


@dataclasses.dataclass(frozen=True, eq=False)
class BearOff:
    """How many rolls a side needs to bear off, for every way to stand on its last points.

    Made by `build` or `load`. `ruleset` is the game it answers for, `points` the highest point
    that it knows, 6 for a home.

    Each side plays so that the rolls it needs are fewest on average, whatever the other does, as in
    the one-sided tables of GNU Backgammon. Of equally good plays (within 1e-9 rolls) it takes the
    one that leaves the fewest checkers, then the fewest on its first points less the highest, less
    the two highest, and so on. Distributions and chances are exact for two sides that play so, up
    to the rounding of doubles; a side that is behind could win a little more by taking risks.

    Every method takes a `Position` of that ruleset, or records as (n,) POSITION or (n, 64)
    integers, and answers for one or for all. It raises `ValueError`, naming the row, for a position
    in contact and for a checker behind `points`, and `IllegalPosition` for a bad record.

    >>> import tavli_fast as tf
    >>> table = tf.BearOff.build(tf.PORTES)
    >>> last = tf.Position(tf.PORTES, {6: 1, 1: 1}, {4: 2})
    >>> round(table.expected(last), 4), table.rolls(last)[:4].round(4).tolist()
    (1.5864, [0.0, 0.4167, 0.5802, 0.0031])
    >>> round(table.win(last), 4)
    0.8197
    """

    ruleset: Ruleset
    points: int
    _rolls: Floats = dataclasses.field(repr=False)
    _first: Floats = dataclasses.field(repr=False)

    @classmethod
    def build(cls, ruleset: Ruleset, points: SupportsIndex = HOME) -> Self:
        """Work out the table of a game; for a home and 15 checkers that takes about a second.

        `points`: how many of a side's last points the checkers may stand on, 6 or more. More cost
        more: 7 three times as much, 8 thirteen times. Three checkers can have up to 23, which is
        every race there is in contrary movement.

        Where doubles cascade a turn is all of the cascade, and `cascade_from=4` counts as begun.

        Raises `ValueError` for a ruleset with `six_prime=forbidden`, which may forbid to stand on
        all six points of the home, and for points that are too few, too many, or more than 500,000
        positions have.

        >>> import tavli_fast as tf
        >>> tf.BearOff.build(tf.HYPERGAMMON, points=23)
        BearOff(ruleset=find_ruleset('hypergammon'), points=23)
        """
        points = _accepted(ruleset, points)
        stands = _stands(ruleset.checkers, points)
        short = _short(ruleset.checkers, points)
        rolls = _fewest_rolls(stands, 1, ruleset)
        first = _fewest_rolls(stands, short, ruleset)[short:].copy()
        return cls(ruleset, points, rolls, first)

    @classmethod
    def load(cls, path: str | os.PathLike[str], ruleset: Ruleset) -> Self:
        """Read a table that `save` wrote.

        A table has no name of a game in it: games with the same number of checkers share one, but
        for cascades of doubles. Raises `ValueError` naming the file, if it cannot be read, is no
        such table, is of another version, for other checkers or cascades, or is damaged; and as
        `build` does.
        """
        _must_be_ruleset(ruleset)
        with reading(path) as file:
            return cls(ruleset, *_read(file, ruleset))

    @classmethod
    def load_or_build(
        cls, path: str | os.PathLike[str], ruleset: Ruleset, points: SupportsIndex = HOME
    ) -> Self:
        """Read a table of at least so many points from a file; if there is none, build and save it.

        Raises `ValueError` as `load`, `build` and `save` do, and if the table in the file has
        fewer points.
        """
        points = _accepted(ruleset, points)
        if not os.path.lexists(path):
            table = cls.build(ruleset, points)
            table.save(path)
            return table
        table = cls.load(path, ruleset)
        if table.points < points:
            raise ValueError(
                f"{os.fspath(path)!r} has a table of {table.points} points, not {points}"
            )
        return table

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a file, whole or not at all: 14 MB for a home and 15 checkers.

        Raises `ValueError` naming the file if it cannot be written.
        """
        columns = self._rolls.shape[1], self._first.shape[1]
        header = HEADER.pack(MAGIC, VERSION, *_facts(self.ruleset), self.points, *columns)
        data = header + b"".join(
            array.astype("<f8").tobytes() for array in (self._rolls, self._first)
        )
        write_whole(path, data + CHECKSUM.pack(zlib.crc32(data)))

    def rolls(self, positions: Position | Records, side: str = "own") -> Floats:
        """Return how probable it is that a side needs 0, 1, 2, ... rolls: (k,) or (n, k) float64.

        `side` is `"own"` or `"opp"`. Every row adds up to 1, and all are equally long: k - 1 rolls
        are the most that any position of the table can need. The other side may have finished.

        >>> import tavli_fast as tf
        >>> table = tf.BearOff.build(tf.HYPERGAMMON)
        >>> table.rolls(tf.Position(tf.HYPERGAMMON, {2: 1, 1: 2}, {6: 1}), side="opp")[:4].tolist()
        [0.0, 0.75, 0.25, 0.0]
        """
        records, is_one = self._as_records(positions)
        found = self._rolls[self._rows(records, side, is_one)]
        return found[0] if is_one else found

    @overload
    def expected(self, positions: Position, side: str = "own") -> float: ...
    @overload
    def expected(self, positions: Records, side: str = "own") -> Floats: ...
    def expected(self, positions: Position | Records, side: str = "own") -> float | Floats:
        """Return how many rolls a side needs on average: float or (n,) float64.

        `side` is `"own"` or `"opp"`.

        >>> import tavli_fast as tf
        >>> table = tf.BearOff.build(tf.HYPERGAMMON)
        >>> table.expected(tf.Position(tf.HYPERGAMMON, {6: 1}, {1: 3}))
        1.25
        """
        records, is_one = self._as_records(positions)
        found = self._expected[self._rows(records, side, is_one)]
        return float(found[0]) if is_one else found

    @overload
    def win(self, positions: Position, starter: str | None = None) -> float: ...
    @overload
    def win(self, positions: Records, starter: str | None = None) -> Floats: ...
    def win(self, positions: Position | Records, starter: str | None = None) -> float | Floats:
        """Return how probable it is that the side on roll wins: float or (n,) float64.

        The `win` of `chances`.
        """
        return self.chances(positions, starter).win

    @overload
    def chances(self, positions: Position, starter: str | None = None) -> Chances[float]: ...
    @overload
    def chances(self, positions: Records, starter: str | None = None) -> Chances[Floats]: ...
    def chances(
        self, positions: Position | Records, starter: str | None = None
    ) -> Chances[float] | Chances[Floats]:
        """Return how the race ends, as `Chances`.

        `starter`: who began the game, `"own"` or `"opp"`. It is needed where it matters, that is
        with `last_roll_draw=on`: if the starter finishes first, the other has one more roll. A
        finished game counts as it has ended, but for such a last roll of the side on roll.

        >>> import tavli_fast as tf
        >>> rules = tf.LONG_NARDY.replace(last_roll_draw="on")
        >>> table = tf.BearOff.build(rules)
        >>> last = tf.Position(rules, {1: 2}, {1: 4})
        >>> [round(chance, 4) for chance in table.chances(last, starter="own")]
        [0.8333, 0.1667, 0.0, 0.0, 0.0]
        >>> table.win(last, starter="opp")
        1.0
        """
        records, is_one = self._as_records(positions)
        own_began, opp_began = self._has_last_roll_after(starter)
        own, opp = (self._rows(records, side, is_one) for side in ("own", "opp"))
        found = np.empty((len(records), len(Chances._fields)))
        for at in range(0, len(records), LOOKUPS):
            part = slice(at, at + LOOKUPS)
            found[part] = self._race(own[part], opp[part], own_began, opp_began)
        # Sums of rounded numbers may be the least bit above 1.
        np.minimum(found, 1, out=found)
        return Chances(*found[0].tolist()) if is_one else Chances(*found.T)

    def _as_records(self, positions: Position | Records) -> tuple[Records, bool]:
        """Return races as (n,) POSITION, and whether it was a single position."""
        is_one = isinstance(positions, Position)
        if isinstance(positions, Position):
            if positions.ruleset != self.ruleset:
                raise ValueError(f"a position of {positions.ruleset}; this is for {self.ruleset}")
            positions = to_records([positions])
        # Once: what makes an array of itself may make another one the next time.
        records = np.asarray(positions)
        met = in_contact(records, self.ruleset)
        if met.any():
            raise ValueError(f"{_row(int(met.argmax()), is_one)}the sides are in contact")
        if records.dtype.names is None:
            records = np.ascontiguousarray(records, np.uint8).view(POSITION)[:, 0]
        return records, is_one

    def _rows(self, records: Records, side: str, is_one: bool) -> NDArray[np.int32]:
        """Return where in the table a side of every record stands."""
        if side not in ("own", "opp"):
            raise ValueError(f"a side is 'own' or 'opp', not {side!r}")
        counts = records[side]["checkers"]
        behind = counts[:, self.points + 1 :]
        if behind.any():
            row = int(behind.any(axis=1).argmax())
            point = int(np.flatnonzero(counts[row])[-1])
            where = "the bar" if point == BAR else f"point {point}"
            raise ValueError(
                f"{_row(row, is_one)}{side} has a checker on {where}; "
                f"this table knows points 1 to {self.points}"
            )
        return _row_numbers(counts[:, 1 : self.points + 1], self.ruleset.checkers)

    def _has_last_roll_after(self, starter: str | None) -> tuple[bool, bool]:
        """Return whether own, and whether opp, lets the other roll once more on finishing first."""
        if starter not in (None, "own", "opp"):
            raise ValueError(f"the starter is 'own' or 'opp', not {starter!r}")
        if self.ruleset.last_roll_draw == "off":
            return False, False
        if starter is None:
            raise ValueError("with last_roll_draw=on it matters who began: starter='own' or 'opp'")
        return starter == "own", starter == "opp"

    def _race(
        self, own: NDArray[np.int32], opp: NDArray[np.int32], own_began: bool, opp_began: bool
    ) -> Floats:
        """Return the chances for rows of the table that race each other: (n, 5)."""
        mine, his = self._rolls[own], self._rolls[opp]
        # How many rolls the loser has had, less those of the winner.
        he_had, i_had = 0 if own_began else -1, 1 if opp_began else 0
        draw = mine[:, 0] * his[:, 0]
        if own_began:
            draw += np.einsum("ij,ij->i", mine[:, 1:], his[:, 1:])
        if opp_began:
            draw += np.einsum("ij,ij->i", mine[:, 1:], his[:, :-1])
        return np.stack(
            (
                _outlast(self._rolls_left[opp], mine, he_had),
                draw,
                _outlast(self._rolls_left[own], his, i_had),
                self._keeps_all(opp, mine, he_had),
                self._keeps_all(own, his, i_had),
            ),
            axis=1,
        )

    def _keeps_all(self, loser: NDArray[np.int32], winner: Floats, lead: int) -> Floats:
        """Return how probable it is that the winner finishes before the loser has one off."""
        short = len(self._rolls) - len(self._first)
        complete = loser >= short
        found = np.zeros(len(loser))
        found[complete] = _outlast(
            self._first_left[loser[complete] - short], winner[complete], lead
        )
        return found

    @functools.cached_property
    def _expected(self) -> Floats:
        found: Floats = self._rolls @ np.arange(self._rolls.shape[1])
        return found

    @functools.cached_property
    def _rolls_left(self) -> Floats:
        return _more_than(self._rolls)

    @functools.cached_property
    def _first_left(self) -> Floats:
        return _more_than(self._first)


def _row(row: int, is_one: bool) -> str:
    return "" if is_one else f"row {row}: "


def _accepted(ruleset: Ruleset, points: SupportsIndex) -> int:
    """Return how many points a table of a game is to have, or refuse the game or the number."""
    _must_be_ruleset(ruleset)
    if ruleset.six_prime == "forbidden":
        raise ValueError(
            f"{ruleset} bears off by a rule of its own: six_prime=forbidden, where no wall of six "
            "may stand at home"
        )
    try:
        number = index(points)
    except TypeError:
        raise ValueError(f"points is an integer, not {points!r}") from None
    last = LAST_POINT[ruleset.movement]
    if ruleset.mother_prime == "banned":
        last = min(last, WALL_BEFORE_START - 1)
    if not HOME <= number <= last:
        raise ValueError(f"a table for {ruleset} has {HOME} to {last} points, not {number}")
    positions = math.comb(ruleset.checkers + number, number)
    if positions > MOST_POSITIONS:
        raise ValueError(
            f"{ruleset.checkers} checkers on {number} points have {positions} positions; "
            f"a table has at most {MOST_POSITIONS}"
        )
    return number


def _must_be_ruleset(ruleset: object) -> None:
    if not isinstance(ruleset, Ruleset):
        raise ValueError(f"ruleset is {ruleset!r}, not a Ruleset; find_ruleset makes one of a text")


def _facts(ruleset: Ruleset) -> tuple[int, int]:
    """Return what tells the tables of one game from those of another: checkers, cascades."""
    extent = "none" if ruleset.cascade_from == "0" else ruleset.cascade_extent
    return ruleset.checkers, CASCADES.index(extent)


# Every stand of n checkers on p points has a row: they are numbered by how many checkers stand on
# the first point, on the first two, and so on, the last of these numbers counting most.


@functools.cache
def _ranks(checkers: int, points: int) -> NDArray[np.int32]:
    """Return what a number of checkers on the first 1, 2, ... points adds to the row: (p, n + 1).

    >>> _ranks(2, 3).tolist()
    [[0, 1, 2], [0, 1, 3], [0, 1, 4]]
    """
    ranks = [
        [math.comb(number + point, point + 1) for number in range(checkers + 1)]
        for point in range(points)
    ]
    return np.array(ranks, np.int32)


def _row_numbers(counts: Records, checkers: int) -> NDArray[np.int32]:
    """Return the rows of stands: (n, p) counts on the points 1 to p.

    >>> _row_numbers(np.array([[0, 0], [0, 1], [1, 0], [0, 2], [1, 1], [2, 0]]), 2).tolist()
    [0, 1, 2, 3, 4, 5]
    """
    ranks = _ranks(checkers, counts.shape[1])
    so_far = np.zeros(len(counts), np.intp)
    rows = np.zeros(len(counts), np.int32)
    for rank, count in zip(ranks, counts.T, strict=True):
        so_far += count
        rows += rank[so_far]
    return rows


def _stands(checkers: int, points: int) -> NDArray[np.uint8]:
    """Return the counts on points 1 to p in every row, in the order of the rows: (rows, p)."""
    places = itertools.combinations_with_replacement(range(points + 1), checkers)
    where = np.fromiter(itertools.chain.from_iterable(places), np.uint8).reshape(-1, checkers)
    counts = np.stack(
        [(where == point).sum(axis=1, dtype=np.uint8) for point in range(1, points + 1)], axis=1
    )
    stands = np.empty_like(counts)
    stands[_row_numbers(counts, checkers)] = counts
    return stands


def _levels(stands: NDArray[np.uint8], done: int) -> Iterator[NDArray[np.intp]]:
    """Yield the rows from `done` on in portions of equal pips, so that plays lead to earlier ones.

    >>> [rows.tolist() for rows in _levels(_stands(2, 2), 1)]
    [[2], [1, 5], [4], [3]]
    """
    pips = stands[done:] @ np.arange(1, stands.shape[1] + 1)
    order = pips.argsort(kind="stable")
    ends = np.flatnonzero(np.diff(pips[order])) + 1
    for level in np.split(order + done, ends):
        for at in range(0, len(level), PORTION):
            yield level[at : at + PORTION]


def _fewest_rolls(stands: NDArray[np.uint8], done: int, ruleset: Ruleset) -> Floats:
    """Return the chances of needing 0, 1, ... rolls to a row below `done`: (rows, k).

    Played is so that the expected rolls to such a row are fewest.
    """
    levels = list(_levels(stands, done))
    best = _policy(stands, levels, done, ruleset)
    longest = np.zeros(len(stands), np.intp)
    for rows in levels:
        longest[rows] = 1 + longest[best[rows]].max(axis=1)
    rolls = np.zeros((len(stands), int(longest.max()) + 1))
    rolls[:done, 0] = 1
    for rows in levels:
        for weight, after in zip(ROLL_WEIGHTS, best[rows].T, strict=True):
            rolls[rows, 1:] += weight * rolls[after, :-1]
        rolls[rows] /= ROLL_WEIGHTS.sum()
    return rolls


def _policy(
    stands: NDArray[np.uint8], levels: Iterable[NDArray[np.intp]], done: int, ruleset: Ruleset
) -> NDArray[np.int32]:
    """Return the row that each roll is played to: (rows, 21), in the order of `ALL_ROLLS`."""
    checkers, points = ruleset.checkers, stands.shape[1]
    records = np.zeros(len(stands), POSITION)
    own = records["own"]["checkers"]
    own[:, 1 : points + 1] = stands
    own[:, OFF] = checkers - stands.sum(axis=1)
    # The other side is out of the way on its last point, and the game not over.
    records["opp"]["checkers"][:, 1] = checkers
    # What is not known yet is never best: it is the position itself, where a turn may be passed.
    expected = np.full(len(stands), np.inf)
    expected[:done] = 0
    best = np.zeros((len(stands), len(ALL_ROLLS)), np.int32)
    # Where the doubles of a cascade lead that follow the first.
    further = best if ruleset.cascade_extent == "chain" else np.zeros_like(best)
    for rows in levels:
        found = afterstates(records[rows], ALL_ROLLS, ruleset)
        after = _row_numbers(found.positions["own"]["checkers"][:, 1 : points + 1], checkers)
        if ruleset.cascade_from != "0":
            further[rows] = _best(after, found.offsets, expected)
            counts = np.diff(found.offsets).astype(np.intp, copy=False)
            double = np.repeat(np.tile(NEXT_DOUBLE, len(rows)), counts)
            goes_on = double >= 0
            after[goes_on] = further[after[goes_on], double[goes_on]]
        best[rows] = _best(after, found.offsets, expected)
        still = (expected[best[rows]] * ROLL_WEIGHTS).sum(axis=1) / ROLL_WEIGHTS.sum()
        expected[rows] = 1 + still
    return best


def _best(
    after: NDArray[np.int32], offsets: NDArray[np.int64], expected: Floats
) -> NDArray[np.int32]:
    """Return the best of the rows that each roll leads to: (n, 21) for n positions."""
    still = expected[after]
    # NumPy cuts and repeats by numbers of the machine's own size.
    offsets = offsets.astype(np.intp, copy=False)
    limit = np.minimum.reduceat(still, offsets[:-1]) + SAME
    is_best = still <= np.repeat(limit, np.diff(offsets))
    best = np.minimum.reduceat(np.where(is_best, after, len(expected)), offsets[:-1])
    return best.astype(np.int32).reshape(-1, len(ALL_ROLLS))


def _more_than(distributions: Floats) -> Floats:
    """Return the chances of needing more than 0, 1, 2, ... rolls."""
    tails = np.zeros_like(distributions)
    tails[:, :-1] = distributions[:, :0:-1].cumsum(axis=1)[:, ::-1]
    return tails


def _outlast(left: Floats, winner: Floats, lead: int) -> Floats:
    """Return how probable it is that the loser needs more rolls than he has had: (n,).

    He has had `lead` more than the winner needs, but never less than none. `left`: his chances of
    needing more than 0, 1, 2, ...; `winner`: the winner's of needing just so many.
    """
    columns = left.shape[1]
    if lead >= 0:
        found: Floats = np.einsum("ij,ij->i", winner[:, : columns - lead], left[:, lead:])
    else:
        found = np.einsum("ij,ij->i", winner[:, 1 : columns + 1], left[:, : winner.shape[1] - 1])
        found += winner[:, 0] * left[:, 0]
    return found


def _short(checkers: int, points: int) -> int:
    """Return in how many rows at least one checker is off; they come first."""
    return math.comb(checkers - 1 + points, points)


# The file


def _read(file: BinaryIO, ruleset: Ruleset) -> tuple[int, Floats, Floats]:
    """Return points and arrays of a table for a game, or raise what is wrong with the file."""
    data = file.read(HEADER.size + CHECKSUM.size)
    if data[: len(MAGIC)] != MAGIC:
        raise ValueError("it is no bear-off table")
    if len(data) < HEADER.size + CHECKSUM.size:
        raise ValueError(f"it is cut short, after {len(data)} bytes")
    _, version, checkers, cascades, points, *columns = HEADER.unpack_from(data)
    if version != VERSION:
        raise ValueError(f"it is of version {version}, and this reads version {VERSION}")
    lengths = _lengths(checkers, points, *columns)
    # One byte more, so that the checksum fits no file that is longer.
    data += file.read(8 * sum(lengths) + 1)
    content = memoryview(data)[: -CHECKSUM.size]
    if CHECKSUM.unpack(data[-CHECKSUM.size :])[0] != zlib.crc32(content):
        raise ValueError("it is damaged or cut short; its checksum does not fit")
    if checkers != ruleset.checkers:
        raise ValueError(f"it is for {checkers} checkers, and {ruleset} has {ruleset.checkers}")
    if cascades != _facts(ruleset)[1]:
        raise ValueError(f"it is for other cascades of doubles than those of {ruleset}")
    _accepted(ruleset, points)
    told = sum(lengths) if columns[1] <= columns[0] else 0
    if not told or len(content) != HEADER.size + 8 * told:
        raise ValueError("it has not the size that its header tells")
    numbers = np.frombuffer(content, "<f8", offset=HEADER.size).astype(np.float64, copy=False)
    rolls, first = (
        part.reshape(-1, row)
        for part, row in zip(np.split(numbers, lengths[:1]), columns, strict=True)
    )
    for table in (rolls, first):
        if not ((table >= 0).all() and (abs(table.sum(axis=1) - 1) < SAME).all()):
            raise ValueError("its rows are no chances")
    return points, rolls, first


def _lengths(checkers: int, points: int, most_rolls: int, most_first: int) -> tuple[int, int]:
    """Return how many numbers the arrays of a file have by its header, none if it cannot be so."""
    if not (0 < checkers < 256 and 0 < points <= max(LAST_POINT.values())):
        return 0, 0
    rows = math.comb(checkers + points, points)
    # Every roll plays a pip or more.
    if rows > MOST_POSITIONS or max(most_rolls, most_first) > checkers * points + 1:
        return 0, 0
    return rows * most_rolls, (rows - _short(checkers, points)) * most_first
