"""Moves, positions and rolls as text.

Moves are written as GNU Backgammon and most books write them, `24/18*/13 6/off(2)`. Positions have
a compact line of this project's own that a shell leaves alone,
`24:2,13:5,8:3,6:5/24:2,13:5,8:3,6:5`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol, TypeVar

from .rules import BAR, OFF, Ruleset

__all__ = [
    "NotationError",
    "Run",
    "format_move",
    "format_position",
    "match_move",
    "merge_steps",
    "parse_move",
    "parse_position",
    "parse_roll",
    "single_spaced",
]


class NotationError(ValueError):
    """A text is not a move, a position or a roll; the message names what cannot be read."""


class Run(NamedTuple):
    """One checker's way as a text tells it.

    `points` are where the checker starts, every point named in between and where it ends, in the
    mover's numbering (25 bar, 0 off), descending. `hits` are those with a `*`.
    """

    points: tuple[int, ...]
    hits: frozenset[int]


class PositionLike(Protocol):
    """What this module asks of a position: each side's counts (0 off to 25 bar) and pins."""

    @property
    def own(self) -> tuple[int, ...]: ...
    @property
    def opp(self) -> tuple[int, ...]: ...
    @property
    def own_pinned(self) -> Sequence[int]: ...
    @property
    def opp_pinned(self) -> Sequence[int]: ...


class MoveLike(Protocol):
    """What this module asks of a move: the points where it hits and the position after it."""

    @property
    def hits(self) -> Sequence[int]: ...
    @property
    def after(self) -> PositionLike: ...


MoveT = TypeVar("MoveT", bound=MoveLike)

_POINT_TO_NAME = {point: str(point) for point in range(OFF, BAR + 1)} | {BAR: "bar", OFF: "off"}
_NAME_TO_POINT = {str(point): point for point in range(OFF, BAR + 1)} | {"bar": BAR, "off": OFF}

_LOST_TURN = "pass"
_LOST_TURN_TEXTS = {_LOST_TURN, "-", "no move", "cannot move"}

_RUN = re.compile(r"(?P<points>[^/()]+(?:/[^/()]+)+)(?:\((?P<count>[1-4])\)(?P<star>\*?))?")
_PIECE = re.compile(r"(?P<point>\w+):(?P<count>[0-9]{1,2})(?P<pinned>p?)")
_ROLL = re.compile(r"([1-6]) ?[-,]? ?([1-6])")


def single_spaced(text: str) -> str:
    """Return a text with one space for many and none around it; `NotationError` if it is none.

    Read before any pattern is: one that skips spaces goes over a long text again and again.

    >>> single_spaced("  24/18   \\t 13/11 ")
    '24/18 13/11'
    >>> single_spaced(3)  # type: ignore[arg-type]
    Traceback (most recent call last):
        ...
    tavli_fast.notation.NotationError: a text is wanted, not 3
    """
    if not isinstance(text, str):
        raise NotationError(f"a text is wanted, not {text!r}")
    return " ".join(text.split())


