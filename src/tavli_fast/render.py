"""Positions as boards of text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

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
_LOWER_WAY = "24 to 1", "6 to 1"
_UPPER_WAY = {
    Movement.CONTRARY: ("1 to 24", "19 to 24"),
    Movement.PARALLEL: ("12 to 1, 24 to 13", "18 to 13"),
}


class _Side(NamedTuple):
    sign: str
    name: str
    counts: tuple[int, ...]
    pinned: Collection[int]
    pips: int


def board(position: PositionLike, *, below: str = "own") -> str:
    """Return a position as a board of text, seen and numbered by one side, `own` or `opp`.

    `O` is the side on roll, `X` the other. The bar is in the middle and the checkers borne off
    are at the right: below those off of the side that sees the board so, and those on the bar of
    the other; above the reverse. More than five checkers in a place are four and the number of
    all. A pinned checker is a small letter at the bottom of its stack, not counted in the number
    above it; a last line says so if there is one. The table beneath the board gives pip counts,
    checkers on the bar and off, and where each side moves and has its home, in the numbers of the
    board. No line ends in a blank; there is no newline at the end. Raises `ValueError` for another
    `below`.

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
    if below not in ("own", "opp"):
        raise ValueError(f"below is 'own' or 'opp', not {below!r}")
    movement = position.ruleset.movement
    own_pips, opp_pips = position.pip_counts
    own = _Side(_OWN, f"{_OWN} on roll", position.own, position.own_pinned, own_pips)
    opp = _Side(_OPP, _OPP, position.opp, position.opp_pinned, opp_pips)
    lower, upper = (own, opp) if below == "own" else (opp, own)
    upper_stacks = [_point_stack(lower, upper, point, movement) for point in _UPPER]
    lower_stacks = [_point_stack(lower, upper, point, movement) for point in _LOWER]
    upper_trays = _tray_stack(lower, BAR), _tray_stack(upper, OFF)
    lower_trays = _tray_stack(upper, BAR), _tray_stack(lower, OFF)
    return "\n".join(
        [
            str(position.ruleset),
            _edge(_UPPER),
            *(_row(upper_stacks, *upper_trays, height) for height in range(_ROWS)),
            f"|{'':18}|bar|{'':18}|off|",
            *(_row(lower_stacks, *lower_trays, height) for height in reversed(range(_ROWS))),
            _edge(_LOWER),
            f"{'':9}  pips  bar  off  {'path':17}  home",
            *(
                _line(side, *(_LOWER_WAY if side is lower else _UPPER_WAY[movement]))
                for side in (own, opp)
            ),
            *([_LEGEND] if own.pinned or opp.pinned else []),
        ]
    )


def _line(side: _Side, path: str, home: str) -> str:
    bar, off = side.counts[BAR], side.counts[OFF]
    return f"{side.name:9}  {side.pips:4}  {bar:3}  {off:3}  {path:17}  {home}"


def _point_stack(lower: _Side, upper: _Side, point: int, movement: Movement) -> list[str]:
    """Return what stands on a point, from the edge of the board to the middle."""
    upper_point = movement.opp_point(point)
    checkers, others = lower.counts[point], upper.counts[upper_point]
    if point in lower.pinned:
        return [lower.sign.lower(), *_stack(others, upper.sign, _ROWS - 1)]
    if upper_point in upper.pinned:
        return [upper.sign.lower(), *_stack(checkers, lower.sign, _ROWS - 1)]
    return _stack(checkers, lower.sign) or _stack(others, upper.sign)


def _tray_stack(side: _Side, point: int) -> list[str]:
    return _stack(side.counts[point], side.sign)


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
