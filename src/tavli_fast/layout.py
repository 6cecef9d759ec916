"""What lies where in a picture of a position, and from where to where a move goes.

Lengths are in units of the picture's own; a checker is 40 across.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from . import notation
from .rules import BAR, OFF, Contact, Movement, Ruleset

__all__ = ["MoveLike", "Place", "PositionLike", "Side", "Spot", "Table", "upwards", "ways"]


class PositionLike(notation.PositionLike, Protocol):
    """What this module asks of a position: game, counts (0 off to 25 bar), pins and pip counts."""

    @property
    def ruleset(self) -> Ruleset: ...
    @property
    def pip_counts(self) -> tuple[int, int]: ...


class MoveLike(Protocol):
    """What this module asks of a move: its single steps and the position after it."""

    @property
    def steps(self) -> Sequence[tuple[int, int]]: ...
    @property
    def after(self) -> notation.PositionLike: ...


CHECKER = 40
SHOWN = 5
"""How many checkers of a stack are drawn; a number stands for the others."""
PIN_SHIFT = 24
"""How far a pinned checker moves those that stand on it."""
SLAB = 12
"""How high a checker is that lies in a tray, on its side."""
MOST_SLABS = 15

COLUMN = 44
STACK = SHOWN * CHECKER
FIELD_HEIGHT = 2 * STACK + 68
BAR_WIDTH = 52
TRAY_WIDTH = 52
RIM = 12
BAND = 36
"""The frame above and below, where the numbers are."""
HEIGHT = FIELD_HEIGHT + 2 * BAND
CENTRE = HEIGHT / 2


class Side(NamedTuple):
    """One of the two, with its checkers in its own numbering."""

    name: str
    counts: tuple[int, ...]
    pinned: Sequence[int]
    pips: int


Spot = tuple[float, float]
"""x to the right and y downwards, from the upper left corner."""


class Place(NamedTuple):
    """Where the checkers of a stack lie: the middle of the first, and how far on each next is."""

    x: float
    y: float
    step: float
    shown: int

    def slot(self, height: int) -> Spot:
        """Return the middle of a checker by how many lie below it."""
        return self.x, self.y + self.step * min(height, self.shown - 1)


class Table:
    """Who sits where, and so what lies where in the picture.

    The numbers in the picture are those of the side below: 1 at the lower right, 24 at the upper.

    >>> from tavli_fast.rules import FEVGA
    >>> own, opp = Side("own", FEVGA.start, (), 360), Side("opp", FEVGA.start, (), 360)
    >>> table = Table(FEVGA, lower=own, upper=opp)
    >>> table.number(own, 24), table.number(opp, 24)
    (24, 12)
    """

    def __init__(self, ruleset: Ruleset, lower: Side, upper: Side) -> None:
        self.movement = ruleset.movement
        self.pins = ruleset.contact is Contact.PIN
        self.lower = lower
        self.upper = upper
        self.sides = lower, upper
        # In parallel movement the home of the side above, and so its tray, is on the left.
        self.parallel = ruleset.movement is Movement.PARALLEL
        self.left = RIM + (TRAY_WIDTH + RIM) * self.parallel
        self.bar = self.left + 6 * COLUMN
        self.right = self.bar + BAR_WIDTH + 6 * COLUMN
        self.width = self.right + TRAY_WIDTH + 2 * RIM

    def number(self, side: Side, point: int) -> int:
        """Return the number in the picture of a side's point 1 to 24."""
        return point if side is self.lower else self.movement.opp_point(point)

    def column(self, number: int) -> float:
        """Return the x of the middle of a point, by its number in the picture."""
        place = 12 - number if number <= 12 else number - 13
        return self.left + place * COLUMN + BAR_WIDTH * (place >= 6) + COLUMN / 2

    def tray(self, side: Side) -> float:
        """Return the x of the middle of a side's tray."""
        left = RIM if self.parallel and side is self.upper else self.right + RIM
        return left + TRAY_WIDTH / 2

    def under(self, side: Side, point: int) -> tuple[Side, int] | None:
        """Return the other side and its number of a point, if one of its checkers is below.

        That is one which is pinned, or will be when a checker of this side comes.
        """
        if not self.pins or not OFF < point < BAR or point in side.pinned:
            return None
        other = self.upper if side is self.lower else self.lower
        opp_point = self.movement.opp_point(point)
        return (other, opp_point) if other.counts[opp_point] else None

    def place(self, side: Side, point: int) -> Place:
        """Return where a side's checkers on a point lie, 0 off and 25 bar included."""
        up = upwards(side is self.lower)
        if point == BAR:
            first = CENTRE + up * (CHECKER / 2 + 4)
            return Place(self.bar + BAR_WIDTH / 2, first, up * CHECKER, SHOWN)
        if point == OFF:
            first = CENTRE - up * (FIELD_HEIGHT / 2 - SLAB / 2 - 4)
            return Place(self.tray(side), first, up * SLAB, MOST_SLABS)
        number = self.number(side, point)
        up = upwards(number <= 12)
        pinned = self.under(side, point) is not None
        first = CENTRE - up * (FIELD_HEIGHT / 2 - CHECKER / 2 - PIN_SHIFT * pinned)
        return Place(self.column(number), first, up * CHECKER, SHOWN - pinned)


def upwards(is_below: bool) -> int:
    """Return the sign that a way from the edge towards the centre has in y."""
    return -1 if is_below else 1


def ways(move: MoveLike, position: PositionLike, table: Table) -> list[tuple[Spot, Spot]]:
    """Return from where to where each step of a move goes in the picture, in no special order.

    The move is one that may be played, or one that has led here, made by either side. Raises
    `ValueError` for another.
    """
    if isinstance(move, str):
        raise ValueError(f"move is the text {move!r}; Position.parse_move makes a Move of it")
    here, reached = _by_side(position), _by_side(move.after)
    is_done = reached in (here, here[::-1])
    mover = "opp" if is_done and reached != here else "own"
    side = next(side for side in table.sides if side.name == mover)
    # A move that is done is followed backwards.
    heights = list(side.counts)
    found = []
    for start, end in reversed(move.steps) if is_done else move.steps:
        if not OFF <= end < start <= BAR:
            raise ValueError(f"{start}/{end} is not a step of a move")
        taken, put = (end, start) if is_done else (start, end)
        if not heights[taken]:
            raise ValueError(
                f"the move {notation.format_move(move.steps)} neither starts from "
                f"{notation.format_position(position)} nor leads to it"
            )
        heights[taken] -= 1
        way = (
            table.place(side, taken).slot(heights[taken]),
            table.place(side, put).slot(heights[put]),
        )
        heights[put] += 1
        found.append(way[::-1] if is_done else way)
    return found


def _by_side(position: notation.PositionLike) -> tuple[object, object]:
    return (
        (position.own, tuple(position.own_pinned)),
        (position.opp, tuple(position.opp_pinned)),
    )
