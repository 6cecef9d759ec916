"""The games as data: what a ruleset is, which options it has, and how it is named.

A game is a row of `Ruleset` values. Nothing outside this file knows a game by name; the rest of
the library asks only for mechanics (contact, movement) and options.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

__all__ = ["OPTIONS", "RULESETS", "TAVLI", "Ban", "Contact", "Movement", "Ruleset", "find_ruleset"]

OFF, BAR = 0, 25


class Contact(enum.Enum):
    """What happens when a checker meets opposing ones."""

    HIT = "hit"
    PIN = "pin"
    HOLD = "hold"


class Movement(enum.Enum):
    """How the two paths lie to each other.

    `CONTRARY`: my point p is the opponent's 25 - p. `PARALLEL`: both move the same way round
    from opposite corners, and my p is his p + 12 or p - 12.
    """

    CONTRARY = "contrary"
    PARALLEL = "parallel"

    def opp_point(self, point: int) -> int:
        """Return the number that the other side gives a point of mine, 1 to 24.

        >>> Movement.CONTRARY.opp_point(6), Movement.PARALLEL.opp_point(6)
        (19, 18)
        """
        if self is Movement.CONTRARY:
            return 25 - point
        return point + 12 if point <= 12 else point - 12


class Ban(enum.IntFlag):
    """The blockades that some ruleset forbids, each named for the option that does."""

    TOTAL_BLOCK = 1
    START_QUARTER = 2
    MOTHER_PRIME = 4
    SIX_PRIME = 8


OPTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "bear_off": ("if_other_step", "optional"),
        "opening": ("reroll", "play_numbers"),
        "triple": ("off", "on"),
        "hit_and_run": ("allowed", "not_at_home"),
        "runner": ("enter", "pass", "off"),
        "runner_release": ("mid_turn", "turn_end"),
        "total_block": ("no_playable_number", "all_on_one_point", "off"),
        "total_block_remedy": ("may_not_build", "must_open"),
        "start_quarter": ("banned", "free"),
        "mother_prime": ("banned", "while_occupied", "free"),
        "mother": ("unless_mutual", "loss", "off"),
        "mother_points": ("2", "3"),
        "bear_off_while_pinned": ("allowed", "forbidden"),
        "cascade_from": ("1", "4", "0"),
        "cascade_extent": ("chain", "single"),
        "unfinished": ("forfeit", "opponent_plays"),
        "head": ("one_a_turn", "free"),
        "head_exception": ("two_on_doubles", "if_needed", "none"),
        "six_prime": ("needs_one_ahead", "forbidden", "free"),
        "last_roll_draw": ("off", "on"),
    }
)
"""Every option with its values. Which of them a game has, and its default, is in the game's row."""


