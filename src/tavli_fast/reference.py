"""The rules, slowly and plainly: the second engine, against which the fast one is tested.

Each rule is one function named for it, and a turn is found by brute force: every order of the dice
with every checker. Nothing is shared with the fast engine but the ruleset data.

The file follows the order of law, which is the same in every game: what a single step may not do,
what a finished turn may not look like, most numbers, the higher number, distinct results. A rule
of a new game is one more function, asked in `may_leave`, `is_open`, `after_step`, `breaks_a_ban`
or, if it ends the game before the last checker is off, `points_won`. A cascade is not one turn but
several: the questions here answer for one double of it. What walls there are, and how many rolls
play, is built on those questions and stands at the end.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from tavli_fast.rules import BAR, OFF, Ban, Contact, Movement, Ruleset

__all__ = [
    "Blockade",
    "Board",
    "Prime",
    "Walls",
    "afterstates",
    "blockade",
    "board",
    "flip",
    "in_contact",
    "mobility",
    "moves",
    "next_steps",
    "numbers_played",
    "perft",
    "points_won",
    "primes",
    "side",
    "start",
]

NUMBERS = range(1, 7)
HOME = range(1, 7)
MOTHER = HEAD = 24
START_QUARTER = range(19, 25)
MOTHER_PRIME = range(6, 12)
"""In a parallel game, the six points right in front of the opponent's 24, which is my 12."""
TWO_LEAVE_HEAD = ({3}, {4}, {6})
"""The doubles of which the opponent's head, twelve pips ahead, stops a lone checker."""

Step = tuple[int, int]
"""One checker by one number: the point it leaves (25: the bar) and where it comes (0: off)."""


# Positions


class PositionLike(Protocol):
    """What is read as a position: both sides' counts, each by its own numbering, and pins."""

    @property
    def own(self) -> Sequence[int]: ...
    @property
    def opp(self) -> Sequence[int]: ...
    @property
    def own_pinned(self) -> Iterable[int]: ...
    @property
    def opp_pinned(self) -> Iterable[int]: ...


class Board(NamedTuple):
    """A position without its ruleset, seen by the player on roll.

    `own` and `opp` are 26 counts, each by that side's own numbering: 0 off, 1 to 24, 25 the bar.
    `own_pinned` and `opp_pinned` are points, by the pinned side's own numbering, on which its only
    checker lies under checkers of the other side.

    >>> Board(side({24: 15}), side({24: 14, 13: 1})).opp[13]
    1
    >>> pinned = Board(side({24: 13, 20: 2}), side({24: 14, 5: 1}), opp_pinned=frozenset({5}))
    >>> flip(pinned).own_pinned
    frozenset({5})
    """

    own: tuple[int, ...]
    opp: tuple[int, ...]
    own_pinned: frozenset[int] = frozenset()
    opp_pinned: frozenset[int] = frozenset()


def side(points: Mapping[int, int]) -> tuple[int, ...]:
    """Return the 26 counts of one side from a mapping of points to counts; 0 off is not filled up.

    >>> side({0: 13, 2: 1, 1: 1})[:3]
    (13, 1, 1)
    """
    return tuple(points.get(point, 0) for point in range(OFF, BAR + 1))


def board(position: PositionLike) -> Board:
    """Return the board of anything with `own`, `opp`, `own_pinned` and `opp_pinned`.

    >>> from tavli_fast.rules import PORTES
    >>> board(start(PORTES)) == start(PORTES)
    True
    """
    return Board(
        tuple(map(int, position.own)),
        tuple(map(int, position.opp)),
        frozenset(map(int, position.own_pinned)),
        frozenset(map(int, position.opp_pinned)),
    )


def start(ruleset: Ruleset) -> Board:
    """Return the position in which a game begins.

    >>> from tavli_fast.rules import FEVGA
    >>> start(FEVGA).own[24], start(FEVGA).opp[24]
    (15, 15)
    """
    return Board(ruleset.start, ruleset.start)


def flip(board: Board) -> Board:
    """Return the position as the other side sees it.

    >>> flip(Board(side({24: 15}), side({13: 15}))).own[13]
    15
    """
    return Board(board.opp, board.own, board.opp_pinned, board.own_pinned)


def across(point: int, ruleset: Ruleset) -> int:
    """Return the opponent's number of my point, 1 to 24; the same both ways.

    >>> from tavli_fast.rules import FEVGA, PORTES
    >>> across(6, PORTES), across(6, FEVGA), across(18, FEVGA)
    (19, 18, 6)
    """
    if ruleset.movement is Movement.CONTRARY:
        return 25 - point
    return point + 12 if point <= 12 else point - 12


def is_home(own: Sequence[int]) -> bool:
    """Whether all checkers of a side, borne off included, are in its own 6..1.

    >>> is_home(side({0: 12, 6: 3})), is_home(side({6: 14, 7: 1})), is_home(side({6: 14, 25: 1}))
    (True, False, False)
    """
    return not any(own[7:])


def has_finished(own: Sequence[int], ruleset: Ruleset) -> bool:
    """Whether a side has borne off all its checkers.

    >>> from tavli_fast.rules import PORTES
    >>> has_finished(side({0: 15}), PORTES), has_finished(side({0: 14, 1: 1}), PORTES)
    (True, False)
    """
    return own[OFF] == ruleset.checkers


def is_drawn(board: Board) -> bool:
    """Whether both mothers are pinned, so that neither side can ever bear off.

    >>> both = Board(side({24: 1, 1: 14}), side({24: 1, 1: 14}), frozenset({24}), frozenset({24}))
    >>> is_drawn(both), is_drawn(both._replace(opp_pinned=frozenset()))
    (True, False)
    """
    return MOTHER in board.own_pinned and MOTHER in board.opp_pinned


