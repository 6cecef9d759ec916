"""Arbitrary legal boards, with a liking for the shapes that trouble move generators.

Every shape is a list of points, one a checker, by the numbering of the side it belongs to. The
second side of a board is laid on what the first has left free. All choices are asked of a `Random`:
a plain one makes many different boards fast, Hypothesis's own makes boards that it can shrink.
"""

from __future__ import annotations

import contextlib
import dataclasses
import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np
from boards import board, facing, from_array
from hypothesis import strategies as st

import tavli_fast as tf
from tavli_fast.reference import Board
from tavli_fast.rules import BAR, OFF, OPTIONS, Contact, Movement, Ruleset

Shape = Callable[[random.Random, Ruleset, Collection[int]], list[int]]

POINTS = range(1, 25)
HOME = range(1, 7)
START_QUARTER = range(19, 25)
MOTHER = HEAD = 24


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


def head(choose: random.Random, ruleset: Ruleset, free: Collection[int]) -> list[int]:
    """One to three still on 24, or all but one to three."""
    if HEAD not in free:
        return anywhere(choose, ruleset, free)
    some, others = split(choose, ruleset.checkers, 3)
    left, gone = choose.choice([(some, others), (others, some)])
    region = choose.choice([{OFF, *free}, set(free), set(START_QUARTER) & set(free)])
    return [HEAD] * left + heaps(choose, set(region) - {HEAD}, gone)


def scattered(choose: random.Random, ruleset: Ruleset, free: Collection[int]) -> list[int]:
    """A checker on each of as many points as there are checkers, in the way of everybody."""
    points = choose.sample(sorted(free), min(len(free), ruleset.checkers, 15))
    return points + heaps(choose, {OFF, *points}, ruleset.checkers - len(points))


def mother(choose: random.Random, ruleset: Ruleset, free: Collection[int]) -> list[int]:
    """A lone checker on 24; the others close to the other side's, or anywhere."""
    if MOTHER not in free:
        return anywhere(choose, ruleset, free)
    rest = set(free) - {MOTHER}
    region = choose.choice([set(range(2, 14)) & rest, rest, {OFF, *HOME} & {OFF, *rest}])
    return [MOTHER, *heaps(choose, region, ruleset.checkers - 1)]


def hunters(choose: random.Random, ruleset: Ruleset, free: Collection[int]) -> list[int]:
    """Close to the other side's mother, with one, two or none left on 24."""
    left = choose.randint(0, min(2, ruleset.checkers)) if MOTHER in free else 0
    close = set(range(2, 14)) & set(free)
    return [MOTHER] * left + heaps(choose, close, ruleset.checkers - left)


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
    height = 2 if two_hold_a_point(ruleset) and 2 * len(run) <= ruleset.checkers else 1
    held = run * height
    return held + heaps(choose, {OFF, *free}, ruleset.checkers - len(held))


def two_hold_a_point(ruleset: Ruleset) -> bool:
    return ruleset.contact is not Contact.HOLD


