"""Games and matches: who begins, whose turn it is, what he has to play, and who won how much.

A `Game` or a `Match` never changes; playing returns the next one, and undoing one that was. The
dice are a tape: the same place of it always shows the same roll, so a turn that is taken back and
played otherwise is answered by the same dice.

The two players are 0 and 1.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterable, Iterator
from operator import index
from typing import SupportsIndex

import numpy as np

from .position import IllegalMove, Move, Position
from .rules import OFF, TAVLI, Ruleset

__all__ = ["NEXT_STARTER", "PLY_CAP", "Dice", "Game", "Match", "Result", "Turn"]

Roll = tuple[int, int]

PLY_CAP = 10_000
"""Plies after which a game ends as a draw, unless another cap is given.

Random games can exceed 1,400 plies, and two players who are both stuck would go on for ever.
"""

FURTHEST = 1_000_000
"""How many rolls beyond those thrown a place in the dice may be."""

NEXT_STARTER = ("previous_winner", "roll")
"""Who begins the later games of a match, the usual way first."""


# One for all dice, so that they can be copied and pickled; a script may look at other dice.
_throwing = threading.RLock()


class Dice:
    """Rolls in their order: those of a random generator, or scripted ones.

    `source` is a `numpy.random.Generator`, or an iterable of pairs of numbers from 1 to 6. Rolls
    are thrown when they are first looked at and kept, so `dice[i]` is always the same, and games
    that share a `Dice` from the same place on are played with the same rolls. In an opening roll
    the first die is that of player 0, the second that of player 1.

    Looking at a roll raises `ValueError`, naming its number from 1 on, if it is not two numbers
    from 1 to 6 or if the script has run out, and for a place that is none or more than a million
    rolls ahead.

    >>> dice = Dice([(6, 5), (3, 3)])
    >>> dice[1], dice[0]
    ((3, 3), (6, 5))
    >>> dice[2]
    Traceback (most recent call last):
        ...
    ValueError: the scripted dice have run out: there is no roll 3
    """

    def __init__(self, source: np.random.Generator | Iterable[Iterable[SupportsIndex]]) -> None:
        self._random = source if isinstance(source, np.random.Generator) else None
        self._script: Iterator[Iterable[SupportsIndex]] = (
            iter(()) if isinstance(source, np.random.Generator) else iter(source)
        )
        self._thrown: list[Roll] = []

    def __getitem__(self, place: SupportsIndex) -> Roll:
        place = _at_least(0, "a place in the dice is an integer of at least 0", place)
        if place >= len(self._thrown):
            with _throwing:
                if place - len(self._thrown) > FURTHEST:
                    raise ValueError(
                        f"roll {place + 1} is more than {FURTHEST} ahead of the "
                        f"{len(self._thrown)} thrown so far"
                    )
                while len(self._thrown) <= place:
                    self._thrown.append(self._throw(len(self._thrown) + 1))
        return self._thrown[place]

    def _throw(self, number: int) -> Roll:
        if self._random is not None:
            die, other = self._random.integers(1, 7, 2).tolist()
            return die, other
        try:
            scripted = next(self._script)
        except StopIteration:
            raise ValueError(f"the scripted dice have run out: there is no roll {number}") from None
        roll = _as_roll(scripted)
        if roll is None:
            raise ValueError(
                f"roll {number} of the script is {scripted!r}, not two numbers from 1 to 6"
            )
        return roll


def _at_least(least: int, what: str, given: SupportsIndex) -> int:
    """Return a number from outside as an int; `what` it is to be is said if it is another."""
    try:
        number = index(given)
    except TypeError:
        number = least - 1
    if number < least:
        raise ValueError(f"{what}, not {given!r}")
    return number


def _as_roll(given: Iterable[SupportsIndex]) -> Roll | None:
    """Return two dice as a pair, `None` if they are no roll."""
    try:
        die, other = map(index, given)
    except (TypeError, ValueError):
        return None
    return (die, other) if 1 <= die <= 6 and 1 <= other <= 6 else None


def _undone(plies: SupportsIndex, played: int, what: str) -> int:
    """Return how many plies are to be undone of those played in a game or match."""
    refusal = f"cannot undo {plies!r} plies of a {what} with {played}"
    try:
        number = index(plies)
    except TypeError:
        raise ValueError(refusal) from None
    if not 0 <= number <= played:
        raise ValueError(refusal)
    return number


@dataclasses.dataclass(frozen=True, slots=True)
class Turn:
    """What is to be played: one throw of the dice, or one stage of a cascade.

    `position` is seen by `player`, who is on roll. `roll` is what he plays if that is settled
    already, by the opening or by a cascade; with `None` he throws. `numbers` is how many numbers
    of that double are left to him, `None` all. `place` is how many rolls of the dice were used
    before, `throws` how many turns each player has begun with a roll of his own.

    `cascade_end` is the last double of the cascade under way, 0 if there is none. `leftover`: he
    plays what the other has left of it. `last_roll`: the other has finished, and this is the one
    roll that can still make it a draw.
    """

    position: Position
    player: int
    place: int
    throws: tuple[int, int] = (0, 0)
    roll: Roll | None = None
    numbers: int | None = None
    cascade_end: int = 0
    leftover: bool = False
    last_roll: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Result:
    """How a game ended: the winner, or `None` for a draw, and his points.

    `capped`: nobody had won when the ply cap was reached, and so the game is drawn.
    """

    winner: int | None
    points: int
    capped: bool = False


@dataclasses.dataclass(frozen=True)
class Game:
    """One game: the turns so far, the last of them the one to be played now.

    `Game.start` begins one. `openings` are the opening rolls, ties included, and `starter` is the
    player who began. A ply is one call of `play`: a roll, or one stage of a cascade; a turn in
    which nothing can be played is a ply too.

    >>> from tavli_fast import FEVGA
    >>> game = Game.start(FEVGA, [(2, 2), (5, 6), (3, 1)])
    >>> game.openings, game.player, game.roll
    (((2, 2), (5, 6)), 1, (6, 5))
    >>> game = game.play("24/13")
    >>> game.player, game.roll, game.position.opp[13], game.result
    (0, (3, 1), 1, None)
    >>> game.undo().player
    1
    """

    ruleset: Ruleset
    dice: Dice = dataclasses.field(repr=False)
    starter: int
    openings: tuple[Roll, ...]
    ply_cap: int | None
    turns: tuple[Turn, ...] = dataclasses.field(repr=False)

    @classmethod
    def start(
        cls,
        ruleset: Ruleset,
        dice: Dice | np.random.Generator | Iterable[Iterable[SupportsIndex]],
        *,
        starter: SupportsIndex | None = None,
        ply_cap: SupportsIndex | None = PLY_CAP,
        place: SupportsIndex = 0,
        position: Position | None = None,
    ) -> Game:
        """Begin a game.

        Without a `starter` each player throws one die, ties are thrown again, and the higher die
        begins: with a roll of both dice (`opening=reroll`) or with the two numbers thrown
        (`play_numbers`). A given `starter`, 0 or 1, just rolls, and a double is possible.

        The game is a draw after `ply_cap` plies, never with `None`. `place` is the place in the
        dice from which this game takes its rolls. `position`, seen by the player who begins,
        stands for the start position of the ruleset.

        Raises `ValueError` for a bad argument, or as `Dice` does.

        >>> from tavli_fast import PORTES
        >>> Game.start(PORTES, [(3, 4), (6, 6)]).roll
        (6, 6)
        >>> Game.start(PORTES, [(6, 6)], starter=1).player
        1
        """
        dice = dice if isinstance(dice, Dice) else Dice(dice)
        place = _at_least(0, "a place in the dice is an integer of at least 0", place)
        who = "the starter is player 0 or 1, or None"
        begins = None if starter is None else _at_least(0, who, starter)
        if begins not in (None, 0, 1):
            raise ValueError(f"{who}, not {starter!r}")
        cap = None
        if ply_cap is not None:
            cap = _at_least(1, "a ply cap is an integer of at least 1, or None", ply_cap)
        if position is None:
            position = Position.start(ruleset)
        elif not isinstance(position, Position):
            raise ValueError(f"a game begins from a Position, not {position!r}")
        elif position.ruleset != ruleset:
            raise ValueError(f"a position of {position.ruleset} begins no game of {ruleset}")
        openings: list[Roll] = []
        roll = None
        while begins is None:
            mine, his = dice[place]
            openings.append((mine, his))
            place += 1
            if mine != his:
                begins = 0 if mine > his else 1
                if ruleset.opening == "play_numbers":
                    roll = max(mine, his), min(mine, his)
        first = Turn(position, begins, place, roll=roll)
        return cls(ruleset, dice, begins, tuple(openings), cap, (first,))

    @property
    def turn(self) -> Turn:
        """The turn to be played now; in a finished game, the one that is no longer played."""
        return self.turns[-1]

    @property
    def position(self) -> Position:
        """The position, seen by `player`."""
        return self.turn.position

    @property
    def player(self) -> int:
        """Who is on roll, 0 or 1."""
        return self.turn.player

    @property
    def roll(self) -> Roll:
        """The roll to play now: thrown, or settled by the opening or by a cascade.

        Raises `ValueError` in a finished game, or as `Dice` does.
        """
        self._must_go_on()
        return self.turn.roll or self.dice[self.turn.place]

    @property
    def numbers(self) -> int | None:
        """How many numbers of the double are left to this player; `None`: all of the roll."""
        return self.turn.numbers

    @property
    def plies(self) -> int:
        """How many plies have been played."""
        return len(self.turns) - 1

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.result is not None

    @property
    def result(self) -> Result | None:
        """The winner and his points, or `None` while the game is on.

        >>> from tavli_fast import FEVGA
        >>> game = Game.start(FEVGA, [(6, 5), (2, 1)], ply_cap=1)
        >>> game.play("24/13").result
        Result(winner=None, points=0, capped=True)
        """
        points = self.position.points_won
        if points is None:
            capped = self.ply_cap is not None and self.plies >= self.ply_cap
            return Result(None, 0, capped=True) if capped else None
        if self.turn.last_roll:
            return None
        if points == 0:
            return Result(None, 0)
        return Result(self.player if points > 0 else 1 - self.player, abs(points))

    def moves(self) -> list[Move]:
        """Return the legal moves, one for every distinct position they lead to.

        A lost turn has one move, without steps. Raises as `roll` does.
        """
        return self.position.moves(self.roll, self.numbers)

    def afterstates(self) -> list[Position]:
        """Return the distinct positions the legal moves lead to, seen by the mover.

        Raises as `roll` does.
        """
        return self.position.afterstates(self.roll, self.numbers)

    def parse_move(self, text: str) -> Move:
        """Return the legal move that a text means.

        Raises `IllegalMove` for what cannot be played, `NotationError` for a text that cannot be
        read, and as `roll` does.
        """
        return self.position.parse_move(text, self.roll, self.numbers)

    def play(self, move: Move | str | Position) -> Game:
        """Return the game after a move of the player on roll.

        `move` is a `Move`, its text, or the position it leads to as in `afterstates`. A stage of
        a cascade is played for itself; the next is then the turn of the new game.

        Raises as `parse_move` does.

        >>> from tavli_fast import GUL_BARA
        >>> game = Game.start(GUL_BARA, [(5, 5)], starter=0)
        >>> game = game.play("24/4")
        >>> game.player, game.roll
        (0, (6, 6))
        """
        return dataclasses.replace(self, turns=(*self.turns, self._turn_after(self._reach(move))))

    def with_roll(self, roll: Iterable[SupportsIndex]) -> Game:
        """Return the game with this roll thrown, whatever the dice show: to try all of them.

        Raises `ValueError` for what is no roll, in a finished game, and where the opening or a
        cascade has settled what is played.

        >>> from tavli_fast import PORTES
        >>> game = Game.start(PORTES, [(6, 6)], starter=0)
        >>> game.roll, game.with_roll((3, 1)).roll
        ((6, 6), (3, 1))
        """
        self._must_go_on()
        if self.turn.roll is not None:
            raise ValueError("{}-{} is to be played, nothing is thrown".format(*self.turn.roll))
        thrown = _as_roll(roll)
        if thrown is None:
            raise ValueError(f"a roll is two numbers from 1 to 6, not {roll!r}")
        turn = dataclasses.replace(self.turn, roll=thrown, place=self.turn.place + 1)
        return dataclasses.replace(self, turns=(*self.turns[:-1], turn))

    def undo(self, plies: SupportsIndex = 1) -> Game:
        """Return the game as it was some plies ago.

        Raises `ValueError` if not so many have been played.
        """
        number = _undone(plies, self.plies, "game")
        return dataclasses.replace(self, turns=self.turns[: len(self.turns) - number])

    def _must_go_on(self) -> None:
        if self.is_over:
            raise ValueError("the game is over")

    def _reach(self, move: Move | str | Position) -> Position:
        """Return the position after a move, checked."""
        if isinstance(move, str):
            return self.parse_move(move).after
        if isinstance(move, Move):
            return self.position.play(move, self.roll, self.numbers)
        if not isinstance(move, Position):
            raise ValueError(f"a move is a Move, a text or a Position, not {move!r}")
        if move not in self.afterstates():
            die, other = self.roll
            raise IllegalMove(f"{move.text} is not reached with {die}-{other} from here")
        return move

    def _turn_after(self, after: Position) -> Turn:
        turn, die = self.turn, self.roll[0]
        throws = turn.throws
        if not turn.cascade_end:
            throws = (throws[0] + 1, throws[1]) if turn.player == 0 else (throws[0], throws[1] + 1)
        mine = Turn(after, turn.player, turn.place + (turn.roll is None), throws)
        his = dataclasses.replace(mine, position=after.flip(), player=1 - turn.player)
        if after.points_won is not None:
            return dataclasses.replace(his, last_roll=self._grants_last_roll(after))
        cascade_end = turn.cascade_end or self._cascade_end(throws[turn.player])
        if not cascade_end:
            return his
        numbers = turn.numbers or 4
        left = numbers - _numbers_played(turn.position, after, die)
        if left:
            cut, stage = True, (die, die)
        else:
            cut, stage = die == cascade_end, (die + 1, die + 1)
        if not cut:
            return dataclasses.replace(
                mine, roll=stage, cascade_end=cascade_end, leftover=turn.leftover
            )
        if turn.leftover:
            return mine
        if left and self.ruleset.unfinished == "opponent_plays":
            return dataclasses.replace(
                his,
                roll=stage,
                numbers=left if left < 4 else None,
                cascade_end=cascade_end,
                leftover=True,
            )
        return his

    def _grants_last_roll(self, after: Position) -> bool:
        """Whether the second player has one more roll, now that the first has finished."""
        return (
            self.ruleset.last_roll_draw == "on"
            and self.player == self.starter
            and after.own[OFF] == self.ruleset.checkers
        )

    def _cascade_end(self, own_turn: int) -> int:
        """Return the last double of the cascade that this roll begins, 0 if it begins none."""
        die, other = self.roll
        begins_with = int(self.ruleset.cascade_from)
        if die != other or not 0 < begins_with <= own_turn:
            return 0
        return 6 if self.ruleset.cascade_extent == "chain" else min(die + 1, 6)


def _numbers_played(before: Position, after: Position, number: int) -> int:
    """Return how many numbers of a double lie between two positions.

    A checker on point p needs p / number steps, rounded up, to bear off; each step is one less.
    """
    return sum(
        -(-point // number) * (then - now)
        for point, (then, now) in enumerate(zip(before.own, after.own, strict=True))
    )


@dataclasses.dataclass(frozen=True)
class Match:
    """Several games in turn, the points added up until one player has reached the target.

    `Match.start` begins one. `games` are those begun so far, the last of them under way; when one
    ends, the next begins by itself unless the match is won.

    >>> match = Match.start([(6, 5), (6, 4)])
    >>> match.game.ruleset, match.game.player, match.score, match.winner
    (find_ruleset('portes'), 0, (0, 0), None)
    """

    rulesets: tuple[Ruleset, ...]
    target: int
    next_starter: str
    games: tuple[Game, ...] = dataclasses.field(repr=False)

    @classmethod
    def start(
        cls,
        dice: Dice | np.random.Generator | Iterable[Iterable[SupportsIndex]],
        *,
        rulesets: Iterable[Ruleset] = TAVLI,
        target: SupportsIndex = 5,
        next_starter: str = NEXT_STARTER[0],
        ply_cap: SupportsIndex | None = PLY_CAP,
    ) -> Match:
        """Begin a match with an opening roll.

        `rulesets` are the games, played over and over in this order. The first to have `target`
        points, mostly 5 or 7, wins; points above it count. `next_starter` says who begins every
        game but the first: the `previous_winner`, by simply rolling, or the winner of another
        opening `roll`. After a drawn game there is always an opening roll. `ply_cap` holds for
        each game. Raises `ValueError` for a bad argument, or as `Dice` does.
        """
        rulesets = tuple(rulesets)
        if not rulesets:
            raise ValueError("a match needs at least one ruleset")
        for ruleset in rulesets:
            Position.start(ruleset)
        wanted = _at_least(1, "the target of a match is an integer of at least 1", target)
        if next_starter not in NEXT_STARTER:
            raise ValueError(
                f"next_starter cannot be {next_starter!r}; it is one of {', '.join(NEXT_STARTER)}"
            )
        first = Game.start(rulesets[0], dice, ply_cap=ply_cap)
        return cls(rulesets, wanted, next_starter, (first,))

    @property
    def game(self) -> Game:
        """The game under way, or in a finished match the last."""
        return self.games[-1]

    @property
    def score(self) -> tuple[int, int]:
        """The points of player 0 and of player 1."""
        points = [0, 0]
        for game in self.games:
            if game.result and game.result.winner is not None:
                points[game.result.winner] += game.result.points
        return points[0], points[1]

    @property
    def winner(self) -> int | None:
        """Who has reached the target, `None` while the match is on."""
        return next((player for player in (0, 1) if self.score[player] >= self.target), None)

    @property
    def is_over(self) -> bool:
        """Whether the match is won."""
        return self.winner is not None

    @property
    def plies(self) -> int:
        """How many plies have been played in all games."""
        return sum(game.plies for game in self.games)

    def play(self, move: Move | str | Position) -> Match:
        """Return the match after a move of the player on roll, as `Game.play` does.

        >>> match = Match.start([(6, 5), (3, 1), (2, 1)])
        >>> match.play("8/5 6/5").game.player
        1
        """
        game = self.game.play(move)
        match = dataclasses.replace(self, games=(*self.games[:-1], game))
        if game.result is None or match.is_over:
            return match
        following = Game.start(
            self.rulesets[len(self.games) % len(self.rulesets)],
            game.dice,
            starter=game.result.winner if self.next_starter == "previous_winner" else None,
            ply_cap=game.ply_cap,
            place=game.turn.place,
        )
        return dataclasses.replace(match, games=(*match.games, following))

    def undo(self, plies: SupportsIndex = 1) -> Match:
        """Return the match as it was some plies ago, in an earlier game if need be.

        Raises `ValueError` if not so many have been played.
        """
        number = _undone(plies, self.plies, "match")
        games = self.games
        while number > games[-1].plies:
            number -= games[-1].plies
            games = games[:-1]
        return dataclasses.replace(self, games=(*games[:-1], games[-1].undo(number)))