def has_lost_mother(board: Board, ruleset: Ruleset) -> bool:
    """Whether the side on roll has lost because its mother, its last checker on 24, is pinned.

    `mother=unless_mutual`: not while the pinner has a checker on his own 24, where his mother can
    still be pinned in return. `loss`: in any case. `off`: never.

    >>> from tavli_fast.rules import PLAKOTO
    >>> pinned = Board(side({24: 1, 10: 14}), side({24: 1, 1: 14}), frozenset({24}))
    >>> gone = pinned._replace(opp=side({23: 1, 1: 14}))
    >>> [has_lost_mother(board, PLAKOTO) for board in (pinned, gone)]
    [False, True]
    >>> has_lost_mother(pinned, PLAKOTO.replace(mother="loss"))
    True
    """
    if ruleset.mother == "off" or MOTHER not in board.own_pinned:
        return False
    return ruleset.mother == "loss" or board.opp[MOTHER] == 0


def mother_ends_game(board: Board, ruleset: Ruleset) -> bool:
    """Whether a pinned mother has ended the game, as loss or draw, judged after each step.

    With `mother=off` it never does in mid-turn: there a draw is seen only when the turn is over.
    """
    return ruleset.mother != "off" and (
        is_drawn(board) or has_lost_mother(board, ruleset) or has_lost_mother(flip(board), ruleset)
    )


def points_won(position: PositionLike, ruleset: Ruleset | None = None) -> int | None:
    """Return the points the player on roll has won, negative if lost, `None` while the game is on.

    1; 2 if the loser has none off; with `triple=on` 3 if he has none off and a checker on the bar
    or in the winner's home. A pinned mother that loses costs `mother_points`; both mothers pinned
    are a draw, 0, also where a lone one does not lose. 0 too if both sides have finished, which
    only a last roll after the game (`last_roll_draw=on`) can bring about.

    >>> from tavli_fast.rules import BACKGAMMON, PLAKOTO, PORTES
    >>> gammon = Board(side({0: 15}), side({25: 1, 1: 14}))
    >>> points_won(gammon, PORTES), points_won(gammon, BACKGAMMON)
    (2, 3)
    >>> points_won(flip(gammon), BACKGAMMON), points_won(start(PORTES), PORTES)
    (-3, None)
    >>> mother = Board(side({24: 1, 10: 14}), side({1: 15}), frozenset({24}))
    >>> points_won(mother, PLAKOTO), points_won(mother, PLAKOTO.replace(mother="off"))
    (-2, None)
    """
    now, ruleset = _resolve(position, ruleset)
    won = points_lost(flip(now), ruleset)
    lost = points_lost(now, ruleset)
    if is_drawn(now) or (won and lost):
        return 0
    return won or -lost or None


def may_have_last_roll(board: Board, ruleset: Ruleset) -> bool:
    """Whether the side on roll may still play although the other has finished.

    `last_roll_draw=on`: the second player has one more roll. Who began is not for a position to
    know, so the question here is only whether there is anything left to play.

    >>> from tavli_fast.rules import LONG_NARDY
    >>> behind = Board(side({0: 14, 1: 1}), side({0: 15}))
    >>> may_have_last_roll(behind, LONG_NARDY)
    False
    >>> may_have_last_roll(behind, LONG_NARDY.replace(last_roll_draw="on"))
    True
    """
    return ruleset.last_roll_draw == "on" and not has_finished(board.own, ruleset)


def points_lost(board: Board, ruleset: Ruleset) -> int:
    """Return how many points the side on roll has lost, 0 if it has not.

    >>> from tavli_fast.rules import BACKGAMMON
    >>> [
    ...     points_lost(Board(side(loser), side({0: 15})), BACKGAMMON)
    ...     for loser in ({0: 1, 1: 14}, {19: 15})
    ... ]
    [1, 3]
    """
    if has_lost_mother(board, ruleset):
        return int(ruleset.mother_points)
    if not has_finished(board.opp, ruleset):
        return 0
    if board.own[OFF] > 0:
        return 1
    in_winners_home = any(board.own[across(point, ruleset)] for point in HOME)
    if ruleset.triple == "on" and (board.own[BAR] > 0 or in_winners_home):
        return 3
    return 2


# A turn under way


class Turn(NamedTuple):
    """A turn under way: where it stands and all that the next step depends on.

    `numbers` are those still to be played, the higher first. `hitters` are the own points 6..1 on
    which a checker that hit must stay (`hit_and_run=not_at_home`). `began_with_runner` says whether
    the runner rule was active when the turn began. `stay_on_head` is how many checkers may not
    leave 24 in this turn.
    """

    board: Board
    numbers: tuple[int, ...]
    hitters: frozenset[int]
    began_with_runner: bool
    stay_on_head: int


Plays = dict[Turn, list[tuple[Step, Turn]]]
"""Every stage of a turn with the steps that can follow it; fewer numbers played come first."""


