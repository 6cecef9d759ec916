"""Kernel and reference side by side through whole matches, with undo.

What a `Match` should do is told here a second time, as a story: a coroutine that says who has to
play what from which board, is sent the board that was chosen, and goes on. It knows of no undo; a
turn that is taken back is a story told anew without it.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import random
from collections.abc import Generator, Iterator
from typing import NamedTuple

import numpy as np
from boards import counts, from_position, to_position
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import tavli_fast as tf
from tavli_fast import reference
from tavli_fast.reference import Board
from tavli_fast.rules import OPTIONS, Contact

Roll = tuple[int, int]


class Task(NamedTuple):
    """What one player has to play; `numbers` of it, if it is less than all."""

    ruleset: tf.Ruleset
    board: Board
    player: int
    roll: Roll
    numbers: int | None
    score: tuple[int, int]


numbers_played = functools.cache(reference.numbers_played)
"""Remembered, because a story is often told anew."""

Story = Generator[Task, Board, tuple[int, int]]
"""Tells tasks and is sent what they come to; at the end gives points of player 0 and 1."""


def tell_match(
    rulesets: list[tf.Ruleset], target: int, next_starter: str, ply_cap: int, rolls: list[Roll]
) -> Story:
    throws = iter(rolls)
    score = 0, 0
    winner = None
    for ruleset in itertools.cycle(rulesets):
        starter, first = winner, None
        if winner is None or next_starter == "roll":
            while (first := next(throws))[0] == first[1]:
                pass
            starter = first.index(max(first))
            first = (max(first), min(first)) if ruleset.opening == "play_numbers" else None
        points = yield from tell_game(ruleset, starter, first, ply_cap, throws, score)
        score = score[0] + points[0], score[1] + points[1]
        winner = points.index(max(points)) if any(points) else None
        if max(score) >= target:
            return score
    raise AssertionError


def tell_game(
    ruleset: tf.Ruleset,
    starter: int,
    first: Roll | None,
    ply_cap: int,
    throws: Iterator[Roll],
    score: tuple[int, int],
) -> Story:
    board = reference.start(ruleset)
    turns = [0, 0]
    plies = 0
    for player in itertools.cycle((starter, 1 - starter)):
        if plies == ply_cap:
            return 0, 0
        roll, first = first or next(throws), None
        turns[player] += 1
        who = player
        for stage, die in enumerate(stages(ruleset, roll, turns[player])):
            roll = (die, die) if stage else roll
            left = 4 if roll[0] == roll[1] else 2
            while left:
                numbers = left if left < 4 and roll[0] == roll[1] else None
                if plies == ply_cap:
                    return 0, 0
                plies += 1
                task = Task(ruleset, board, who, roll, numbers, score)
                played = numbers_played(board, roll, ruleset, numbers)
                board = yield task
                points = reference.points_won(board, ruleset)
                if points is not None:
                    if ruleset.last_roll_draw == "on" and who == starter:
                        board = reference.flip(board)
                        board = yield Task(ruleset, board, 1 - who, next(throws), None, score)
                        who, points = 1 - who, reference.points_won(board, ruleset)
                    won = [0, 0]
                    won[who if points > 0 else 1 - who] = abs(points)
                    return won[0], won[1]
                left -= played
                if left and who == player and passes_on(ruleset, roll, turns[player]):
                    board, who = reference.flip(board), 1 - player
                elif left:
                    break
            if left:
                break
        if who == player:
            board = reference.flip(board)
    raise AssertionError


def stages(ruleset: tf.Ruleset, roll: Roll, own_turn: int) -> range:
    """The numbers of the doubles that a roll stands for, or of the roll itself."""
    if not is_cascade(ruleset, roll, own_turn):
        return range(roll[0], roll[0] + 1)
    return range(roll[0], 7)[: 2 if ruleset.cascade_extent == "single" else None]


def is_cascade(ruleset: tf.Ruleset, roll: Roll, own_turn: int) -> bool:
    begins = {"1": 1, "4": 4, "0": 10**9}[ruleset.cascade_from]
    return roll[0] == roll[1] and own_turn >= begins


def passes_on(ruleset: tf.Ruleset, roll: Roll, own_turn: int) -> bool:
    return ruleset.unfinished == "opponent_plays" and is_cascade(ruleset, roll, own_turn)


# Small games, so that a match is over within a test

RULESETS = list(tf.RULESETS.values())
LONG_TURNS = [
    ruleset for ruleset in RULESETS if {"cascade_from", "last_roll_draw"} & {*ruleset.options}
]
"""The games in which a turn is not just one roll."""

FEW = {
    Contact.HIT: [{24: 1, 23: 1, 22: 1}, {6: 2, 3: 1}, {24: 2, 13: 1, 6: 2}],
    Contact.PIN: [{24: 2}, {24: 1, 7: 2, 4: 2}, {24: 1, 9: 1, 5: 2}],
    Contact.HOLD: [{24: 3}, {24: 4, 16: 1, 8: 1}, {1: 2}, {24: 3, 11: 1, 10: 1}],
}
"""Where the checkers of one side may begin, in games of each kind."""


@st.composite
def small_rulesets(draw: st.DrawFn) -> tf.Ruleset:
    kind = draw(st.sampled_from([RULESETS, LONG_TURNS]))
    ruleset = draw(st.sampled_from(kind))
    options = {name: draw(st.sampled_from(OPTIONS[name])) for name in ruleset.options}
    if ruleset.cascade_from != "0":
        # Else not every move plays as many numbers as the law lets it.
        options["bear_off"] = "if_other_step"
    points = draw(st.sampled_from(FEW[ruleset.contact]))
    start = counts(points, sum(points.values()))
    return dataclasses.replace(ruleset.replace(**options), start=start)


class Matches(RuleBasedStateMachine):
    """A `Match`, the story of the same match, and the boards chosen so far."""

    @initialize(
        rulesets=st.lists(small_rulesets(), min_size=1, max_size=3),
        to_win=st.integers(1, 5),
        next_starter=st.sampled_from(["previous_winner", "roll"]),
        ply_cap=st.sampled_from([10_000, 10_000, 15]),
        seed=st.integers(0, 2**32 - 1),
    )
    def begin(
        self,
        rulesets: list[tf.Ruleset],
        to_win: int,
        next_starter: str,
        ply_cap: int,
        seed: int,
    ) -> None:
        throws = np.random.default_rng(seed).integers(1, 7, (9000, 2))
        if seed % 2:
            # Doubles in plenty, for cascades.
            throws[::2, 1] = throws[::2, 0]
        rolls = [(int(die), int(other)) for die, other in throws]
        self.terms = rulesets, to_win, next_starter, ply_cap, rolls
        self.chosen: list[Board] = []
        self.match = tf.Match.start(
            rolls if seed % 2 else np.random.default_rng(seed),
            rulesets=rulesets,
            target=to_win,
            next_starter=next_starter,
            ply_cap=ply_cap,
        )
        self.tell_anew()

    def tell_anew(self) -> None:
        self.score: tuple[int, int] | None = None
        self.story = tell_match(*self.terms)
        self.task = next(self.story)
        for board in self.chosen:
            self.tell(board)

    def tell(self, board: Board) -> None:
        try:
            self.task = self.story.send(board)
        except StopIteration as end:
            self.score = end.value

    @precondition(lambda self: not self.match.is_over)
    @rule(plies=st.integers(1, 60), seed=st.integers(0, 2**32 - 1))
    def play(self, plies: int, seed: int) -> None:
        choose = random.Random(seed)
        while plies and not self.match.is_over:
            plies -= 1
            self.agrees()
            task, game = self.task, self.match.game
            expected = reference.afterstates(task.board, task.roll, task.ruleset, task.numbers)
            found = {from_position(after) for after in game.afterstates()}
            assert found == set(expected), (task, found ^ set(expected))
            board = choose.choice(expected)
            reached = to_position(board, task.ruleset)
            moves = {move.after: move for move in game.moves()}
            assert len(moves) == len(expected)
            ways = reached, moves[reached], str(moves[reached])
            self.match = self.match.play(choose.choice(ways))
            self.chosen.append(board)
            self.tell(board)

    @precondition(lambda self: self.chosen)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        plies = data.draw(st.integers(1, min(len(self.chosen), 30)))
        self.match = self.match.undo(plies)
        del self.chosen[-plies:]
        self.tell_anew()

    @invariant()
    def agrees(self) -> None:
        assert self.match.plies == len(self.chosen)
        assert self.match.is_over == (self.score is not None)
        if self.score is not None:
            assert self.match.score == self.score
            assert self.match.winner == self.score.index(max(self.score))
            return
        game = self.match.game
        assert self.task == Task(
            game.ruleset,
            from_position(game.position),
            game.player,
            game.roll,
            game.numbers,
            self.match.score,
        )


def test_kernel_and_reference_play_the_same_matches() -> None:
    run_state_machine_as_test(Matches, settings=settings(max_examples=40, stateful_step_count=12))
