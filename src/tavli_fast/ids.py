"""Positions as IDs: this project's own, GNU Backgammon's position ID, and XGID.

All three hold what stands where, seen by the side on roll. The own one tells the game and its
options too, and which checkers are pinned.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from . import notation
from .notation import NotationError, parse_position, single_spaced
from .rules import BAR, RULESETS, Contact, Movement, Ruleset, find_ruleset

__all__ = [
    "Sides",
    "format_gnubg_id",
    "format_id",
    "format_xgid",
    "is_xgid",
    "parse_any",
    "parse_gnubg_id",
    "parse_id",
    "parse_xgid",
]

Sides = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Own and opposing counts (26 each, 0 off to 25 bar), then own and opposing pins."""


class PositionLike(notation.PositionLike, Protocol):
    """What this module asks of a position: game, counts (0 off to 25 bar) and pins."""

    @property
    def ruleset(self) -> Ruleset: ...


_MOST_CHECKERS = 15
_GNUBG_BITS = 80
_GNUBG_ID = re.compile(r"[A-Za-z0-9+/]{14}")
_ID = re.compile(r"(?P<ruleset>[^\W\d][^:/]*):(?P<payload>[^:/]*)")

_XGID = "XGID="
_XGID_POINTS = re.compile(r"[-A-Oa-o]{26}")
_NUMBER = r"[0-9]+"
_XGID_FIELDS = {
    "cube": _NUMBER,
    "cube owner": "-1|0|1",
    "turn": "-1|1",
    "dice": "[1-6]{2}|00|[DBR]",
    "score of the side below": _NUMBER,
    "score of the side above": _NUMBER,
    "rules": "[0-3]",
    "match length": _NUMBER,
    "largest cube": _NUMBER,
}


def parse_any(text: str, ruleset: Ruleset) -> Sides:
    """Return what stands where according to any text or ID of a position of this game.

    The text is one of `notation.parse_position`, or an ID of any kind; an own ID has to be of the
    same ruleset. Raises `NotationError` naming what cannot be read. Whether the counts are
    possible is not asked.

    >>> from tavli_fast.rules import BACKGAMMON
    >>> texts = "start", "backgammon:4HPwATDgc_ABMA", "4HPwATDgc/ABMA"
    >>> len({parse_any(text, BACKGAMMON) for text in texts})
    1
    """
    if is_xgid(text):
        return parse_xgid(text, ruleset)[0]
    plain = single_spaced(text)
    if _GNUBG_ID.fullmatch(plain):
        return parse_gnubg_id(text, ruleset)
    if _ID.fullmatch(plain):
        of, sides = parse_id(text)
        if of != ruleset:
            raise NotationError(f"{text!r} is a position of {of}, not of {ruleset}")
        return sides
    return parse_position(text, ruleset)


# The ID of this project


def format_id(position: PositionLike) -> str:
    """Return the ID of a position: its game with options, `:`, and letters for what is where.

    The letters are base64 as in URLs (`A` to `Z`, `a` to `z`, `0` to `9`, `-`, `_`) of bytes that
    hold bits, the lowest of each byte first. For the points 1 to 24 and the bar of the other side,
    then of the own side, each in its own numbering, come as many ones as it has checkers there
    and a zero; then, where checkers pin, a bit for each point with both sides on it, by
    own numbers from 1: one if the own checker is the pinned. Zeros fill the last byte. Who is
    missing is off. Raises `NotationError` for a ruleset that `find_ruleset` cannot name.

    >>> from types import SimpleNamespace
    >>> from tavli_fast.rules import FEVGA
    >>> start = {"own": FEVGA.start, "opp": FEVGA.start, "own_pinned": ()}
    >>> format_id(SimpleNamespace(ruleset=FEVGA.replace(mother_prime="free"), **start))
    'fevga(mother_prime=free):AACA_z8AAID_Pw'
    """
    ruleset = position.ruleset
    row = RULESETS.get(ruleset.game)
    if row is None or ruleset != row.replace(
        **{name: getattr(ruleset, name) for name in row.options}
    ):
        raise NotationError(f"{ruleset} has no position ID: find_ruleset does not know its rules")
    payload = _payload(position.own, position.opp, position.own_pinned, ruleset)
    return f"{str(ruleset).replace(' ', '')}:{payload}"


