"""Whole games of self-play as arrays to learn from, made by threads or by any executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from operator import index
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from .arrays import as_threads
from .batch import Afterstates, empty_records, pip_counts
from .match import PLY_CAP
from .playouts import POLICIES, as_generator, spawned
from .position import POSITION, IllegalPosition
from .rules import Ruleset
from .selfplay import SelfPlay
from .sharing import Progress, in_shares

__all__ = ["Games", "Player", "generate_games"]

Player = Callable[[Afterstates, SelfPlay, np.random.Generator], NDArray[Any]]

_SHARE = 2048
"""Games of a share."""
_LOCKSTEP = 256
"""Of these at once: so many fewer that little is lost while the last ones end."""


class Games(NamedTuple):
    """What `generate_games` returns: the plies of all games, one game after another.

    `positions`: (m,) POSITION, before each ply, seen by the player on roll. `rolls`: (m, 2) uint8.
    `chosen`: (m,) POSITION, what was played, seen by the mover. `players`: (m,) uint8, who moved.
    `offsets`: (games + 1,) int64; the plies of game i are those from `offsets[i]` to before
    `offsets[i + 1]`. `points`: (games,) int8, won by player 0, negative if lost. `capped`: (games,)
    bool, the games given up, whose points are 0.
    """

    positions: NDArray[np.void]
    rolls: NDArray[np.uint8]
    chosen: NDArray[np.void]
    players: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    points: NDArray[np.int8]
    capped: NDArray[np.bool_]

    @property
    def outcomes(self) -> NDArray[np.int8]:
        """The points that the mover of each ply won in the end: (m,) int8."""
        # As NumPy repeats: by numbers of the machine's own size.
        points = np.repeat(self.points, np.diff(self.offsets).astype(np.intp, copy=False))
        return np.where(self.players == 0, points, -points)


def generate_games(
    ruleset: Ruleset,
    games: SupportsIndex,
    rng: Any,
    player: str | Player = "random",
    *,
    ply_cap: int | None = PLY_CAP,
    threads: SupportsIndex = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Games:
    """Play games of one ruleset from the start and return all their plies, as `Games`.

    `player` plays both sides: `random`, `pips` (one of the afterstates that leave the mover the
    most pips ahead), or a function that is called as `player(afterstates, play, rng)` and returns
    the choices that `SelfPlay.advance` takes. `rng`: a `numpy.random.Generator`, or a seed. The
    games are shared out to `threads` or to an `executor`, for which a function must be picklable;
    they are the same for any of them. `progress(done, total)` is called with the shares done.

    Raises `ValueError` for a bad argument.

    >>> from tavli_fast import FEVGA
    >>> games = generate_games(FEVGA, 10, rng=1)
    >>> len(games.points), bool(games.offsets[-1] == len(games.positions))
    (10, True)
    """
    try:
        number = index(games)
    except TypeError:
        number = -1
    if number < 0:
        raise ValueError(f"games is a number of games, not {games!r}")
    if not callable(player) and player not in POLICIES:
        raise ValueError(f"player is a function or one of {', '.join(POLICIES)}, not {player!r}")
    sizes = [_SHARE] * (number // _SHARE) + [number % _SHARE] * (number % _SHARE > 0)
    generators = spawned(rng, len(sizes))
    shares = [
        (ruleset, size, generator, player, ply_cap)
        for size, generator in zip(sizes, generators, strict=True)
    ]
    parts = in_shares(
        _share, shares, threads=as_threads(threads), executor=executor, progress=progress
    )
    if not parts:
        parts = [_share(ruleset, 0, as_generator(0), player, ply_cap)]
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("rolls", "players", "points", "capped")
    }
    for name in ("positions", "chosen"):
        columns[name] = _records(np.concatenate([_rows(getattr(part, name)) for part in parts]))
    return Games(offsets=np.concatenate([[0], np.cumsum(lengths)]), **columns)


def _share(
    ruleset: Ruleset,
    number: int,
    rng: np.random.Generator,
    player: str | Player,
    ply_cap: int | None,
) -> Games:
    """Play so many games; every one that was begun is played to its end."""
    slots = max(1, min(number, _LOCKSTEP))
    play = SelfPlay(ruleset, slots, rng, ply_cap=ply_cap)
    choose = _PLAYERS[player] if isinstance(player, str) else player
    # Which game is played where; those begun when there are enough do not count.
    game = np.arange(slots) if number else np.full(slots, number)
    begun = slots
    points = np.zeros(number, np.int8)
    capped = np.zeros(number, np.bool_)
    plies: list[tuple[NDArray[Any], ...]] = []
    room = empty_records(64 * slots)
    while (game < number).any():
        counted = np.flatnonzero(game < number)
        positions, rolls, players = _rows(play.positions), play.rolls, play.players
        try:
            afterstates = play.afterstates(out=room)
        except IllegalPosition:
            # No room is large enough where a player has written into what it was shown.
            raise
        except ValueError:
            room = empty_records(2 * len(room))
            continue
        choice = np.asarray(choose(afterstates, play, rng))
        if play.rolls is not rolls:
            raise ValueError("the player has advanced the games itself; it only chooses")
        chosen = _rows(afterstates.chosen(choice))[counted]
        ply = play.advance(choice)
        plies.append((game[counted], positions[counted], rolls[counted], chosen, players[counted]))
        for at in np.flatnonzero(ply.terminated | ply.truncated):
            if game[at] < number:
                points[game[at]] = ply.points[at] if players[at] == 0 else -ply.points[at]
                capped[game[at]] = ply.truncated[at]
            game[at] = begun
            begun += 1
    if not plies:
        nothing = _rows(play.positions)[:0]
        plies = [(game[:0], nothing, play.rolls[:0], nothing, play.players[:0])]
    games, *columns = (np.concatenate(column) for column in zip(*plies, strict=True))
    order = np.argsort(games, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(games, minlength=number))])
    positions, rolls, chosen, players = (column[order] for column in columns)
    return Games(
        *(_records(positions), rolls, _records(chosen), players),
        *(offsets.astype(np.int64), points, capped),
    )


def _rows(records: NDArray[np.void]) -> NDArray[np.uint8]:
    """The records as rows of bytes, which NumPy gathers many times as fast."""
    return records.view(np.uint8).reshape(-1, POSITION.itemsize)


def _records(rows: NDArray[np.uint8]) -> NDArray[np.void]:
    return np.ascontiguousarray(rows).reshape(-1).view(POSITION)


def _any(result: Afterstates, play: SelfPlay, rng: np.random.Generator) -> NDArray[Any]:
    return rng.integers(result.counts)


def _most_pips_ahead(result: Afterstates, play: SelfPlay, rng: np.random.Generator) -> NDArray[Any]:
    own, opp = pip_counts(result.positions).T
    # Less than a pip, so that it only settles which of equal ones.
    return result.best(opp - own + rng.random(len(own)) / 2)


_PLAYERS: dict[str, Player] = {"random": _any, "pips": _most_pips_ahead}