_ONLY_WITH = {
    Contact.HIT: ("hit_and_run",),
    Contact.PIN: ("mother", "bear_off_while_pinned"),
    Contact.HOLD: (
        "runner",
        "total_block",
        "start_quarter",
        "mother_prime",
        "head",
        "six_prime",
    ),
}
"""Options that are rules of one kind of contact alone."""


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Ruleset:
    """The rules of one game with every disputed rule settled.

    `start` holds the checkers of one side by own point, 0 (off) to 25 (bar). `options` names the
    fields that players of this game dispute; `replace` changes those and no others. The other
    fields say that a mechanic is absent.

    >>> FEVGA.replace(mother_prime="free")
    find_ruleset('fevga(mother_prime=free)')
    >>> FEVGA.replace(mother_prime="free").checkers
    15
    """

    game: str
    title: str
    aliases: tuple[str, ...] = ()
    contact: Contact
    movement: Movement
    start: tuple[int, ...]
    options: tuple[str, ...]
    bear_off: str = "if_other_step"
    opening: str = "reroll"
    triple: str = "off"
    hit_and_run: str = "allowed"
    runner: str = "off"
    runner_release: str = "mid_turn"
    total_block: str = "off"
    total_block_remedy: str = "may_not_build"
    start_quarter: str = "free"
    mother_prime: str = "free"
    mother: str = "off"
    mother_points: str = "2"
    bear_off_while_pinned: str = "allowed"
    cascade_from: str = "0"
    cascade_extent: str = "chain"
    unfinished: str = "forfeit"
    head: str = "free"
    head_exception: str = "none"
    six_prime: str = "free"
    last_roll_draw: str = "off"

    def __post_init__(self) -> None:
        for name, kind in (("contact", Contact), ("movement", Movement)):
            if not isinstance(getattr(self, name), kind):
                raise ValueError(
                    f"{self.game}: {name} is {getattr(self, name)!r}, not a {kind.__name__}"
                )
        # Not typed: what the annotation says is what is to be checked.
        start: Any = self.start
        if not (
            isinstance(start, tuple)
            and len(start) == BAR + 1
            and all(type(count) is int and count >= 0 for count in start)
            and 0 < self.checkers < 256
        ):
            raise ValueError(
                f"{self.game}: start is a tuple of the checkers of one side on points 0 to 25, "
                "1 to 255 in all"
            )
        for name, values in OPTIONS.items():
            value = getattr(self, name)
            if value not in values:
                raise ValueError(
                    f"{self.game}: {name} cannot be {value!r}; it is one of {', '.join(values)}"
                )
        self._refuse_what_no_game_joins()

    def _refuse_what_no_game_joins(self) -> None:
        """Raise `ValueError` for mechanics that nobody has said how they go together."""
        if self.movement is Movement.PARALLEL and self.contact is not Contact.HOLD:
            raise ValueError(f"{self.game}: {self.contact.value} has no rules in parallel movement")
        for contact, names in _ONLY_WITH.items():
            for name in names:
                value = getattr(self, name)
                if self.contact is not contact and value != getattr(Ruleset, name):
                    raise ValueError(
                        f"{self.game}: {name}={value} has no rules with contact "
                        f"{self.contact.value}, only with {contact.value}"
                    )
        if self.mother_prime != "free" and self.movement is Movement.CONTRARY:
            raise ValueError(
                f"{self.game}: mother_prime={self.mother_prime} has no rules in contrary movement"
            )
        if self.head_exception == "if_needed" and self.runner != "off":
            raise ValueError(
                f"{self.game}: head_exception=if_needed has no rules with a runner, "
                f"such as runner={self.runner}"
            )

    @property
    def checkers(self) -> int:
        """How many checkers a side has, borne off included."""
        return sum(self.start)

    def replace(self, **options: str) -> Ruleset:
        """Return this ruleset with other values for some of its options.

        Raises `ValueError` for an option this game does not have, listing those it has, and for
        an unknown value, listing the known ones.

        >>> MOULTEZIM.replace(runner="enter").runner
        'enter'
        >>> PORTES.replace(runner="enter")
        Traceback (most recent call last):
            ...
        ValueError: portes has no option 'runner'; it has bear_off, opening, triple, hit_and_run
        """
        for name in options:
            if name not in self.options:
                raise ValueError(
                    f"{self.game} has no option {name!r}; it has {', '.join(self.options)}"
                )
        changes: dict[str, Any] = dict(options)
        return dataclasses.replace(self, **changes)

    def __str__(self) -> str:
        """The text `find_ruleset` understands: the game, and the options that differ from its row.

        >>> str(FEVGA), str(FEVGA.replace(runner="pass", start_quarter="free"))
        ('fevga', 'fevga(runner=pass, start_quarter=free)')
        """
        row = RULESETS.get(self.game, self)
        changed = [
            f"{name}={getattr(self, name)}"
            for name in self.options
            if getattr(self, name) != getattr(row, name)
        ]
        return f"{self.game}({', '.join(changed)})" if changed else self.game

    def __repr__(self) -> str:
        return f"find_ruleset({str(self)!r})"


