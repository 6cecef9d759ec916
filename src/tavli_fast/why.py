"""Why a step cannot be played, slowly and plainly: what the fast answer is tested against.

The rules asked are those of `reference`, one function each, in the order of law.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from . import reference
from .reasons import Reason
from .reference import Board, Plays, PositionLike, Step, Turn
from .rules import OFF, Ruleset

__all__ = ["explain"]


_IN_ORDER = list(Reason)


class RuledPosition(PositionLike, Protocol):
    """What is read as a position: one that knows its ruleset."""

    @property
    def ruleset(self) -> Ruleset: ...


def explain(
    position: RuledPosition,
    step: Step,
    roll: Sequence[int],
    played: Sequence[Step] = (),
    numbers: int | None = None,
) -> Reason | None:
    """Return why a step cannot be played next, None if it can.

    `step` and `played`, the steps of this turn so far in any order, are (from, to), 25 the bar and
    0 off; `numbers` is how many of a double are left. `played` must begin a legal move. Errors as
    in `reference.afterstates`.

    >>> from tavli_fast import FEVGA, Position
    >>> start = Position.start(FEVGA)
    >>> explain(start, (24, 18), (6, 5)), explain(start, (24, 19), (6, 5), [(24, 18)])
    (None, <Reason.RUNNER_ALONE: 'runner_alone'>)
    """
    plays, ruleset = reference.plays_of(position, roll, position.ruleset, numbers)
    return why_not_next(plays, step, played, ruleset)


def why_not_next(
    plays: Plays, step: Step, played: Sequence[Step], ruleset: Ruleset
) -> Reason | None:
    """Answer `explain` from every play of the roll.

    Where a checker was borne off that either of two numbers could have taken, each is considered,
    and the reason is that of the one with which the step comes furthest.
    """
    turns = stages_after(plays, played)
    begun = {after for turn in turns for made, after in plays[turn] if made == step}
    if begun:
        return why_no_beginning(plays, begun, ruleset)
    return max((why_no_step(plays, turn, step, ruleset) for turn in turns), key=_IN_ORDER.index)


def stages_after(plays: Plays, played: Sequence[Step]) -> set[Turn]:
    """Return the stages that these steps lead to, in whatever order they can be made."""
    stages = {(next(iter(plays)), tuple(sorted(played)))}
    for _ in played:
        stages = {
            (after, left[: left.index(step)] + left[left.index(step) + 1 :])
            for turn, left in stages
            for step, after in plays[turn]
            if step in left
        }
    return {turn for turn, _ in stages}


def why_no_step(plays: Plays, turn: Turn, step: Step, ruleset: Ruleset) -> Reason:
    """Return why this is no step that can follow here, whatever the turn comes to."""
    is_over = reference.points_won(turn.board, ruleset) is not None
    if is_over and not plays[turn] and not reference.may_have_last_roll(turn.board, ruleset):
        return Reason.GAME_OVER
    if not turn.numbers:
        return Reason.TURN_OVER
    origin, target = step
    broken = [
        next(broken_by_step(turn, origin, number, ruleset))
        for number in set(turn.numbers)
        if max(origin - number, OFF) == target
    ]
    return max(broken, key=_IN_ORDER.index, default=Reason.NO_SUCH_NUMBER)


def broken_by_step(turn: Turn, origin: int, number: int, ruleset: Ruleset) -> Iterator[Reason]:
    """Yield what a single step may not do and this one does."""
    board = turn.board
    if board.own[origin] == 0:
        yield Reason.NO_CHECKER
    if reference.is_pinned(turn, origin):
        yield Reason.PINNED
    if reference.waits_for_bar(turn, origin):
        yield Reason.BAR_FIRST
    if reference.waits_for_runner(turn, origin, ruleset):
        yield Reason.RUNNER_ALONE
    if reference.stays_on_head(turn, origin):
        yield Reason.HEAD_USED
    if reference.rests_after_hit(turn, origin):
        yield Reason.HITTER_STAYS
    if origin > number:
        if not reference.is_open(board, origin - number, ruleset):
            yield Reason.CLOSED_POINT
        return
    if not reference.is_home(board.own):
        yield Reason.NOT_ALL_HOME
    if not reference.may_bear_off(board.own, origin, number):
        yield Reason.HIGHER_CHECKER
    if reference.waits_for_pinned(board, ruleset):
        yield Reason.PINNED_AT_HOME


def why_no_beginning(plays: Plays, begun: set[Turn], ruleset: Ruleset) -> Reason | None:
    """Return why no turn that goes on from one of these stages can end legally, None if one can.

    A ban, if all that play enough numbers break one: the ban that alone is in the way of one of
    them, if there is such a one.
    """
    reached = set(begun)
    for turn in plays:
        if turn in reached:
            reached.update(after for _, after in plays[turn])
    if reached & reference.legal_endings(plays, ruleset):
        return None
    passing = reference.not_banned(plays, ruleset)
    ending = next(iter(reference.full_endings(plays, passing, ruleset)))
    most_left = len(reference.numbers_left(ending, ruleset))
    enough = {turn for turn in reached if len(reference.numbers_left(turn, ruleset)) <= most_left}
    if not enough:
        return Reason.MOST_NUMBERS
    if enough & passing:
        return Reason.HIGHER_NUMBER
    was_blocked = reference.is_totally_blocked(next(iter(plays)).board, ruleset)
    broken = [list(broken_by_ending(turn.board, was_blocked, ruleset)) for turn in enough]
    return min(broken, key=lambda bans: (len(bans), _IN_ORDER.index(bans[0])))[0]


def broken_by_ending(board: Board, was_blocked: bool, ruleset: Ruleset) -> Iterator[Reason]:
    """Yield what a finished turn may not look like and this one does."""
    if reference.breaks_start_quarter(board, ruleset):
        yield Reason.START_QUARTER
    if reference.breaks_mother_prime(board, ruleset):
        yield Reason.MOTHER_PRIME
    if reference.breaks_six_prime(board, ruleset):
        yield Reason.SIX_PRIME
    if reference.breaks_total_block(board, was_blocked, ruleset):
        yield Reason.TOTAL_BLOCK
