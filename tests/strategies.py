"""Arbitrary legal boards, with a liking for the shapes that trouble move generators.

Every shape is a list of points, one a checker, by the numbering of the side it belongs to. The
second side of a board is laid on what the first has left free. All choices are asked of a `Random`:
a plain one makes many different boards fast, Hypothesis's own makes boards that it can shrink.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection

from boards import board, facing
from hypothesis import strategies as st

from tavli_fast.reference import Board
from tavli_fast.rules import BAR, OFF, OPTIONS, Contact, Ruleset

Shape = Callable[[random.Random, Ruleset, Collection[int]], list[int]]

POINTS = range(1, 25)
HOME = range(1, 7)


def heaps(choose: random.Random, region: Collection[int], checkers: int) -> list[int]:
    """So many checkers in a few heaps somewhere in a region; off where it has no points."""
    if not region:
        return [OFF] * checkers
    places = choose.sample(sorted(region), choose.randint(1, min(10, len(region))))
    return choose.choices(places, k=checkers)


def split(choose: random.Random, checkers: int, most: int) -> tuple[int, int]:
    """A number of checkers up to `most`, and the others."""
    some = choose.randint(min(1, checkers), min(most, checkers))
    return some, checkers - some


def anywhere(choose: random.Random, ruleset: Ruleset, free: Collection[int]) -> list[int]:
    return heaps(choose, free, ruleset.checkers)


def at_home(choose: random.Random, ruleset: Ruleset, free: Collection[int]) -> list[int]:
    return heaps(choose, {OFF, *HOME} & {OFF, *free}, ruleset.checkers)


def stragglers(choose: random.Random, ruleset: Ruleset, free: Collection[int]) -> list[int]:
    """Nearly all at home, so that numbers bring the last ones in and go on bearing off."""
    back, rest = split(choose, ruleset.checkers, 3)
    outside = heaps(choose, set(free) - set(HOME), back)
    return outside + heaps(choose, {OFF, *HOME} & {OFF, *free}, rest)


def few(choose: random.Random, ruleset: Ruleset, free: Collection[int]) -> list[int]:
    left, off = split(choose, ruleset.checkers, 4)
    return heaps(choose, free, left) + [OFF] * off


def on_the_bar(choose: random.Random, ruleset: Ruleset, free: Collection[int]) -> list[int]:
    waiting, rest = split(choose, ruleset.checkers, 4)
    return [BAR] * waiting + heaps(choose, {OFF, *free}, rest)


def at_start(choose: random.Random, ruleset: Ruleset, free: Collection[int]) -> list[int]:
    points = [point for point in range(26) for _ in range(ruleset.start[point])]
    return [point if point in free or point in (OFF, BAR) else OFF for point in points]


def runner(choose: random.Random, ruleset: Ruleset, free: Collection[int]) -> list[int]:
    """All on 24 but a checker or two: under way, about to arrive, just arrived, home or off."""
    if 24 not in free:
        return anywhere(choose, ruleset, free)
    gone, rest = split(choose, ruleset.checkers, choose.choice([1, 1, 1, 2]))
    region = choose.choice([{OFF, *free}, set(range(11, 19)) & set(free)])
    return heaps(choose, region, gone) + [24] * rest


def short_of(run: range) -> Shape:
    """Five of the six points of a run, and checkers to fill the sixth."""

    def shape(choose: random.Random, ruleset: Ruleset, free: Collection[int]) -> list[int]:
        missing = choose.choice(run)
        held = [point for point in run if point != missing and point in free][: ruleset.checkers]
        spare, rest = split(choose, ruleset.checkers - len(held), 3)
        above = set(range(missing + 1, min(missing + 9, 25))) & set(free)
        return held + heaps(choose, above, spare) + heaps(choose, {OFF, *free}, rest)

    return shape


short_of_start_quarter = short_of(range(19, 25))
short_of_mother_prime = short_of(range(6, 12))


def wall(choose: random.Random, ruleset: Ruleset, free: Collection[int]) -> list[int]:
    """A run of five to seven points, on either side's path, perhaps with a hole to fill."""
    length = choose.choice([6, 6, 5, 7])
    lowest = choose.randint(1, 25 - length)
    run = [lowest + i for i in range(length)]
    if choose.choice([False, True]):
        run = [facing(ruleset.movement, point) for point in run]
    if choose.choice([False, True]):
        run.remove(choose.choice(run))
    run = [point for point in run if point in free][: ruleset.checkers]
    height = 2 if ruleset.contact is Contact.HIT and 2 * len(run) <= ruleset.checkers else 1
    held = run * height
    return held + heaps(choose, {OFF, *free}, ruleset.checkers - len(held))