def numbers_of(roll: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers a roll lets one play, the higher first; a double is played four times.

    Raises `ValueError` unless the roll is two numbers from 1 to 6.

    >>> numbers_of((3, 5)), numbers_of((2, 2))
    ((5, 3), (2, 2, 2, 2))
    >>> numbers_of((0, 7))
    Traceback (most recent call last):
        ...
    ValueError: not a roll: (0, 7); it is two numbers from 1 to 6
    """
    if len(roll) != 2 or any(number not in NUMBERS for number in roll):
        raise ValueError(f"not a roll: {roll!r}; it is two numbers from 1 to 6")
    low, high = sorted(map(int, roll))
    return (high,) * 4 if high == low else (high, low)


def begin_turn(board: Board, numbers: tuple[int, ...], ruleset: Ruleset) -> Turn:
    """Return the turn of the player on roll, before his first step."""
    return Turn(
        board,
        numbers,
        hitters=frozenset(),
        began_with_runner=runner_is_under_way(board.own, ruleset),
        stay_on_head=stay_on_head(board, numbers, ruleset),
    )


def numbers_left(turn: Turn, ruleset: Ruleset) -> tuple[int, ...]:
    """Return the numbers still to be played: none once a pinned mother has ended the game."""
    return () if mother_ends_game(turn.board, ruleset) else turn.numbers


# What a single step may not do


def is_legal_step(turn: Turn, origin: int, number: int, ruleset: Ruleset) -> bool:
    """Whether a checker may step from a point (25: the bar) by a number, in this turn so far.

    >>> from tavli_fast.rules import PORTES
    >>> turn = begin_turn(start(PORTES), (6, 5), PORTES)
    >>> is_legal_step(turn, 24, 6, PORTES), is_legal_step(turn, 24, 5, PORTES)
    (True, False)
    """
    if not may_leave(turn, origin, ruleset):
        return False
    if origin > number:
        return is_open(turn.board, origin - number, ruleset)
    return may_bear_off(turn.board.own, origin, number) and not waits_for_pinned(
        turn.board, ruleset
    )


def may_leave(turn: Turn, origin: int, ruleset: Ruleset) -> bool:
    """Whether some own checker on this point may move at all in the next step."""
    return (
        turn.board.own[origin] > 0
        and not is_pinned(turn, origin)
        and not waits_for_bar(turn, origin)
        and not waits_for_runner(turn, origin, ruleset)
        and not stays_on_head(turn, origin)
        and not rests_after_hit(turn, origin)
    )


def is_pinned(turn: Turn, origin: int) -> bool:
    """A pinned checker, which is always alone of its side on its point, cannot move."""
    return origin in turn.board.own_pinned


def waits_for_bar(turn: Turn, origin: int) -> bool:
    """With a checker on the bar nothing else moves."""
    return turn.board.own[BAR] > 0 and origin != BAR


def waits_for_runner(turn: Turn, origin: int, ruleset: Ruleset) -> bool:
    """While the runner travels alone nothing else moves."""
    return runner_travels_alone(turn, ruleset) and origin != runner_point(turn.board.own)


def runner_travels_alone(turn: Turn, ruleset: Ruleset) -> bool:
    """Whether only the runner may move in the next step.

    `runner_release=mid_turn`: as the position says before each step. `turn_end`: as it was when
    the turn began.
    """
    if ruleset.runner_release == "turn_end":
        return turn.began_with_runner
    return runner_is_under_way(turn.board.own, ruleset)


def runner_is_under_way(own: Sequence[int], ruleset: Ruleset) -> bool:
    """Whether the runner rule is active in a position.

    Active while all checkers but at most one stand on 24 and that one, if any, has neither come to
    the opponent's start quarter (`runner=enter`: own 12 or lower; `pass`: 11 or lower) nor off.

    >>> from tavli_fast.rules import FEVGA, MOULTEZIM
    >>> arrived = side({24: 14, 12: 1})
    >>> runner_is_under_way(arrived, FEVGA), runner_is_under_way(arrived, MOULTEZIM)
    (False, True)
    >>> runner_is_under_way(FEVGA.start, FEVGA), runner_is_under_way(side({0: 1, 24: 14}), FEVGA)
    (True, False)
    """
    if ruleset.runner == "off":
        return False
    left_24 = sum(own) - own[MOTHER]
    if left_24 == 0:
        return True
    arrival = {"enter": 12, "pass": 11}[ruleset.runner]
    return left_24 == 1 and runner_point(own) > arrival


def runner_point(own: Sequence[int]) -> int:
    """Return where the runner stands, when at most one checker has left 24: there if all are.

    >>> runner_point(side({24: 15})), runner_point(side({24: 14, 17: 1}))
    (24, 17)
    """
    for point, count in enumerate(own):
        if count > 0 and point != MOTHER:
            return point
    return MOTHER


def stays_on_head(turn: Turn, origin: int) -> bool:
    """Once as many as may have left the head in a turn, the others stay."""
    return origin == HEAD and turn.board.own[HEAD] <= turn.stay_on_head


def stay_on_head(board: Board, numbers: tuple[int, ...], ruleset: Ruleset) -> int:
    """Return how many of the checkers on the head, which is 24, must stay there in a turn.

    `head=one_a_turn`: all but one, or all but two where `head_exception` lets two leave. `free`:
    none.

    >>> from tavli_fast.rules import LONG_NARDY
    >>> first = start(LONG_NARDY)
    >>> [stay_on_head(first, numbers_of(roll), LONG_NARDY) for roll in ((6, 6), (5, 5), (2, 1))]
    [13, 14, 14]
    """
    if ruleset.head == "free":
        return 0
    may_leave_head = 2 if lets_two_leave_head(board, numbers, ruleset) else 1
    return max(board.own[HEAD] - may_leave_head, 0)


def lets_two_leave_head(board: Board, numbers: tuple[int, ...], ruleset: Ruleset) -> bool:
    """Whether two checkers may leave the head: never but in the first turn, with all still there.

    `head_exception=two_on_doubles`: with 3-3, 4-4 and 6-6. `if_needed`: with any roll, if not all
    its numbers can be played while only one leaves. `none`: never.

    >>> from tavli_fast.rules import LONG_NARDY
    >>> second = Board(side({24: 15}), side({24: 14, 21: 1}))
    >>> lets_two_leave_head(second, (5, 5, 5, 5), LONG_NARDY)
    False
    >>> lets_two_leave_head(second, (5, 5, 5, 5), LONG_NARDY.replace(head_exception="if_needed"))
    True
    """
    if board.own[HEAD] < ruleset.checkers:
        return False
    if ruleset.head_exception == "two_on_doubles":
        return set(numbers) in TWO_LEAVE_HEAD
    if ruleset.head_exception == "if_needed":
        return not can_play_all(board, numbers, dataclasses.replace(ruleset, head_exception="none"))
    return False


def can_play_all(board: Board, numbers: tuple[int, ...], ruleset: Ruleset) -> bool:
    """Whether some order of legal steps plays all of these numbers."""
    plays = every_play(begin_turn(board, numbers, ruleset), ruleset)
    return any(not numbers_left(turn, ruleset) for turn in plays)


def rests_after_hit(turn: Turn, origin: int) -> bool:
    """Whether the only own checker on this point hit there and so must stay.

    `hit_and_run=not_at_home`: a checker that hits on own 6..1 may neither step on nor bear off in
    that turn. Others that come to the same point may: one has to stay, no matter which.
    """
    return origin in turn.hitters and turn.board.own[origin] == 1


def is_open(board: Board, point: int, ruleset: Ruleset) -> bool:
    """Whether an own checker may land on a point.

    Hit: empty, own, or exactly one opposing checker. Pin: the same, but not where that one stands
    on an own checker. Hold: no opposing checker.

    >>> from tavli_fast.rules import FEVGA, PLAKOTO, PORTES
    >>> blot = Board(side({24: 15}), side({7: 1, 8: 14}))
    >>> is_open(blot, 18, PORTES), is_open(blot, 17, PORTES), is_open(blot, 19, FEVGA)
    (True, False, False)
    >>> under = Board(side({24: 14, 18: 1}), side({7: 1, 8: 14}), own_pinned=frozenset({18}))
    >>> is_open(blot, 18, PLAKOTO), is_open(under, 18, PLAKOTO)
    (True, False)
    """
    opposing = board.opp[across(point, ruleset)]
    if ruleset.contact is Contact.HOLD:
        return opposing == 0
    return opposing == 0 or (opposing == 1 and point not in board.own_pinned)


def may_bear_off(own: Sequence[int], origin: int, number: int) -> bool:
    """Whether a number may bear off from a point.

    Only while all checkers are home; from the point of that number, or, if the number is above the
    highest occupied point, from that one.

    >>> own = side({0: 13, 5: 1, 2: 1})
    >>> [number for number in NUMBERS if may_bear_off(own, 5, number)]
    [5, 6]
    >>> [number for number in NUMBERS if may_bear_off(own, 2, number)]
    [2]
    """
    if not is_home(own) or own[origin] == 0:
        return False
    is_highest = not any(own[origin + 1 :])
    return number == origin or (number > origin and is_highest)


def waits_for_pinned(board: Board, ruleset: Ruleset) -> bool:
    """Whether nothing may bear off because an own checker is pinned at home.

    `bear_off_while_pinned=forbidden`. `allowed`: the pinned one only cannot move, and is an
    occupied point like any other.
    """
    return ruleset.bear_off_while_pinned == "forbidden" and any(
        point in HOME for point in board.own_pinned
    )


def after_step(turn: Turn, origin: int, number: int, ruleset: Ruleset) -> tuple[Step, Turn]:
    """Return a legal step and the turn after it."""
    own, opp = list(turn.board.own), list(turn.board.opp)
    target = max(origin - number, OFF)
    hitters = turn.hitters
    own[origin] -= 1
    own[target] += 1
    if is_hit(turn.board, target, ruleset):
        opp[across(target, ruleset)] -= 1
        opp[BAR] += 1
        if ruleset.hit_and_run == "not_at_home" and target in HOME:
            hitters = hitters | {target}
    numbers = list(turn.numbers)
    numbers.remove(number)
    opp_pinned = opp_pinned_after(turn.board, origin, target, ruleset)
    after = Board(tuple(own), tuple(opp), turn.board.own_pinned, opp_pinned)
    return (origin, target), turn._replace(board=after, numbers=tuple(numbers), hitters=hitters)


def is_hit(board: Board, target: int, ruleset: Ruleset) -> bool:
    """Whether landing there sends an opposing checker to the bar."""
    return ruleset.contact is Contact.HIT and meets_blot(board, target, ruleset)


def meets_blot(board: Board, target: int, ruleset: Ruleset) -> bool:
    """Whether exactly one opposing checker is where a step lands."""
    return target != OFF and board.opp[across(target, ruleset)] == 1


def opp_pinned_after(board: Board, origin: int, target: int, ruleset: Ruleset) -> frozenset[int]:
    """Return where opposing checkers are pinned after a legal step.

    One that the step lands on is pinned, or still is; one that the last own checker on top of it
    leaves is free.

    >>> from tavli_fast.rules import PLAKOTO
    >>> lone = Board(side({24: 14, 20: 1}), side({24: 13, 7: 1, 5: 1}), opp_pinned=frozenset({5}))
    >>> sorted(opp_pinned_after(lone, 24, 20, PLAKOTO))
    [5]
    >>> sorted(opp_pinned_after(lone, 20, 18, PLAKOTO))
    [7]
    """
    pinned = board.opp_pinned
    if ruleset.contact is not Contact.PIN:
        return pinned
    if board.own[origin] == 1:
        pinned = pinned - {across(origin, ruleset)}
    if meets_blot(board, target, ruleset):
        pinned = pinned | {across(target, ruleset)}
    return pinned


def every_play(beginning: Turn, ruleset: Ruleset) -> Plays:
    """Return every stage a turn can come to by legal steps, in every order of the dice.

    The beginning is the first key. Stages alike in everything the next step depends on are one.
    None follows a stage at which a pinned mother has ended the game.
    """
    plays: Plays = {}
    stages = {beginning}
    while stages:
        for turn in stages:
            plays[turn] = [
                after_step(turn, origin, number, ruleset)
                for number in sorted(set(numbers_left(turn, ruleset)))
                for origin in range(BAR, OFF, -1)
                if is_legal_step(turn, origin, number, ruleset)
            ]
        stages = {after for turn in stages for _, after in plays[turn]}
    return plays


# What a finished turn may not look like


def holds(board: Board, point: int, ruleset: Ruleset) -> bool:
    """Whether the player on roll keeps the other from landing on a point, 1 to 24.

    >>> from tavli_fast.rules import FEVGA, PORTES
    >>> blot = Board(side({24: 14, 18: 1}), side({24: 15}))
    >>> holds(blot, 18, PORTES), holds(blot, 18, FEVGA), holds(blot, 24, PORTES)
    (False, True, True)
    """
    return not is_open(flip(board), across(point, ruleset), ruleset)


def breaks_a_ban(board: Board, was_blocked: bool, ruleset: Ruleset) -> bool:
    """Whether a turn may not end so; `was_blocked`: the opponent was totally blocked before it."""
    return (
        breaks_start_quarter(board, ruleset)
        or breaks_mother_prime(board, ruleset)
        or breaks_six_prime(board, ruleset)
        or breaks_total_block(board, was_blocked, ruleset)
    )


def breaks_total_block(board: Board, was_blocked: bool, ruleset: Ruleset) -> bool:
    """The opponent may not be left totally blocked.

    `total_block_remedy=must_open`: only if he was so at the start of the turn.
    """
    if ruleset.total_block_remedy == "must_open" and not was_blocked:
        return False
    return is_totally_blocked(board, ruleset)


def is_totally_blocked(board: Board, ruleset: Ruleset) -> bool:
    """Whether the opponent is totally blocked, in the sense of `total_block`.

    If he has no checkers left the question does not arise.

    >>> from tavli_fast.rules import FEVGA
    >>> wall = side({1: 1, 2: 1, 3: 1, 24: 10, 23: 1, 22: 1})
    >>> is_totally_blocked(Board(wall, side({16: 2, 9: 13})), FEVGA)
    False
    >>> is_totally_blocked(Board(wall, side({16: 15})), FEVGA)
    True
    """
    if has_finished(board.opp, ruleset):
        return False
    if ruleset.total_block == "no_playable_number":
        return has_no_playable_number(board, ruleset)
    if ruleset.total_block == "all_on_one_point":
        return stands_on_one_point_behind_six(board, ruleset)
    return False


def has_no_playable_number(board: Board, ruleset: Ruleset) -> bool:
    """Whether the opponent, were he on roll, could play no number 1 to 6; his bans do not count."""
    his_turn = begin_turn(flip(board), tuple(NUMBERS), ruleset)
    return not any(
        is_legal_step(his_turn, origin, number, ruleset)
        for number in NUMBERS
        for origin in range(BAR, OFF, -1)
    )


def stands_on_one_point_behind_six(board: Board, ruleset: Ruleset) -> bool:
    """Whether all the opponent's checkers, none off, stand right behind six points held by me."""
    occupied = [point for point, count in enumerate(board.opp) if count > 0]
    rearmost = occupied[-1]
    return (
        len(occupied) == 1
        and rearmost > 6
        and all(
            holds(board, across(point, ruleset), ruleset) for point in range(rearmost - 6, rearmost)
        )
    )


def breaks_start_quarter(board: Board, ruleset: Ruleset) -> bool:
    """All six of own 24..19 may not be held.

    >>> from tavli_fast.rules import FEVGA
    >>> held = Board(side({24: 10, 23: 1, 22: 1, 21: 1, 20: 1, 19: 1}), side({24: 15}))
    >>> breaks_start_quarter(held, FEVGA), breaks_start_quarter(start(FEVGA), FEVGA)
    (True, False)
    """
    return ruleset.start_quarter == "banned" and all(
        holds(board, point, ruleset) for point in START_QUARTER
    )


def breaks_mother_prime(board: Board, ruleset: Ruleset) -> bool:
    """All six of own 11..6, right in front of the opponent's 24, may not be held.

    `mother_prime=while_occupied`: only while he has a checker on his 24.

    >>> from tavli_fast.rules import FEVGA
    >>> prime = side({11: 1, 10: 1, 9: 1, 8: 1, 7: 1, 6: 10})
    >>> left_24 = Board(prime, side({13: 15}))
    >>> breaks_mother_prime(left_24, FEVGA)
    True
    >>> breaks_mother_prime(left_24, FEVGA.replace(mother_prime="while_occupied"))
    False
    """
    if ruleset.mother_prime == "free":
        return False
    if ruleset.mother_prime == "while_occupied" and board.opp[MOTHER] == 0:
        return False
    return all(holds(board, point, ruleset) for point in MOTHER_PRIME)


def breaks_six_prime(board: Board, ruleset: Ruleset) -> bool:
    """Walls of six that the ruleset does not let stand may not be held.

    `six_prime=needs_one_ahead`: those that no opposing checker is past, borne off included.
    `forbidden`: all. `free`: none.

    >>> from tavli_fast.rules import LONG_NARDY
    >>> wall = side({3: 1, 2: 1, 1: 1, 24: 10, 23: 1, 22: 1})
    >>> none_past = Board(wall, side({18: 5, 16: 10}))
    >>> one_past = Board(wall, side({18: 5, 16: 9, 9: 1}))
    >>> [breaks_six_prime(board, LONG_NARDY) for board in (none_past, one_past)]
    [True, False]
    >>> breaks_six_prime(one_past, LONG_NARDY.replace(six_prime="forbidden"))
    True
    """
    if ruleset.six_prime == "free":
        return False
    return any(
        ruleset.six_prime == "forbidden" or not any(board.opp[: wall.start])
        for wall in walls_of_six(board, ruleset)
    )


def walls_of_six(board: Board, ruleset: Ruleset) -> Iterator[range]:
    """Yield every six neighbouring points on the opponent's path, by his numbers, that I hold.

    A longer wall is several of six.

    >>> from tavli_fast.rules import LONG_NARDY
    >>> seven = side({4: 1, 3: 1, 2: 1, 1: 1, 24: 9, 23: 1, 22: 1})
    >>> list(walls_of_six(Board(seven, side({18: 15})), LONG_NARDY))
    [range(10, 16), range(11, 17)]
    >>> seam = side({15: 1, 14: 1, 13: 1, 12: 1, 11: 1, 10: 10})
    >>> list(walls_of_six(Board(seam, side({24: 15})), LONG_NARDY))
    []
    """
    for last in range(1, 20):
        wall = range(last, last + 6)
        if all(holds(board, across(point, ruleset), ruleset) for point in wall):
            yield wall


def not_banned(plays: Plays, ruleset: Ruleset) -> set[Turn]:
    """Return the stages of a turn at which it may end as far as the bans go.

    If the opponent was totally blocked at the start and no play of at least one number passes,
    that ban alone is waived for this turn.
    """
    beginning = next(iter(plays))
    was_blocked = is_totally_blocked(beginning.board, ruleset)
    passing = {turn for turn in plays if not breaks_a_ban(turn.board, was_blocked, ruleset)}
    if was_blocked and not passing - {beginning}:
        return not_banned(plays, dataclasses.replace(ruleset, total_block="off"))
    return passing


# Most numbers, the higher number, distinct results


def most_numbers(turns: set[Turn], ruleset: Ruleset) -> set[Turn]:
    """Return those turns that play as many numbers as any of them does.

    One that a pinned mother ended counts as having played all.
    """
    fewest_left = min(len(numbers_left(turn, ruleset)) for turn in turns)
    return {turn for turn in turns if len(numbers_left(turn, ruleset)) == fewest_left}


def higher_number(turns: set[Turn], roll: tuple[int, ...], ruleset: Ruleset) -> set[Turn]:
    """Return the turns that play the higher number, if just one of two can be played.

    `turns` play as many numbers as each other. If none of them plays the higher one, all stand.
    """
    if len(roll) != 2 or any(len(numbers_left(turn, ruleset)) != 1 for turn in turns):
        return turns
    return {turn for turn in turns if max(roll) not in turn.numbers} or turns


def stops_before_bearing_off(plays: Plays, endings: set[Turn]) -> set[Turn]:
    """Return the stages on the way to an ending at which `bear_off=optional` lets a move stop.

    Those where some number left can be played, but only to bear off.
    """
    on_the_way = set(endings)
    for turn in reversed(plays):
        if any(after in on_the_way for _, after in plays[turn]):
            on_the_way.add(turn)
    return {
        turn
        for turn in on_the_way
        if plays[turn] and all(target == OFF for (_, target), _ in plays[turn])
    }


def full_endings(plays: Plays, passing: set[Turn], ruleset: Ruleset) -> set[Turn]:
    """Return the legal endings of a turn that play all that must be played.

    The beginning itself if no play passes the bans: the turn is lost, which no ban forbids.
    """
    beginning = next(iter(plays))
    longest = most_numbers(passing | {beginning}, ruleset)
    return higher_number(longest, beginning.numbers, ruleset)


def legal_endings(plays: Plays, ruleset: Ruleset) -> set[Turn]:
    """Return every legal ending of a turn."""
    passing = not_banned(plays, ruleset)
    endings = full_endings(plays, passing, ruleset)
    if ruleset.bear_off == "optional":
        endings |= stops_before_bearing_off(plays, endings) & passing
    return endings


# The questions


def afterstates(
    position: PositionLike,
    roll: Sequence[int],
    ruleset: Ruleset | None = None,
    numbers: int | None = None,
) -> list[Board]:
    """Return the distinct positions a roll can lead to, sorted, seen by the player who moved.

    The unchanged position alone if no number can be played or the game is over, but for a last
    roll. A position with a `ruleset` of its own needs none here. `numbers` is how many numbers of
    a double are left to be played, 1 to 4. Raises `ValueError` for a bad roll or for `numbers` of
    a mixed one, or for a side that has not as many checkers as the ruleset, borne off included.

    >>> from tavli_fast.rules import FEVGA, PORTES
    >>> [after.own[13] for after in afterstates(start(FEVGA), (6, 5), FEVGA)]
    [1]
    >>> [len(afterstates(start(PORTES), roll, PORTES)) for roll in ((3, 1), (2, 2))]
    [16, 75]
    >>> [len(afterstates(start(PORTES), (2, 2), PORTES, numbers)) for numbers in (1, 2, 3)]
    [4, 13, 33]
    """
    plays, ruleset = plays_of(position, roll, ruleset, numbers)
    results = {turn.board for turn in legal_endings(plays, ruleset)}
    return sorted(results, key=lambda after: (*after[:2], *map(sorted, after[2:])))


def moves(
    position: PositionLike,
    roll: Sequence[int],
    ruleset: Ruleset | None = None,
    numbers: int | None = None,
) -> list[tuple[Step, ...]]:
    """Return every legal sequence of steps, sorted: all orders, also where the result is the same.

    Each is a tuple of (from, to), 25 the bar and 0 off; `()` alone for a lost turn. Errors as in
    `afterstates`.

    >>> from tavli_fast.rules import FEVGA, PORTES
    >>> moves(start(FEVGA), (6, 5), FEVGA)
    [((24, 18), (18, 13)), ((24, 19), (19, 13))]
    >>> moves(Board(side({0: 14, 25: 1}), side({1: 2, 2: 2, 3: 11})), (2, 1), PORTES)
    [()]
    """
    plays, ruleset = plays_of(position, roll, ruleset, numbers)
    endings = legal_endings(plays, ruleset)

    def sequences(turn: Turn) -> Iterator[tuple[Step, ...]]:
        if turn in endings:
            yield ()
        for step, after in plays[turn]:
            for rest in sequences(after):
                yield (step, *rest)

    return sorted(set(sequences(next(iter(plays)))))


def next_steps(
    position: PositionLike,
    roll: Sequence[int],
    played: Sequence[Step] = (),
    ruleset: Ruleset | None = None,
    numbers: int | None = None,
) -> dict[Step, bool]:
    """Return the steps that can follow in a legal sequence, and whether each must be made.

    `played` are the steps made so far; the order in which they are given does not count. A step
    must be made if every legal way of going on contains it, at once or later. Errors as in
    `afterstates`, and `ValueError` if no legal sequence begins with those steps.

    >>> from tavli_fast.rules import FEVGA
    >>> next_steps(start(FEVGA), (6, 5), ruleset=FEVGA)
    {(24, 18): False, (24, 19): False}
    >>> next_steps(start(FEVGA), (6, 5), [(24, 18)], FEVGA)
    {(18, 13): True}
    """
    begun = [
        sequence[len(played) :]
        for sequence in moves(position, roll, ruleset, numbers)
        if sorted(sequence[: len(played)]) == sorted(played)
    ]
    if not begun:
        raise ValueError(f"no legal sequence begins with {played!r}")
    return {rest[0]: all(rest[0] in other for other in begun) for rest in begun if rest}


def numbers_played(
    position: PositionLike,
    roll: Sequence[int],
    ruleset: Ruleset | None = None,
    numbers: int | None = None,
) -> int:
    """Return the most numbers that any legal move plays: 0 to 4, 0 for a lost turn.

    Where a pinned mother ends the turn early, those played until then. Errors as in `afterstates`.

    >>> from tavli_fast.rules import FEVGA
    >>> numbers_played(start(FEVGA), (6, 5), FEVGA), numbers_played(start(FEVGA), (6, 6), FEVGA)
    (2, 1)
    """
    plays, ruleset = plays_of(position, roll, ruleset, numbers)
    rolled = len(next(iter(plays)).numbers)
    return max(rolled - len(turn.numbers) for turn in legal_endings(plays, ruleset))


def perft(
    position: PositionLike, depth: int, weighted: bool = False, ruleset: Ruleset | None = None
) -> int:
    """Return the number of paths of `depth` turns over the 21 distinct rolls.

    `weighted` counts mixed rolls twice, so over all 36. A lost turn counts one, and so does a
    finished game at any depth. Raises `ValueError` for a negative depth.

    >>> from tavli_fast.rules import FEVGA
    >>> perft(start(FEVGA), 1, ruleset=FEVGA), perft(start(FEVGA), 1, weighted=True, ruleset=FEVGA)
    (22, 37)
    """
    if depth < 0:
        raise ValueError(f"depth cannot be negative: {depth}")
    now, ruleset = _resolve(position, ruleset)
    if depth == 0 or points_won(now, ruleset) is not None:
        return 1
    paths = 0
    for high in NUMBERS:
        for low in range(1, high + 1):
            below = sum(
                perft(flip(after), depth - 1, weighted, ruleset)
                for after in afterstates(now, (high, low), ruleset)
            )
            paths += below * (2 if weighted and high != low else 1)
    return paths


# Walls


class Prime(NamedTuple):
    """A wall of at least two points, by the numbers of the player it stops.

    `side` is who holds it, `"own"` or `"opp"`. The player it stops, the other one, comes to `first`
    first and to `last` last; `behind` of his checkers are still before it, on the bar included.
    `before_start`: it holds his 23, right in front of his start point. `before_start_quarter`: his
    18, right in front of his start quarter. `full`: six points or more, which no number passes.
    """

    side: str
    length: int
    first: int
    last: int
    behind: int
    before_start: bool
    before_start_quarter: bool
    full: bool


class Walls(NamedTuple):
    """The walls one side holds, a lone point being a wall of one.

    `longest`: the points of the longest. `live`: of the longest with an opposing checker behind it.
    `trapped`: opposing checkers behind a wall of six or more.
    """

    longest: int
    live: int
    trapped: int


class Blockade(NamedTuple):
    """Both sides' walls, and what the 36 rolls do for the player on roll.

    `pass_rolls`, `partial_rolls` and `full_rolls`: see `mobility`; `escape_rolls`: see `escapes`.
    `forbidden`: see `forbidden`.
    """

    own: Walls
    opp: Walls
    pass_rolls: int
    partial_rolls: int
    full_rolls: int
    escape_rolls: int
    forbidden: Ban


def walls(board: Board, ruleset: Ruleset) -> list[range]:
    """Return every longest run of points the player on roll holds, as the opponent meets them.

    By the opponent's numbers, along his path from 24 to 1; his 1 and 24 are no neighbours. Held are
    points on which he may not land: where the player on roll has two checkers or pins one, or in
    games where one checker holds a point, any.

    >>> from tavli_fast.rules import FEVGA, PORTES
    >>> around = Board(side({2: 1, 1: 1, 24: 13}), side({20: 15}))
    >>> walls(around, FEVGA)
    [range(12, 15)]
    >>> walls(Board(side({13: 1, 12: 14}), side({20: 15})), FEVGA)
    [range(24, 25), range(1, 2)]
    >>> walls(start(PORTES), PORTES)
    [range(19, 20), range(17, 18), range(12, 13), range(1, 2)]
    """
    held = [point for point in range(24, 0, -1) if holds(board, across(point, ruleset), ruleset)]
    found = []
    for first in held:
        if first + 1 not in held:
            last = first
            while last - 1 in held:
                last -= 1
            found.append(range(last, first + 1))
    return found


def behind(board: Board, wall: range) -> int:
    """Return how many opposing checkers have a wall still before them, those on the bar included.

    A checker pinned on a point of the wall is not behind it.
    """
    return sum(board.opp[wall.stop :])


def primes_of(board: Board, name: str, ruleset: Ruleset) -> list[Prime]:
    """Return the walls of two points or more that the player on roll holds, under a side's name."""
    return [
        Prime(
            side=name,
            length=len(wall),
            first=wall[-1],
            last=wall[0],
            behind=behind(board, wall),
            before_start=23 in wall,
            before_start_quarter=18 in wall,
            full=len(wall) >= 6,
        )
        for wall in walls(board, ruleset)
        if len(wall) >= 2
    ]


def primes(position: PositionLike, ruleset: Ruleset | None = None) -> list[Prime]:
    """Return every wall of two points or more, own ones first, each side's as the other meets them.

    >>> from tavli_fast.rules import LONG_NARDY
    >>> wall = side({3: 1, 2: 1, 1: 1, 24: 10, 23: 1, 22: 1})
    >>> primes(Board(wall, side({18: 5, 16: 9, 9: 1})), LONG_NARDY)[0]  # doctest: +ELLIPSIS
    Prime(side='own', length=6, first=15, last=10, behind=14, ..., full=True)
    """
    now, ruleset = _resolve(position, ruleset)
    return primes_of(now, "own", ruleset) + primes_of(flip(now), "opp", ruleset)


def walls_of(board: Board, ruleset: Ruleset) -> Walls:
    """Return the measures of the walls the player on roll holds."""
    found = walls(board, ruleset)
    return Walls(
        longest=max((len(wall) for wall in found), default=0),
        live=max((len(wall) for wall in found if behind(board, wall)), default=0),
        trapped=max((behind(board, wall) for wall in found if len(wall) >= 6), default=0),
    )


def forbidden(board: Board, ruleset: Ruleset) -> Ban:
    """Return which of the blockades that the ruleset forbids stand now, held by the one on roll.

    Under either `total_block_remedy` a total block counts: it may not be left standing.

    >>> from tavli_fast.rules import FEVGA
    >>> quarter = side({24: 10, 23: 1, 22: 1, 21: 1, 20: 1, 19: 1})
    >>> forbidden(Board(quarter, side({24: 15})), FEVGA)
    <Ban.START_QUARTER: 2>
    """
    broken = {
        Ban.TOTAL_BLOCK: is_totally_blocked(board, ruleset),
        Ban.START_QUARTER: breaks_start_quarter(board, ruleset),
        Ban.MOTHER_PRIME: breaks_mother_prime(board, ruleset),
        Ban.SIX_PRIME: breaks_six_prime(board, ruleset),
    }
    return Ban(sum(ban for ban, stands in broken.items() if stands))


def in_contact(position: PositionLike, ruleset: Ruleset | None = None) -> bool:
    """Whether the sides can still meet: if not, the game is a race.

    They can while there is a point that both still stand on or may come to.

    >>> from tavli_fast.rules import FEVGA, PORTES
    >>> passed = Board(side({6: 15}), side({18: 15}))
    >>> in_contact(passed, PORTES), in_contact(passed, FEVGA), in_contact(start(PORTES), PORTES)
    (False, True, True)
    """
    now, ruleset = _resolve(position, ruleset)
    return any(
        any(now.own[point:]) and any(now.opp[across(point, ruleset) :]) for point in range(1, 25)
    )


def plays_nothing(beginning: Turn, endings: set[Turn]) -> bool:
    """Whether a roll is lost, as all are when the game is over."""
    return all(turn.numbers == beginning.numbers for turn in endings)


def plays_all(endings: set[Turn], ruleset: Ruleset) -> bool:
    """Whether a roll can be played whole, or to the end of the game."""
    return any(
        not numbers_left(turn, ruleset)
        or has_finished(turn.board.own, ruleset)
        or is_drawn(turn.board)
        for turn in endings
    )


def mobility(position: PositionLike, ruleset: Ruleset | None = None) -> tuple[int, int, int]:
    """Return how many of the 36 rolls play nothing, some of their numbers but not all, and all.

    A roll that can end the game counts as all; when the game is over all rolls play nothing.

    >>> from tavli_fast.rules import FEVGA, PORTES
    >>> mobility(start(PORTES), PORTES), mobility(start(FEVGA), FEVGA)
    ((0, 0, 36), (0, 3, 33))
    """
    return blockade(position, ruleset)[2:5]


def wall_to_pass(board: Board, ruleset: Ruleset) -> range | None:
    """Return the longest wall that still has a checker of the player on roll behind it.

    By his numbers; of equally long ones, the first on his way; `None` if there is none.
    """
    live = [wall for wall in walls(flip(board), ruleset) if behind(flip(board), wall)]
    return max(live, key=len, default=None)


def escapes(plays: Plays, endings: set[Turn], wall: range | None) -> bool:
    """Whether a legal turn can bring the rearmost checker past a wall; so if there is no wall.

    Checkers on one point are alike: any step from where it may stand may be its own.
    """
    if wall is None:
        return True
    beginning = next(iter(plays))
    stands_on: dict[Turn, set[int]] = {turn: set() for turn in plays}
    stands_on[beginning] = {max(point for point, count in enumerate(beginning.board.own) if count)}
    for turn, following in plays.items():
        for (origin, target), after in following:
            for point in stands_on[turn]:
                if point == origin:
                    stands_on[after].add(target)
                if point != origin or turn.board.own[origin] > 1:
                    stands_on[after].add(point)
    return any(point < wall[0] for turn in endings for point in stands_on[turn])


def blockade(position: PositionLike, ruleset: Ruleset | None = None) -> Blockade:
    """Return both sides' walls, and what the 36 rolls do for the player on roll.

    `escape_rolls` are those that can bring his rearmost checker past the longest wall that still
    stops one; all, if there is none. `forbidden` looks at the walls of the player on roll.

    >>> from tavli_fast.rules import PORTES
    >>> prime = side({2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 7: 2, 1: 3})
    >>> shut_in = blockade(Board(side({25: 1, 1: 14}), prime), PORTES)
    >>> shut_in.opp, shut_in.pass_rolls, shut_in.escape_rolls
    (Walls(longest=7, live=7, trapped=1), 36, 0)
    """
    now, ruleset = _resolve(position, ruleset)
    wall = wall_to_pass(now, ruleset)
    nothing = some = whole = escaping = 0
    for high in NUMBERS:
        for low in range(1, high + 1):
            rolls = 1 if high == low else 2
            plays, _ = plays_of(now, (high, low), ruleset, None)
            endings = legal_endings(plays, ruleset)
            if plays_nothing(next(iter(plays)), endings):
                nothing += rolls
            elif plays_all(endings, ruleset):
                whole += rolls
            else:
                some += rolls
            if escapes(plays, endings, wall):
                escaping += rolls
    return Blockade(
        own=walls_of(now, ruleset),
        opp=walls_of(flip(now), ruleset),
        pass_rolls=nothing,
        partial_rolls=some,
        full_rolls=whole,
        escape_rolls=escaping,
        forbidden=forbidden(now, ruleset),
    )


def plays_of(
    position: PositionLike, roll: Sequence[int], ruleset: Ruleset | None, left: int | None
) -> tuple[Plays, Ruleset]:
    """Return every play of a roll, none but the beginning if the game is over, and the ruleset."""
    now, ruleset = _resolve(position, ruleset)
    numbers = numbers_of(roll)
    if left is not None and not (len(numbers) == 4 and left in range(1, 5)):
        raise ValueError(f"1 to 4 numbers of a double can be left, not {left!r} of {roll!r}")
    beginning = begin_turn(now, numbers[:left], ruleset)
    if points_won(now, ruleset) is not None and not may_have_last_roll(now, ruleset):
        return {beginning: []}, ruleset
    return every_play(beginning, ruleset), ruleset


def _resolve(position: PositionLike, ruleset: Ruleset | None) -> tuple[Board, Ruleset]:
    """Return the board and the ruleset to judge it by: the one given, else the position's own."""
    rules: Ruleset | None = ruleset or getattr(position, "ruleset", None)
    if rules is None:
        raise ValueError("a position without a ruleset of its own needs one given")
    now = board(position)
    for name, counts in (("own", now.own), ("opp", now.opp)):
        # Whether a side has finished, and whether its runner is under way, is told by totals.
        if len(counts) != BAR + 1 or sum(counts) != rules.checkers:
            raise ValueError(f"{name} must be 26 counts that sum to {rules.checkers}: {counts}")
    return now, rules