SHAPES: dict[Contact, list[Shape]] = {
    Contact.HIT: [anywhere, at_home, stragglers, few, on_the_bar, at_start, wall],
    Contact.PIN: [anywhere, at_home, stragglers, few, at_start, wall, mother, hunters, head],
    Contact.HOLD: [
        anywhere,
        at_home,
        stragglers,
        few,
        runner,
        head,
        scattered,
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
    "mother": [mother, hunters],
    "bear_off_while_pinned": [at_home, few],
    "head": [head, at_start],
    "head_exception": [at_start],
}
"""The shapes with which an option has most to say."""

Region = Collection[int]
PINS_IN: list[Region] = [POINTS, POINTS, HOME, START_QUARTER, {MOTHER}, {1, MOTHER}]
"""Where checkers lie pinned, by the numbers of the first side."""
PINS_ABOUT: dict[str, list[Region]] = {
    "mother": [{MOTHER}, {1, MOTHER}, POINTS],
    "bear_off_while_pinned": [HOME],
}


def shaped_board(
    choose: random.Random,
    ruleset: Ruleset,
    shapes: list[Shape],
    pins_in: Sequence[Region] = PINS_IN,
) -> Board:
    """Two shapes on one board, the first of them one of these, and pins where there can be."""
    shape = choose.choice(shapes)
    pins = NO_PINS
    if ruleset.contact is Contact.PIN:
        at_home_too = shape in (at_home, stragglers, few) and choose.choice([False, True])
        pins = some_pins(choose, ruleset, HOME if at_home_too else choose.choice(pins_in))
    first = laid_on(choose, ruleset, pins.sides[0], shape, pins.free(0, ruleset))
    free = pins.free(1, ruleset) - taken_from_the_other(first, ruleset)
    second = laid_on(choose, ruleset, pins.sides[1], choose.choice(SHAPES[ruleset.contact]), free)
    return whole_board(choose, ruleset, first, second, pins.pinned)


def laid_on(
    choose: random.Random, ruleset: Ruleset, there: list[int], shape: Shape, free: set[int]
) -> list[int]:
    """A side of what is there already and as much of a shape as the other checkers make."""
    return there + shape(choose, ruleset, free)[: ruleset.checkers - len(there)]


class Pins(NamedTuple):
    """Checkers that pin and that are pinned, of two sides, each by its own numbering."""

    sides: tuple[list[int], list[int]]
    pinned: tuple[set[int], set[int]]

    def free(self, who: int, ruleset: Ruleset) -> set[int]:
        """The points that no pin takes, as one side knows them."""
        others = taken_from_the_other(self.sides[1 - who], ruleset)
        return set(POINTS) - set(self.sides[who]) - others


NO_PINS = Pins(([], []), (set(), set()))


def some_pins(choose: random.Random, ruleset: Ruleset, region: Region) -> Pins:
    """Up to four pins in a region, by the first side's numbers, under one to four checkers each.

    A mother is pinned only where that does not end the game.
    """
    pins = Pins(([], []), (set(), set()))
    for place in choose.sample(sorted(region), choose.randint(0, min(4, len(region)))):
        under = choose.randint(0, 1)
        over = 1 - under
        point = facing(ruleset.movement, place) if under else place
        room = ruleset.checkers - len(pins.sides[over])
        if point == MOTHER:
            room -= 1
            if not mother_may_be_pinned(pins, over, ruleset):
                continue
        if point not in pins.free(under, ruleset) or room < 1:
            continue
        if len(pins.sides[under]) == ruleset.checkers:
            continue
        height = min(room, choose.choice([1, 1, 2, 3, 4]))
        pins.sides[under].append(point)
        pins.pinned[under].add(point)
        pins.sides[over].extend([facing(ruleset.movement, point)] * height)
        if point == MOTHER and ruleset.mother == "unless_mutual":
            pins.sides[over].append(MOTHER)
    return pins


def mother_may_be_pinned(pins: Pins, pinner: int, ruleset: Ruleset) -> bool:
    """Whether the game goes on: one mother at most, and the pinner's own still to be pinned."""
    if MOTHER in pins.pinned[pinner] or ruleset.mother == "loss":
        return False
    still_there = MOTHER in pins.sides[pinner] or MOTHER in pins.free(pinner, ruleset)
    return ruleset.mother == "off" or still_there


def shut_in_board(choose: random.Random, ruleset: Ruleset) -> Board:
    """A wall of six, or nearly, and the other side behind it but for one or two, perhaps stuck."""
    hits = ruleset.contact is Contact.HIT
    two = two_hold_a_point(ruleset)
    top = choose.randint(7, BAR if hits else 24)
    run = range(top - 6, top)
    held = set(run) - {choose.choice([OFF, OFF, *run])}
    behind = choose.choice([{top}, set(range(top, BAR + 1 if hits else BAR))])
    past = choose.randint(0, min(2, ruleset.checkers - 1))
    beyond = choose.choice([{OFF}, {1} - held, set(range(top)) - held])
    prisoners = heaps(choose, behind, ruleset.checkers - past) + heaps(choose, beyond, past)
    free = set(POINTS) - taken_from_the_other(prisoners, ruleset)
    guards = sorted(facing(ruleset.movement, point) for point in held)
    guards = (guards * (2 if two else 1))[: ruleset.checkers]
    guards += heaps(choose, {OFF, *free}, ruleset.checkers - len(guards))
    return whole_board(choose, ruleset, guards, prisoners)


def taken_from_the_other(points: list[int], ruleset: Ruleset) -> set[int]:
    return {facing(ruleset.movement, point) for point in points if point in POINTS}


def whole_board(
    choose: random.Random,
    ruleset: Ruleset,
    first: list[int],
    second: list[int],
    pinned: tuple[Collection[int], Collection[int]] = NO_PINS.pinned,
) -> Board:
    """Either side on roll, and nobody finished."""
    for side, other in ((first, second), (second, first)):
        if set(side) == {OFF}:
            side[0] = min(set(POINTS) - taken_from_the_other(other, ruleset))
    (own, own_pinned), (opp, opp_pinned) = choose.sample(
        list(zip((first, second), pinned, strict=True)), 2
    )
    laid_out = board(Counter(own), Counter(opp), ruleset.checkers)
    return laid_out._replace(own_pinned=frozenset(own_pinned), opp_pinned=frozenset(opp_pinned))


def arbitrary_board(choose: random.Random, ruleset: Ruleset) -> Board:
    """Any legal board, with a liking for trouble."""
    if choose.choice([False, False, True]):
        return shut_in_board(choose, ruleset)
    return shaped_board(choose, ruleset, SHAPES[ruleset.contact])


def board_about(choose: random.Random, ruleset: Ruleset, option: str) -> Board:
    """Any legal board, with a liking for those on which an option matters."""
    if choose.choice([False, False, True]):
        return arbitrary_board(choose, ruleset)
    if option in ("total_block", "total_block_remedy", "six_prime"):
        return shut_in_board(choose, ruleset)
    shapes = ABOUT.get(option, SHAPES[ruleset.contact])
    return shaped_board(choose, ruleset, shapes, PINS_ABOUT.get(option, PINS_IN))


def mutated(choose: random.Random, ruleset: Ruleset, start: Board) -> Board:
    """A legal board with one to four checkers of either side moved anywhere at all."""
    sides = [[point for point in range(26) for _ in range(side[point])] for side in start[:2]]
    pinned: tuple[set[int], set[int]] = (set(), set())
    places = range(26) if ruleset.contact is Contact.HIT else range(BAR)
    for _ in range(choose.randint(1, 4)):
        who = choose.randrange(2)
        point = sides[who].pop(choose.randrange(ruleset.checkers))
        sides[who].append(choose.choice(places))
        if not may_lie(ruleset, sides):
            sides[who][-1] = point
    for point in POINTS if ruleset.contact is Contact.PIN else ():
        his = facing(ruleset.movement, point)
        if point in sides[0] and his in sides[1]:
            lone = [who for who, at in ((0, point), (1, his)) if sides[who].count(at) == 1]
            under = choose.choice(lone)
            pinned[under].add((point, his)[under])
    return whole_board(choose, ruleset, *sides, pinned)


def may_lie(ruleset: Ruleset, sides: Sequence[list[int]]) -> bool:
    """Whether no point holds more than the mechanics let it hold of both sides."""
    own, opp = map(Counter, sides)
    for point in set(own) & taken_from_the_other(sides[1], ruleset):
        alone = min(own[point], opp[facing(ruleset.movement, point)]) == 1
        if ruleset.contact is not Contact.PIN or not alone:
            return False
    return any(set(side) != {OFF} for side in sides)


def random_play(ruleset: Ruleset, seed: int, games: int, plies: int) -> list[Board]:
    """The distinct boards of uniformly random play, in the order met; one over begins anew."""
    chance = np.random.default_rng(seed)
    records = tf.start_records(ruleset, games)
    met = [records]
    for _ in range(plies):
        rolls = chance.integers(1, 7, (len(records), 2), dtype=np.uint8)
        found = tf.afterstates(records, rolls, ruleset, flip=True)
        records = found.positions[chance.integers(found.offsets[:-1], found.offsets[1:])]
        over = [each.points_won is not None for each in tf.from_records(records, ruleset)]
        records[over] = met[0][0]
        met.append(records)
    return list(dict.fromkeys(from_array(np.concatenate(met))))


def variant(choose: random.Random, ruleset: Ruleset) -> Ruleset:
    """The game under any combination of its options."""
    return ruleset.replace(**{name: choose.choice(OPTIONS[name]) for name in ruleset.options})


def with_checkers(ruleset: Ruleset, checkers: int) -> Ruleset:
    """The same game with another number of checkers a side, laid out as far as they go."""
    held = [point for point, count in enumerate(ruleset.start) for _ in range(count)]
    points = [held[-1 - i % len(held)] for i in range(checkers)]
    start = tuple(points.count(point) for point in range(26))
    return dataclasses.replace(ruleset, start=start)


MECHANICS = [
    (Contact.HIT, Movement.CONTRARY),
    (Contact.PIN, Movement.CONTRARY),
    (Contact.HOLD, Movement.CONTRARY),
    (Contact.HOLD, Movement.PARALLEL),
]


def new_game(choose: random.Random) -> Ruleset:
    """A ruleset of nobody's: the start of one game, and any mechanics that have rules together."""
    contact, movement = choose.choice(MECHANICS)
    base = choose.choice([each for each in tf.RULESETS.values() if each.movement is movement])
    plain = Ruleset(
        game="new", title="New", contact=contact, movement=movement, start=base.start, options=()
    )
    options: dict[str, str] = {}
    for name, values in choose.sample(list(OPTIONS.items()), len(OPTIONS)):
        value = choose.choice(values)
        with contextlib.suppress(ValueError):
            dataclasses.replace(plain, **options, **{name: value})
            options[name] = value
    return dataclasses.replace(plain, **options)


@st.composite
def legal_boards(draw: Callable[..., random.Random], ruleset: Ruleset) -> Board:
    return arbitrary_board(draw(st.randoms(use_true_random=False)), ruleset)


def variants(ruleset: Ruleset) -> st.SearchStrategy[Ruleset]:
    choices = {name: st.sampled_from(OPTIONS[name]) for name in ruleset.options}
    return st.fixed_dictionaries(choices).map(lambda chosen: ruleset.replace(**chosen))