SHAPES: dict[Contact, list[Shape]] = {
    Contact.HIT: [anywhere, at_home, stragglers, few, on_the_bar, at_start, wall],
    Contact.HOLD: [
        anywhere,
        at_home,
        stragglers,
        few,
        runner,
        at_start,
        wall,
        short_of_start_quarter,
        short_of_mother_prime,
    ],
}
ABOUT: dict[str, list[Shape]] = {
    "bear_off": [at_home, stragglers, few],
    "hit_and_run": [anywhere, at_home, few],
    "runner": [runner],
    "runner_release": [runner],
    "start_quarter": [short_of_start_quarter],
    "mother_prime": [short_of_mother_prime],
}
"""The shapes with which an option has most to say."""


def shaped_board(choose: random.Random, ruleset: Ruleset, shapes: list[Shape]) -> Board:
    """Two shapes on one board, the first of them one of these."""
    first = choose.choice(shapes)(choose, ruleset, POINTS)
    free = set(POINTS) - taken_from_the_other(first, ruleset)
    second = choose.choice(SHAPES[ruleset.contact])(choose, ruleset, free)
    return whole_board(choose, ruleset, first, second)


def shut_in_board(choose: random.Random, ruleset: Ruleset) -> Board:
    """A wall of six, or nearly, and the other side behind it but for one or two, perhaps stuck."""
    hits = ruleset.contact is Contact.HIT
    top = choose.randint(7, BAR if hits else 24)
    run = range(top - 6, top)
    held = set(run) - {choose.choice([OFF, OFF, *run])}
    behind = choose.choice([{top}, set(range(top, BAR + 1 if hits else BAR))])
    past = choose.randint(0, min(2, ruleset.checkers - 1))
    beyond = choose.choice([{OFF}, {1} - held, set(range(top)) - held])
    prisoners = heaps(choose, behind, ruleset.checkers - past) + heaps(choose, beyond, past)
    free = set(POINTS) - taken_from_the_other(prisoners, ruleset)
    guards = sorted(facing(ruleset.movement, point) for point in held)
    guards = (guards * (2 if hits else 1))[: ruleset.checkers]
    guards += heaps(choose, {OFF, *free}, ruleset.checkers - len(guards))
    return whole_board(choose, ruleset, guards, prisoners)


def taken_from_the_other(points: list[int], ruleset: Ruleset) -> set[int]:
    return {facing(ruleset.movement, point) for point in points if point in POINTS}


def whole_board(
    choose: random.Random, ruleset: Ruleset, first: list[int], second: list[int]
) -> Board:
    """Either side on roll, and nobody finished."""
    for side, other in ((first, second), (second, first)):
        if set(side) == {OFF}:
            side[0] = min(set(POINTS) - taken_from_the_other(other, ruleset))
    own, opp = choose.sample([first, second], 2)
    return board(Counter(own), Counter(opp), ruleset.checkers)


def arbitrary_board(choose: random.Random, ruleset: Ruleset) -> Board:
    """Any legal board, with a liking for trouble."""
    if choose.choice([False, False, True]):
        return shut_in_board(choose, ruleset)
    return shaped_board(choose, ruleset, SHAPES[ruleset.contact])


def board_about(choose: random.Random, ruleset: Ruleset, option: str) -> Board:
    """Any legal board, with a liking for those on which an option matters."""
    if choose.choice([False, False, True]):
        return arbitrary_board(choose, ruleset)
    if option in ("total_block", "total_block_remedy"):
        return shut_in_board(choose, ruleset)
    return shaped_board(choose, ruleset, ABOUT.get(option, SHAPES[ruleset.contact]))


def variant(choose: random.Random, ruleset: Ruleset) -> Ruleset:
    """The game under any combination of its options."""
    return ruleset.replace(**{name: choose.choice(OPTIONS[name]) for name in ruleset.options})


@st.composite
def legal_boards(draw: Callable[..., random.Random], ruleset: Ruleset) -> Board:
    return arbitrary_board(draw(st.randoms(use_true_random=False)), ruleset)


def variants(ruleset: Ruleset) -> st.SearchStrategy[Ruleset]:
    choices = {name: st.sampled_from(OPTIONS[name]) for name in ruleset.options}
    return st.fixed_dictionaries(choices).map(lambda chosen: ruleset.replace(**chosen))