def merge_steps(steps: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return the ways of single checkers that make up the steps of a move.

    `steps` are (from, to) pairs in any order; a way is all points a checker touches, its start
    and end included. A step that starts where another ends continues its way, the rearmost
    checker's first. The ways descend by start, then by end.

    >>> merge_steps([(6, 5), (8, 5)]), merge_steps([(24, 18), (18, 13)])
    ([(8, 5), (6, 5)], [(24, 18, 13)])
    """
    left = sorted(steps, reverse=True)
    ways = []
    while left:
        way = list(left.pop(0))
        while (step := next((step for step in left if step[0] == way[-1]), None)) is not None:
            left.remove(step)
            way.append(step[1])
        ways.append(tuple(way))
    return sorted(ways, key=lambda way: (way[0], way[-1]), reverse=True)


def format_move(steps: Iterable[tuple[int, int]], hits: Iterable[int] = ()) -> str:
    """Return the canonical text of a move.

    `steps` are (from, to) pairs in the mover's numbering, bar 25 and off 0; `hits` are the points
    where a blot is hit, or lies newly pinned at the end. The steps of one checker are merged, the
    rearmost checker comes first, equal runs are counted as in `8/4(2)`. A `*` marks each hit once,
    where its point first occurs, and a point between start and end is named only to bear one. A
    lost turn is `pass`. Moves of one roll that end in different positions have different texts.

    >>> format_move([(18, 13), (24, 18)])
    '24/13'
    >>> format_move([(24, 18), (18, 13)], hits=[18])
    '24/18*/13'
    >>> format_move([(8, 5), (6, 5)], hits=[5])
    '8/5* 6/5'
    >>> format_move([(25, 23), (25, 23), (6, 4), (2, 0)])
    'bar/23(2) 6/4 2/off'
    >>> format_move([])
    'pass'
    """
    unmarked = set(hits)
    runs = []
    for way, count in Counter(merge_steps(steps)).items():
        text = _POINT_TO_NAME[way[0]]
        for point in way[1:]:
            if point in unmarked:
                unmarked.remove(point)
                text += f"/{_POINT_TO_NAME[point]}*"
            elif point == way[-1]:
                text += f"/{_POINT_TO_NAME[point]}"
        runs.append(f"{text}({count})" if count > 1 else text)
    return " ".join(runs) or _LOST_TURN


def parse_move(text: str) -> tuple[Run, ...]:
    """Return what a text says of a move, one run a checker, in the order of the text.

    Single and merged steps are read in any order, with spaces, commas or semicolons between them;
    `/` or `-` between points; `bar` or `25`, `off` or `0`; `*` after a point that is hit; `(2)` to
    `(4)` after a run of several checkers; any letter case. A lost turn has no runs and is written
    `pass`, `-`, `no move` or `cannot move`. Raises `NotationError` naming what cannot be read;
    whether the move can be played is not asked.

    >>> parse_move("24/18*/13")
    (Run(points=(24, 18, 13), hits=frozenset({18})),)
    >>> [run.points for run in parse_move("Bar-20(2), 6-Off")]
    [(25, 20), (25, 20), (6, 0)]
    >>> parse_move("8/26")
    Traceback (most recent call last):
        ...
    tavli_fast.notation.NotationError: '26' is not a point in the move '8/26'
    """
    plain = single_spaced(text).casefold()
    if plain in _LOST_TURN_TEXTS:
        return ()
    plain = re.sub(r" ?[/-] ?", "/", plain)
    plain = re.sub(r" (?=[*(])|(?<=\() | (?=\))", "", plain)
    pieces = [piece for piece in re.split(r"[ ,;]+", plain) if piece]
    if not pieces:
        raise NotationError(f"no move in {text!r}; a lost turn is written {_LOST_TURN!r}")
    return tuple(run for piece in pieces for run in _parse_runs(piece, text))


def _parse_runs(piece: str, text: str) -> list[Run]:
    """Return the runs that a piece like `8/5*(2)` stands for, one a checker."""
    match = _RUN.fullmatch(piece)
    if match is None:
        raise NotationError(f"cannot read {piece!r} in the move {text!r}; write it like '8/5*(2)'")
    names = f"{match['points']}{match['star'] or ''}".split("/")
    points = []
    for name in names:
        point = _NAME_TO_POINT.get(name.removesuffix("*"))
        if point is None:
            raise NotationError(f"{name!r} is not a point in the move {text!r}")
        points.append(point)
    if any(start <= end for start, end in pairwise(points)):
        raise NotationError(f"{piece!r} does not move forwards in the move {text!r}")
    hits = frozenset(point for point, name in zip(points, names, strict=True) if name.endswith("*"))
    if hits & {points[0], OFF}:
        raise NotationError(f"{piece!r} has a '*' where nothing is hit in the move {text!r}")
    return [Run(tuple(points), hits)] * int(match["count"] or 1)


def match_move(text: str, candidates: Iterable[MoveT], before: PositionLike) -> list[MoveT]:
    """Return the moves among the candidates that a text means: none, one, or several.

    `before` is the position the candidates are played from. A text means the moves that put the
    mover's checkers where it says, by whatever way, and hit wherever it has a `*`. Several such
    moves differ by blots hit in passing; those come back whose hits differ least from the ones
    the text names, with a `*` or as a point touched. So a way hits in passing only if the text
    says so, or if there is no other. Raises `NotationError` for a text that is not a move.

    >>> from typing import NamedTuple
    >>> class Side(NamedTuple):
    ...     own: tuple = ()
    ...     opp: tuple = ()
    ...     own_pinned: tuple = ()
    ...     opp_pinned: tuple = ()
    >>> class Play(NamedTuple):
    ...     hits: tuple
    ...     after: Side
    >>> before = Side(own=(0,) * 8 + (1,) + (0,) * 17)
    >>> after = Side(own=(0,) * 4 + (1,) + (0,) * 21)
    >>> plays = [Play((5,), after), Play((), after)]
    >>> [match_move(text, plays, before)[0].hits for text in ("8/4", "8/5*/4", "5/4 8/5")]
    [(), (5,), (5,)]
    """
    own = list(before.own)
    marked: set[int] = set()
    touched: set[int] = set()
    for run in parse_move(text):
        own[run.points[0]] -= 1
        own[run.points[-1]] += 1
        marked |= run.hits
        touched.update(run.points[1:])
    matches = [
        move for move in candidates if move.after.own == tuple(own) and marked.issubset(move.hits)
    ]
    named = touched & {point for move in matches for point in move.hits}
    differences = [len(named.symmetric_difference(move.hits)) for move in matches]
    least = min(differences, default=0)
    return [
        move for move, difference in zip(matches, differences, strict=True) if difference == least
    ]


def format_position(position: PositionLike) -> str:
    """Return a position as one line, the text that `parse_position` reads.

    Own side first, then `/` and the other side, each in its own numbering: `point:checkers` from
    the rear to the front, `bar:` before and `off:` after them where there are any. A `p` after the
    number marks a checker that is pinned.

    >>> from types import SimpleNamespace
    >>> own = (13,) + (0,) * 5 + (1,) + (0,) * 18 + (1,)
    >>> opp = (0, 1) + (0,) * 22 + (14, 0)
    >>> format_position(SimpleNamespace(own=own, opp=opp, own_pinned=(), opp_pinned=(1,)))
    'bar:1,6:1,off:13/24:14,1:1p'
    """
    return "/".join(
        ",".join(
            f"{_POINT_TO_NAME[point]}:{counts[point]}{'p' if point in pinned else ''}"
            for point in range(BAR, OFF - 1, -1)
            if counts[point]
        )
        for counts, pinned in (
            (position.own, position.own_pinned),
            (position.opp, position.opp_pinned),
        )
    )


def parse_position(
    text: str, ruleset: Ruleset
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return own and opposing counts (26 each, 0 off to 25 bar) and own and opposing pins.

    The text is `start`, the ruleset's start position, or what `format_position` writes; spaces,
    letter case and the order of points are free, and `25` and `0` stand for `bar` and `off`. What
    is missing to the ruleset's number of checkers is taken to be off unless `off` is given.
    Raises `NotationError` naming what cannot be read or is given twice. Whether the counts are
    possible is not asked.

    >>> from tavli_fast.rules import PORTES
    >>> own, opp, own_pinned, opp_pinned = parse_position("bar:1,6:2 / 24:15", PORTES)
    >>> own[25], own[6], own[0], opp[24], opp[0]
    (1, 2, 12, 15, 0)
    >>> parse_position("24:15/24:2,x:13", PORTES)
    Traceback (most recent call last):
        ...
    tavli_fast.notation.NotationError: cannot read 'x:13' in the position '24:15/24:2,x:13'; \
write a point like '24:2', 'bar:1' or 'off:3'
    """
    plain = re.sub(r" ?([:/]) ?", r"\1", single_spaced(text).casefold())
    if plain == "start":
        return ruleset.start, ruleset.start, (), ()
    sides = plain.split("/")
    if len(sides) != 2:
        raise NotationError(
            f"{text!r} is not a position; write 'start' or both sides like '24:2,off:13/24:15'"
        )
    own, own_pinned = _parse_side(sides[0], text, ruleset.checkers)
    opp, opp_pinned = _parse_side(sides[1], text, ruleset.checkers)
    return own, opp, own_pinned, opp_pinned


def _parse_side(side: str, text: str, checkers: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return one side's counts and pins."""
    counts: dict[int, int] = {}
    pinned = []
    for piece in filter(None, re.split(r"[ ,]+", side)):
        match = _PIECE.fullmatch(piece)
        point = _NAME_TO_POINT.get(match["point"]) if match else None
        if match is None or point is None:
            raise NotationError(
                f"cannot read {piece!r} in the position {text!r}; "
                "write a point like '24:2', 'bar:1' or 'off:3'"
            )
        if point in counts:
            raise NotationError(
                f"{_POINT_TO_NAME[point]} is given twice for one side in the position {text!r}"
            )
        counts[point] = int(match["count"])
        if match["pinned"]:
            pinned.append(point)
    if not counts:
        raise NotationError(
            f"a side has no checkers in the position {text!r}; "
            f"one that is all borne off is written 'off:{checkers}'"
        )
    counts.setdefault(OFF, max(0, checkers - sum(counts.values())))
    return tuple(counts.get(point, 0) for point in range(OFF, BAR + 1)), tuple(sorted(pinned))


def parse_roll(text: str) -> tuple[int, int]:
    """Return the two dice that a text like `31`, `3-1`, `3,1` or `3 1` shows.

    Raises `NotationError` for anything else.

    >>> parse_roll("3-1")
    (3, 1)
    >>> parse_roll("70")
    Traceback (most recent call last):
        ...
    tavli_fast.notation.NotationError: '70' is not a roll; write two dice like 31, 3-1 or 3,1
    """
    match = _ROLL.fullmatch(single_spaced(text))
    if match is None:
        raise NotationError(f"{text!r} is not a roll; write two dice like 31, 3-1 or 3,1")
    return int(match[1]), int(match[2])
