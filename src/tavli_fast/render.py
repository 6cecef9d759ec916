"""Positions as boards of text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from .rules import BAR, OFF, Movement, Ruleset

__all__ = ["board"]


class PositionLike(Protocol):
    """What this module asks of a position: game, counts (0 off to 25 bar), pins and pip counts."""

    @property
    def ruleset(self) -> Ruleset: ...
    @property
    def own(self) -> tuple[int, ...]: ...
    @property
    def opp(self) -> tuple[int, ...]: ...
    @property
    def own_pinned(self) -> Collection[int]: ...
    @property
    def opp_pinned(self) -> Collection[int]: ...
    @property
    def pip_counts(self) -> tuple[int, int]: ...


_OWN, _OPP = "O", "X"
_LEGEND = f"{_OWN.lower()}, {_OPP.lower()}: pinned under the stack"
_ROWS = 5
_UPPER, _LOWER = range(13, 25), range(12, 0, -1)
_OPP_WAY = {
    Movement.CONTRARY: ("1 to 24", "19 to 24"),
    Movement.PARALLEL: ("12 to 1, 24 to 13", "18 to 13"),
}


def board(position: PositionLike) -> str:
    """Return a position as a board of text, seen and numbered by the side on roll.

    `O` is the side on roll, `X` the other. The bar is in the middle and the checkers borne off
    are at the right: above those of `O` on the bar and of `X` off, below those of `X` on the bar
    and of `O` off. More than five checkers in a place are four and the number of all. A pinned
    checker is a small letter at the bottom of its stack, not counted in the number above it; a
    last line says so if there is one. The table beneath the board gives pip counts, checkers on
    the bar and off, and where each side moves and has its home, in the numbers of the board. No
    line ends in a blank; there is no newline at the end.

    >>> from types import SimpleNamespace
    >>> from tavli_fast.rules import FEVGA
    >>> opp = (0,) * 13 + (1,) + (0,) * 10 + (14, 0)
    >>> pins = {"own_pinned": (), "opp_pinned": ()}
    >>> sides = {"own": FEVGA.start, "opp": opp, "pip_counts": (360, 349)}
    >>> print(board(SimpleNamespace(ruleset=FEVGA, **sides, **pins)))
    fevga
    +13-14-15-16-17-18-+---+19-20-21-22-23-24-+---+
    |                  |   |                O |   |
    |                  |   |                O |   |
    |                  |   |                O |   |
    |                  |   |                O |   |
    |                  |   |               15 |   |
    |                  |bar|                  |off|
    |14                |   |                  |   |
    | X                |   |                  |   |
    | X                |   |                  |   |
    | X                |   |                  |   |
    | X                |   |                X |   |
    +12-11-10--9--8--7-+---+-6--5--4--3--2--1-+---+
               pips  bar  off  path               home
    O on roll   360    0    0  24 to 1            6 to 1
    X           349    0    0  12 to 1, 24 to 13  18 to 13
    """
    movement = position.ruleset.movement
    own, opp = position.own, position.opp
    upper = [_point_stack(position, point) for point in _UPPER]
    lower = [_point_stack(position, point) for point in _LOWER]
    upper_trays = _stack(own[BAR], _OWN), _stack(opp[OFF], _OPP)
    lower_trays = _stack(opp[BAR], _OPP), _stack(own[OFF], _OWN)
    own_pips, opp_pips = position.pip_counts
    opp_path, opp_home = _OPP_WAY[movement]
    return "\n".join(
        [
            str(position.ruleset),
            _edge(_UPPER),
            *(_row(upper, *upper_trays, height) for height in range(_ROWS)),
            f"|{'':18}|bar|{'':18}|off|",
            *(_row(lower, *lower_trays, height) for height in reversed(range(_ROWS))),
            _edge(_LOWER),
            f"{'':9}  pips  bar  off  {'path':17}  home",
            f"{_OWN} on roll  {own_pips:4}  {own[BAR]:3}  {own[OFF]:3}  {'24 to 1':17}  6 to 1",
            f"{_OPP:9}  {opp_pips:4}  {opp[BAR]:3}  {opp[OFF]:3}  {opp_path:17}  {opp_home}",
            *([_LEGEND] if position.own_pinned or position.opp_pinned else []),
        ]
    )


def _point_stack(position: PositionLike, point: int) -> list[str]:
    """Return what stands on a point, from the edge of the board to the middle."""
    opp_point = position.ruleset.movement.opp_point(point)
    own, opp = position.own[point], position.opp[opp_point]
    if point in position.own_pinned:
        return [_OWN.lower(), *_stack(opp, _OPP, _ROWS - 1)]
    if opp_point in position.opp_pinned:
        return [_OPP.lower(), *_stack(own, _OWN, _ROWS - 1)]
    return _stack(own, _OWN) or _stack(opp, _OPP)


def _stack(checkers: int, sign: str, rows: int = _ROWS) -> list[str]:
    """Return the checkers of one side in a place, from the edge of the board to the middle."""
    if checkers <= rows:
        return [sign] * checkers
    return [sign] * (rows - 1) + [str(checkers)]


def _edge(points: Sequence[int]) -> str:
    numbers = [f"{point:->2}-" for point in points]
    return f"+{''.join(numbers[:6])}+---+{''.join(numbers[6:])}+---+"


def _row(points: list[list[str]], bar: list[str], off: list[str], height: int) -> str:
    stacks = [*points, bar, off]
    cells = [f"{stack[height] if height < len(stack) else '':>2} " for stack in stacks]
    left, right = "".join(cells[:6]), "".join(cells[6:12])
    return f"|{left}|{cells[12]}|{right}|{cells[13]}|"
