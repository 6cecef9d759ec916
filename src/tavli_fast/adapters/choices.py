"""Moves and turns as numbers, the same in every adapter of whole games.

A choice is one whole move: its number is the place of the position it leads to among all that the
roll can lead to, in a fixed order.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from ..batch import to_records
from ..features import feature_names, features
from ..match import Game
from ..position import Position
from ..rules import Ruleset

__all__ = [
    "TURN_UNITS",
    "board_units",
    "choices",
    "most_choices",
    "most_points",
    "observation",
    "units",
]

TURN_UNITS = 20
"""How many of the last units of an `observation` tell of the turn."""

_DICE = 6
_ENCODING = "compact"


def _must_be(kind: type, given: object) -> None:
    if not isinstance(given, kind):
        raise ValueError(f"{given!r} is not a {kind.__name__}")


def choices(game: Game) -> list[Position]:
    """Return what can be chosen in a game: the positions after the move, seen by the mover.

    They are ordered by the mover's checkers, then the other side's, then the pins, each counted
    from 0 (off) to 25 (bar), so the order is the same on every machine. A lost turn is one choice,
    the unchanged position. Raises `ValueError` in a finished game.

    >>> from tavli_fast import FEVGA
    >>> game = Game.start(FEVGA, [(5, 5)], starter=0)
    >>> [position.own[4] for position in choices(game)]
    [0, 1]
    """
    _must_be(Game, game)
    return sorted(
        game.afterstates(), key=lambda position: (position.own, position.opp, position.own_pinned)
    )


def most_choices(ruleset: Ruleset) -> int:
    """Return a number that the choices of one roll never exceed.

    A double with n checkers leads nowhere but where 4 numbers dealt out among the n do, since
    each checker's way is its own: n + 3 over 4. The two numbers of a mixed roll go to two
    checkers in n (n - 1) ways, and to the same one in either order: n (n + 1) in all. Fewer
    numbers have fewer results, and all results of a roll use the same number of them, unless
    bearing off is optional; then those of fewer are added.

    >>> from tavli_fast import HYPERGAMMON, PORTES
    >>> most_choices(PORTES), most_choices(HYPERGAMMON)
    (3060, 15)
    >>> most_choices(PORTES.replace(bear_off="optional"))
    3876
    """
    _must_be(Ruleset, ruleset)
    n = ruleset.checkers
    if ruleset.bear_off == "optional":
        return max(comb(n + 4, 4), n * (n + 1) + 2 * n + 1)
    return max(comb(n + 3, 4), n * (n + 1))


def most_points(ruleset: Ruleset) -> int:
    """Return the most points that one game can give.

    >>> from tavli_fast import BACKGAMMON, FEVGA, PLAKOTO
    >>> most_points(BACKGAMMON), most_points(FEVGA), most_points(PLAKOTO.replace(mother_points="3"))
    (3, 2, 3)
    """
    _must_be(Ruleset, ruleset)
    by_mother = int(ruleset.mother_points) if ruleset.mother != "off" else 0
    return max(3 if ruleset.triple == "on" else 2, by_mother)


def units(ruleset: Ruleset) -> int:
    """Return how many numbers an `observation` has.

    >>> from tavli_fast import PLAKOTO, PORTES
    >>> units(PORTES), units(PLAKOTO)
    (72, 120)
    """
    _must_be(Ruleset, ruleset)
    return len(feature_names(ruleset, _ENCODING)) + TURN_UNITS


def board_units(position: Position) -> NDArray[np.float32]:
    """Return the units of a position: `tavli_fast.features` in the encoding `compact`.

    >>> from tavli_fast import PORTES
    >>> board_units(Position.start(PORTES)).shape
    (52,)
    """
    return features(to_records([position]), position.ruleset, encoding=_ENCODING).ravel()


def observation(game: Game, player: int, rolled: bool = True) -> NDArray[np.float32]:
    """Return what a player sees, as (units,) float32 of 0 to 1.

    That is all the game depends on, but for the ply cap. First come the `board_units` of the
    position as he sees it, then `TURN_UNITS` on the turn: whether the player is to play; the higher
    die, 1 to 6, and the lower, six units each, of which one is 1; how many numbers of a double are
    left, as a part of 4; the last double of a cascade, as a part of 6; whether what is left of the
    other's cascade is played; whether this is the roll that can still make a draw; whether the
    player began the game; how many turns he and the other have begun with a roll, up to 4, as parts
    of 4. The dice are 0 where they have not been `rolled`, and all of the turn but who began is 0
    in a finished game. Raises `ValueError` for another player than 0 and 1.

    >>> from tavli_fast import PORTES
    >>> game = Game.start(PORTES, [(3, 1)], starter=0)
    >>> seen = observation(game, 0)
    >>> seen.shape, seen[52:59].tolist(), seen[59:65].tolist()
    ((72,), [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    """
    _must_be(Game, game)
    if player not in (0, 1):
        raise ValueError(f"the players are 0 and 1, not {player!r}")
    turn = game.turn
    position = game.position if player == game.player else game.position.flip()
    now = np.zeros(TURN_UNITS, np.float32)
    now[17] = player == game.starter
    if not game.is_over:
        now[0] = player == game.player
        if rolled:
            now[max(game.roll)] = now[_DICE + min(game.roll)] = 1
            now[13] = (turn.numbers or 4) / 4
        now[14:17] = turn.cascade_end / _DICE, turn.leftover, turn.last_roll
        now[18:] = [min(turn.throws[each], 4) / 4 for each in (player, 1 - player)]
    return np.concatenate([board_units(position), now])