def parse_id(text: str) -> tuple[Ruleset, Sides]:
    """Return the ruleset and what stands where, as `format_id` has written them.

    Raises `NotationError` for a text that is not exactly what `format_id` writes for some counts
    and pins, but for case, spaces and aliases in the ruleset. Whether the counts are possible is
    not asked.

    >>> ruleset, sides = parse_id("hypergammon:AACgAgAAKg")
    >>> ruleset, sides[0] == ruleset.start
    (find_ruleset('hypergammon'), True)
    >>> parse_id("hypergammon:AACgAgAA")
    Traceback (most recent call last):
        ...
    tavli_fast.notation.NotationError: the position ID 'hypergammon:AACgAgAA' is damaged
    """
    match = _ID.fullmatch(single_spaced(text))
    if match is None:
        raise NotationError(
            f"{text!r} is not a position ID; one is a game, ':' and letters for what is where"
        )
    try:
        ruleset = find_ruleset(match["ruleset"])
    except ValueError as error:
        raise NotationError(f"{error}, in the position ID {text!r}") from None
    payload = match["payload"]
    try:
        data = base64.b64decode(payload + "=" * (-len(payload) % 4), b"-_", validate=True)
    except ValueError:
        raise _damaged(text) from None
    own, opp, rest = _read_counts(data, ruleset, text)
    shared = _shared_points(own, opp, ruleset)
    under = dict(zip(shared, rest, strict=False))
    own_pinned = tuple(point for point in shared if under.get(point) == "1")
    opp_pinned = sorted(
        ruleset.movement.opp_point(point) for point in shared if point not in own_pinned
    )
    # There is but one way to write a position, so this finds whatever is missing or too much.
    if _payload(own, opp, own_pinned, ruleset) != payload:
        raise _damaged(text)
    return ruleset, (own, opp, own_pinned, tuple(opp_pinned))


def _payload(
    own: tuple[int, ...], opp: tuple[int, ...], own_pinned: Sequence[int], ruleset: Ruleset
) -> str:
    bits = _unary(own, opp) + "".join(
        "1" if point in own_pinned else "0" for point in _shared_points(own, opp, ruleset)
    )
    return base64.urlsafe_b64encode(_bytes(bits)).decode().rstrip("=")


def _shared_points(own: tuple[int, ...], opp: tuple[int, ...], ruleset: Ruleset) -> list[int]:
    """Return the own points on which one side is pinned by the other."""
    if ruleset.contact is not Contact.PIN:
        return []
    return [p for p in range(1, BAR) if own[p] and opp[ruleset.movement.opp_point(p)]]


# GNU Backgammon's position ID


def format_gnubg_id(position: PositionLike) -> str:
    """Return the position ID that GNU Backgammon has for a position.

    Raises `NotationError` unless the game is one of hits in contrary movement with at most 15
    checkers a side.

    >>> from types import SimpleNamespace
    >>> from tavli_fast.rules import PORTES
    >>> format_gnubg_id(SimpleNamespace(ruleset=PORTES, own=PORTES.start, opp=PORTES.start))
    '4HPwATDgc/ABMA'
    """
    _check_game(position.ruleset, "gnubg position ID")
    return _gnubg_id(position.own, position.opp)


def parse_gnubg_id(text: str, ruleset: Ruleset) -> Sides:
    """Return what stands where according to a position ID of GNU Backgammon.

    Who is missing to the ruleset's number of checkers is off. Raises `NotationError` for a text
    that is no such ID, and for a game that has none. Whether the counts are possible is not asked.

    >>> from tavli_fast.rules import PORTES
    >>> own, opp, *_ = parse_gnubg_id("sGfwATDgc/ABMA", PORTES)
    >>> own == PORTES.start, opp[5], opp[6]
    (True, 2, 4)
    """
    _check_game(ruleset, "gnubg position ID")
    plain = single_spaced(text)
    if not _GNUBG_ID.fullmatch(plain):
        raise NotationError(f"{text!r} is not a gnubg position ID; one looks like '4HPwATDgc/ABMA'")
    own, opp, _ = _read_counts(base64.b64decode(plain + "=="), ruleset, text)
    if _gnubg_id(own, opp) != plain:
        raise _damaged(text)
    return own, opp, (), ()


def _gnubg_id(own: tuple[int, ...], opp: tuple[int, ...]) -> str:
    bits = _unary(own, opp).ljust(_GNUBG_BITS, "0")
    return base64.b64encode(_bytes(bits)).decode().rstrip("=")


# XGID


def is_xgid(text: str) -> bool:
    """Return whether a text claims to be an XGID: whether it begins with `XGID=`.

    >>> is_xgid("xgid=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10"), is_xgid("start")
    (True, False)
    """
    return single_spaced(text)[: len(_XGID)].upper() == _XGID


