"""What the walls of a position are told in, and the walls read from masks of points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .rules import Ban

__all__ = ["Blockade", "Prime", "Walls"]

START_FRONT, START_QUARTER_FRONT = 23, 18
FULL = 6


class Prime(NamedTuple):
    """A wall of at least two points, by the numbers of the player it stops.

    `side`: who holds it, `"own"` or `"opp"`; the other player is the one it stops. On his way from
    24 to 1 he comes to `first` first and to `last` last, `length` points in all; `behind` of his
    checkers are still before it, on the bar included. `before_start`: it holds his 23, right in
    front of his start point. `before_start_quarter`: his 18, right in front of his start quarter.
    `full`: six points or more, which no number passes.
    """

    side: str
    length: int
    first: int
    last: int
    behind: int
    before_start: bool
    before_start_quarter: bool
    full: bool


class Walls(NamedTuple):
    """The walls one side holds, a lone point being a wall of one.

    `longest`: the points of the longest. `live`: of the longest with an opposing checker still
    behind it, on the bar included. `trapped`: opposing checkers behind a wall of six or more.
    """

    longest: int
    live: int
    trapped: int


class Blockade(NamedTuple):
    """Both sides' walls, and what the 36 rolls do for the player on roll.

    `own` and `opp`: the walls that side holds. `pass_rolls`, `partial_rolls`, `full_rolls`: rolls
    that play no number, some and all; one that can end the game plays all, and when the game is
    over all pass. `escape_rolls`: rolls that can bring his rearmost checker past the longest wall
    that still has one of his behind it, the first on his way if there are several; 36 if there is
    none. `forbidden`: the blockades of his own, standing now, that the ruleset forbids.
    """

    own: Walls
    opp: Walls
    pass_rolls: int
    partial_rolls: int
    full_rolls: int
    escape_rolls: int
    forbidden: Ban


def primes(side: str, held: int, stopped: Sequence[int]) -> Iterator[Prime]:
    """Yield the walls of two points and more that a side holds, as the player they stop meets them.

    `held`: bit p for his point p, 1 to 24; `stopped`: his 26 counts.

    >>> list(primes("own", 0b11000010000, [0] * 24 + [15, 0]))  # doctest: +ELLIPSIS
    [Prime(side='own', length=2, first=10, last=9, behind=15, before_start=False, ...)]
    """
    while held:
        first = held.bit_length() - 1
        length = 0
        while held >> (first - length) & 1:
            held -= 1 << (first - length)
            length += 1
        last = first - length + 1
        if length >= 2:
            yield Prime(
                side=side,
                length=length,
                first=first,
                last=last,
                behind=sum(stopped[first + 1 :]),
                before_start=last <= START_FRONT <= first,
                before_start_quarter=last <= START_QUARTER_FRONT <= first,
                full=length >= FULL,
            )
