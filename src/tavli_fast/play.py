"""A game or a match in the terminal: boards, numbered moves, undo.

Everything is read from and written to the standard streams, a line at a time, so that a game can
also be scripted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

import numpy as np

from .match import Game, Match
from .notation import NotationError, merge_steps
from .position import IllegalMove, Move, Position

__all__ = ["MOVERS", "ending", "greedy", "in_order", "play", "random"]

Mover = Callable[[Game, np.random.Generator], Position]
"""Chooses one of `game.afterstates()`."""

_NAMES = "player 1", "player 2"
_WIDTH = 78
_HELP = (
    "type a move or its number; undo takes back your last choice (undo 3: the last three), "
    "board shows everything again, quit ends"
)


def random(game: Game, generator: np.random.Generator) -> Position:
    """Choose any of the positions that can be reached, each as likely as the others."""
    choices = game.afterstates()
    return choices[int(generator.integers(len(choices)))]


def greedy(game: Game, generator: np.random.Generator) -> Position:
    """Choose the position with the fewest pips left for oneself, less those of the opponent.

    The first of them, if there are several. Pips alone count: neither blots nor walls do.
    """
    return min(game.afterstates(), key=lambda after: after.pip_counts[0] - after.pip_counts[1])


MOVERS: Mapping[str, Mover] = MappingProxyType({"random": random, "greedy": greedy})
"""The players that need nobody at the keyboard, by name."""


def in_order(moves: Iterable[Move]) -> list[Move]:
    """Return moves from the rear: by where each checker starts, then by where it ends.

    >>> from tavli_fast import PORTES, Position
    >>> [str(move) for move in in_order(Position.start(PORTES).moves((6, 5)))][:3]
    ['24/18 13/8', '24/18 8/3', '24/13']
    """
    return sorted(
        moves,
        key=lambda move: [(way[0], way[-1]) for way in merge_steps(move.steps)],
        reverse=True,
    )


def play(
    table: Game | Match, against: Mover | None, generator: np.random.Generator
) -> Game | Match:
    """Play a game or a match at the terminal, and return it as it was left.

    Player 1, who is player 0 of `match`, is at the keyboard. Player 2 is too, unless `against`
    moves for him, with what chance it needs from `generator`. Where nothing can be played the
    turn passes by itself. The end of the input and `quit` leave the game unfinished.
    """
    print(_opening(_game(table)))
    while not table.is_over:
        game = _game(table)
        print(f"\n{_what_to_play(game)}")
        if _is_asked(game, against):
            moves = in_order(game.moves())
            print(f"{game.position}\n{_listed(moves)}")
            answer = _ask(game, moves)
            if answer is None:
                break
            if isinstance(answer, int):
                table = _take_back(table, answer, against)
                continue
            table = table.play(answer)
        elif _is_lost(game):
            print("no number can be played")
            table = table.play(game.position)
        elif against is not None:
            after = against(game, generator)
            print(f"{_NAMES[1]} plays {next(m for m in game.moves() if m.after == after)}")
            table = table.play(after)
        if isinstance(table, Match) and len(table.games) > 1 and not table.game.plies:
            print(f"\n{_result(table.games[-2])}\n{_score(table)}\n\n{_opening(table.game)}")
    return table


def ending(table: Game | Match) -> str:
    """Return the lines that tell how a game or a match ended."""
    text = _result(_game(table))
    if isinstance(table, Match):
        text += f"\n{_score(table)}"
        if table.winner is not None:
            text += f"\n{_NAMES[table.winner]} wins the match"
    return text


def _game(table: Game | Match) -> Game:
    return table.game if isinstance(table, Match) else table


def _is_lost(game: Game) -> bool:
    """Whether the turn passes, because nothing can be played."""
    return game.afterstates() == [game.position]


def _is_asked(game: Game, against: Mover | None) -> bool:
    """Whether somebody at the keyboard has to choose a move now."""
    return (game.player == 0 or against is None) and not _is_lost(game)


def _opening(game: Game) -> str:
    """Tell who begins and why."""
    throws = [f"{_NAMES[0]} throws {mine}, {_NAMES[1]} {his}" for mine, his in game.openings]
    return "\n".join([str(game.ruleset), *throws, f"{_NAMES[game.starter]} begins"])


def _what_to_play(game: Game) -> str:
    low, high = sorted(game.roll)
    turn = game.turn
    text = f"{_NAMES[game.player]} (O) to play {high}-{low}"
    if game.numbers is not None:
        text += f", {game.numbers} of 4"
    if turn.leftover:
        return f"{text}, left by {_NAMES[1 - game.player]}"
    if turn.cascade_end:
        return f"{text}, going on from {low - 1}-{low - 1}"
    return f"{text}, the last roll" if turn.last_roll else text


def _listed(moves: list[Move]) -> str:
    """Return numbered moves in columns, to be read downwards."""
    cells = [f"{number:>3} {move}" for number, move in enumerate(moves, 1)]
    width = max(map(len, cells)) + 2
    rows = -(-len(cells) // max(1, (_WIDTH + 2) // width))
    return "\n".join(
        "".join(f"{cell:{width}}" for cell in cells[row::rows]).rstrip() for row in range(rows)
    )


def _ask(game: Game, moves: list[Move]) -> Move | int | None:
    """Read a move, or how many choices to take back, or `None` for the end."""
    while True:
        try:
            line = input("> ")
        except EOFError:
            print()
            return None
        if not sys.stdin.isatty():
            # No terminal has shown what was typed.
            print(line)
        words = line.casefold().split()
        match words:
            case [] | ["help" | "?"]:
                print(_HELP)
            case ["quit" | "q"]:
                return None
            case ["board" | "b"]:
                print(f"{game.position}\n{_listed(moves)}")
            case ["undo" | "u"]:
                return 1
            case ["undo" | "u", times] if times.isdecimal() and int(times):
                return int(times)
            case [number] if number.isdecimal():
                if 1 <= int(number) <= len(moves):
                    return moves[int(number) - 1]
                print(f"there is no move {number}; they are 1 to {len(moves)}")
            case _:
                try:
                    return game.parse_move(" ".join(words))
                except (IllegalMove, NotationError) as error:
                    print(error)


def _take_back(table: Game | Match, choices: int, against: Mover | None) -> Game | Match:
    """Return the table as it was before the last choices made at the keyboard."""
    earlier = table
    for taken_back in range(choices):
        while earlier.plies:
            earlier = earlier.undo()
            if _is_asked(_game(earlier), against):
                break
        else:
            print(f"only {taken_back} can be undone" if taken_back else "there is nothing to undo")
            return table
    return earlier


def _result(game: Game) -> str:
    result = game.result
    if result is None:
        return "left unfinished"
    if result.winner is None:
        return f"a draw, after {game.plies} plies" if result.capped else "a draw"
    return f"{_NAMES[result.winner]} wins {result.points} point{'s' * (result.points > 1)}"


def _score(match: Match) -> str:
    return "score {} to {}".format(*match.score)