def format_xgid(position: PositionLike, roll: Sequence[int] | None = None) -> str:
    """Return a position, and the two dice if they are thrown, as an XGID.

    The side on roll is below, in capitals. The rest says that it is money play without a cube
    turned. Raises `NotationError` as `format_gnubg_id` does.

    >>> from types import SimpleNamespace
    >>> from tavli_fast.rules import PORTES
    >>> start = SimpleNamespace(ruleset=PORTES, own=PORTES.start, opp=PORTES.start)
    >>> format_xgid(start, (5, 2))
    'XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10'
    """
    _check_game(position.ruleset, "XGID")
    below, above = (0, *position.own[1:]), (0, *position.opp[1:])
    points = "".join(map(_letter, below, reversed(above)))
    dice = "{}{}".format(*roll) if roll else "00"
    return f"{_XGID}{points}:0:0:1:{dice}:0:0:0:0:10"


def _letter(below: int, above: int) -> str:
    """Return the sign of a point: `A` is one checker of the side below, `a` one of the other."""
    if below:
        return chr(ord("A") - 1 + below)
    return chr(ord("a") - 1 + above) if above else "-"


def parse_xgid(text: str, ruleset: Ruleset) -> tuple[Sides, tuple[int, int] | None]:
    """Return what stands where according to an XGID, seen by the side on roll, and the dice.

    The dice are None where none are thrown; cube, scores and match length must be there, but are
    not used. Who is missing to the ruleset's number of checkers is off. Raises `NotationError`
    naming what cannot be read, and for a game that has no XGID. Whether the counts are possible
    is not asked.

    >>> from tavli_fast.rules import PORTES
    >>> sides, roll = parse_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10", PORTES)
    >>> sides[0] == sides[1] == PORTES.start, roll
    (True, (5, 2))
    """
    _check_game(ruleset, "XGID")
    if not is_xgid(text):
        raise NotationError(f"{text!r} is not an XGID; one begins with {_XGID!r}")
    points, *fields = single_spaced(text)[len(_XGID) :].split(":")
    if not _XGID_POINTS.fullmatch(points):
        raise NotationError(
            f"cannot read {points!r} in {text!r}; the points are 26 of A to O, a to o and -"
        )
    if len(fields) != len(_XGID_FIELDS):
        raise NotationError(
            f"{text!r} has {len(fields)} fields after the points, not {len(_XGID_FIELDS)}"
        )
    for value, (name, pattern) in zip(fields, _XGID_FIELDS.items(), strict=True):
        if not re.fullmatch(pattern, value):
            raise NotationError(f"{value!r} cannot be the {name} in {text!r}")
    if points[0].isupper() or points[-1].islower():
        raise NotationError(f"a checker is on the other side's bar in {text!r}")
    below = [ord(sign) - ord("A") + 1 if sign.isupper() else 0 for sign in points]
    above = [ord(sign) - ord("a") + 1 if sign.islower() else 0 for sign in reversed(points)]
    _, _, turn, dice, *_ = fields
    own, opp = (below, above) if turn == "1" else (above, below)
    roll = (int(dice[0]), int(dice[1])) if dice.isdecimal() and dice != "00" else None
    return (_with_off(own[1:], ruleset), _with_off(opp[1:], ruleset), (), ()), roll


# What the forms share


def _check_game(ruleset: Ruleset, kind: str) -> None:
    if (
        ruleset.contact is not Contact.HIT
        or ruleset.movement is not Movement.CONTRARY
        or ruleset.checkers > _MOST_CHECKERS
    ):
        raise NotationError(
            f"{ruleset.game} has no {kind}; the games that have are those of hits in contrary "
            f"movement with at most {_MOST_CHECKERS} checkers"
        )


def _unary(own: tuple[int, ...], opp: tuple[int, ...]) -> str:
    return "".join("1" * side[p] + "0" for side in (opp, own) for p in range(1, BAR + 1))


def _read_counts(
    data: bytes, ruleset: Ruleset, text: str
) -> tuple[tuple[int, ...], tuple[int, ...], str]:
    """Return own counts, opposing counts and the bits that follow them."""
    bits = "".join(f"{byte:08b}"[::-1] for byte in data)
    *runs, rest = bits.split("0", 2 * BAR)
    if len(runs) < 2 * BAR:
        raise _damaged(text)
    counts = [len(run) for run in runs]
    return _with_off(counts[BAR:], ruleset), _with_off(counts[:BAR], ruleset), rest


def _damaged(text: str) -> NotationError:
    return NotationError(f"the position ID {text!r} is damaged")


def _with_off(counts: Iterable[int], ruleset: Ruleset) -> tuple[int, ...]:
    """Return 26 counts, given those of the points 1 to 24 and the bar."""
    there = tuple(counts)
    return max(0, ruleset.checkers - sum(there)), *there


def _bytes(bits: str) -> bytes:
    """Return bits as bytes, the lowest of each byte first, zeros added to the last."""
    return int(bits[::-1], 2).to_bytes(-(-len(bits) // 8), "little")