def _side(points: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(points.get(point, 0) for point in range(OFF, BAR + 1))


_BACKGAMMON_START = _side({24: 2, 13: 5, 8: 3, 6: 5})
_ALL_ON_24 = _side({24: 15})

PORTES = Ruleset(
    game="portes",
    title="Portes",
    contact=Contact.HIT,
    movement=Movement.CONTRARY,
    start=_BACKGAMMON_START,
    options=("bear_off", "opening", "triple", "hit_and_run"),
)
BACKGAMMON = dataclasses.replace(
    PORTES, game="backgammon", title="Backgammon", opening="play_numbers", triple="on"
)
TAVLA = dataclasses.replace(PORTES, game="tavla", title="Tavla", hit_and_run="not_at_home")
HYPERGAMMON = dataclasses.replace(
    BACKGAMMON,
    game="hypergammon",
    title="Hypergammon",
    aliases=("hyper_backgammon",),
    start=_side({24: 1, 23: 1, 22: 1}),
)
NACKGAMMON = dataclasses.replace(
    BACKGAMMON,
    game="nackgammon",
    title="Nackgammon",
    start=_side({24: 2, 23: 2, 13: 4, 8: 3, 6: 4}),
)
PLAKOTO = Ruleset(
    game="plakoto",
    title="Plakoto",
    aliases=("tsilliton",),
    contact=Contact.PIN,
    movement=Movement.CONTRARY,
    start=_ALL_ON_24,
    options=("bear_off", "opening", "mother", "mother_points", "bear_off_while_pinned"),
    mother="unless_mutual",
)
TAPA = dataclasses.replace(PLAKOTO, game="tapa", title="Tapa", aliases=(), mother="off")
MAHBUSA = dataclasses.replace(
    TAPA,
    game="mahbusa",
    title="Mahbusa",
    aliases=("mahbouseh", "mahbousa", "mahbooseh"),
    bear_off_while_pinned="forbidden",
)
FEVGA = Ruleset(
    game="fevga",
    title="Fevga",
    aliases=("tawla31", "tawla_31"),
    contact=Contact.HOLD,
    movement=Movement.PARALLEL,
    start=_ALL_ON_24,
    options=(
        "bear_off",
        "opening",
        "runner",
        "runner_release",
        "total_block",
        "total_block_remedy",
        "start_quarter",
        "mother_prime",
    ),
    opening="play_numbers",
    runner="enter",
    total_block="no_playable_number",
    start_quarter="banned",
    mother_prime="banned",
)
MOULTEZIM = dataclasses.replace(
    FEVGA,
    game="moultezim",
    title="Moultezim",
    aliases=("multezim", "mültezim"),
    runner="pass",
)
GUL_BARA = Ruleset(
    game="gul_bara",
    title="Gul Bara",
    aliases=("gulbara", "crazy_narde", "rosespring"),
    contact=Contact.HOLD,
    movement=Movement.PARALLEL,
    start=_ALL_ON_24,
    options=("bear_off", "opening", "cascade_from", "cascade_extent", "unfinished"),
    cascade_from="1",
)
GIOUL = dataclasses.replace(
    GUL_BARA,
    game="gioul",
    title="Gioul",
    aliases=("giul",),
    movement=Movement.CONTRARY,
    unfinished="opponent_plays",
)
LONG_NARDY = Ruleset(
    game="long_nardy",
    title="Long Nardy",
    aliases=("nardy", "nardi", "narde", "long_nardi", "long_narde"),
    contact=Contact.HOLD,
    movement=Movement.PARALLEL,
    start=_ALL_ON_24,
    options=("bear_off", "opening", "head", "head_exception", "six_prime", "last_roll_draw"),
    head="one_a_turn",
    head_exception="two_on_doubles",
    six_prime="needs_one_ahead",
)

RULESETS: Mapping[str, Ruleset] = MappingProxyType(
    {
        ruleset.game: ruleset
        for ruleset in (
            PORTES,
            BACKGAMMON,
            TAVLA,
            HYPERGAMMON,
            NACKGAMMON,
            PLAKOTO,
            TAPA,
            MAHBUSA,
            FEVGA,
            MOULTEZIM,
            GUL_BARA,
            GIOUL,
            LONG_NARDY,
        )
    }
)
"""Every game under its default rules, by its key."""

TAVLI = (PORTES, PLAKOTO, FEVGA)
"""The games of a tavli match, in their order."""

_ALIASES = {alias: row for row in RULESETS.values() for alias in row.aliases}
# Spaces are taken off what is found: a pattern that skipped them could go over a long text again
# and again.
_RULESET_TEXT = re.compile(r"(?P<game>[^()]+)(?:\((?P<options>[^()]*)\))?")


def find_ruleset(text: str) -> Ruleset:
    """Return the ruleset that a text names: a game or alias, with options in brackets.

    Letter case and spaces do not matter, nor does `-` for `_`. Raises `ValueError` naming what is
    wrong and listing what exists.

    >>> find_ruleset("Fevga (mother_prime=free)").mother_prime
    'free'
    >>> find_ruleset("tawla31") is FEVGA
    True
    >>> find_ruleset("Long-Nardi(head_exception=none)")
    find_ruleset('long_nardy(head_exception=none)')
    >>> find_ruleset("chess")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: unknown game 'chess'; the games are portes, backgammon, tavla, ...
    """
    given: Any = text
    match = _RULESET_TEXT.fullmatch(given.strip()) if isinstance(given, str) else None
    game = match["game"].strip() if match else ""
    if match is None or not game:
        raise ValueError(
            f"no text of a ruleset: {text!r}; write it like 'fevga(mother_prime=free)'"
        )
    key = re.sub(r"[\s-]+", "_", game.casefold())
    row = RULESETS.get(key) or _ALIASES.get(key)
    if row is None:
        raise ValueError(f"unknown game {game!r}; the games are {', '.join(RULESETS)}")
    options: dict[str, str] = {}
    for item in filter(None, map(str.strip, (match["options"] or "").split(","))):
        name, equals, value = (part.strip().casefold() for part in item.partition("="))
        if not equals or not value:
            raise ValueError(f"not an option: {item!r} in {text!r}; write it like 'runner=pass'")
        if name in options:
            raise ValueError(f"option {name!r} is given twice in {text!r}")
        options[name] = value
    return row.replace(**options) if options else row
