"""Kernel and reference find the same results: on random play, and on arbitrary legal boards under
every value of every option and all 21 rolls."""

from __future__ import annotations

import random

import numpy as np
import pytest
from boards import (
    ROLLS,
    agree_with_reference,
    board,
    by_reference,
    by_row,
    facing,
    from_array,
    from_position,
    pack,
    same_results,
    shown,
    to_array,
    to_position,
)
from hypothesis import example, given, settings
from strategies import (
    arbitrary_board,
    board_about,
    legal_boards,
    new_game,
    random_play,
    variant,
    variants,
    with_checkers,
)

import tavli_fast as tf
from tavli_fast import reference
from tavli_fast.reference import Board
from tavli_fast.rules import OPTIONS, Contact, Ruleset

GAMES = list(tf.RULESETS.values())
ASKED_BY_NO_ROLL = {
    "opening",
    "triple",
    "mother_points",
    "cascade_from",
    "cascade_extent",
    "unfinished",
    "last_roll_draw",
}
ONE_OPTION_CHANGED = [
    pytest.param(ruleset, name, value, id=f"{ruleset}({name}={value})")
    for ruleset in GAMES
    for name in ruleset.options
    for value in OPTIONS[name]
    if value != getattr(ruleset, name)
]


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_random_play(ruleset):
    boards = random_play(ruleset, seed=1, games=6, plies=120)
    assert len(boards) > 300
    agree_with_reference(boards[::7][:60], ruleset)


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_arbitrary_boards(ruleset):
    choose = random.Random(1)
    agree_with_reference([arbitrary_board(choose, ruleset) for _ in range(60)], ruleset)


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_arbitrary_boards_that_shrink(ruleset):
    """The same question, asked so that a difference comes back as the smallest board with it."""

    @settings(max_examples=settings().max_examples // 4)
    @given(legal_boards(ruleset), variants(ruleset))
    def agree(board, variant):
        agree_with_reference([board], variant)

    agree()


@pytest.mark.parametrize(("ruleset", "option", "value"), ONE_OPTION_CHANGED)
def test_arbitrary_boards_with_one_option_changed(ruleset, option, value):
    """And the change must be seen, unless the option is one of those that no roll asks for."""
    changed = ruleset.replace(**{option: value})
    choose = random.Random(2)
    seen = option not in ASKED_BY_NO_ROLL
    boards = [board_about(choose, ruleset, option) for _ in range(400 if seen else 5)]
    agree_with_reference(boards[:30], changed)
    assert any(differ(each, ruleset, changed) for each in boards) == seen


def differ(board: Board, one: Ruleset, other: Ruleset) -> bool:
    """Whether some roll has other results under the one than under the other."""
    rows = [by_row(tf.afterstates(to_array([board]), tf.ALL_ROLLS, each)) for each in (one, other)]
    return any(set(ours) != set(theirs) for ours, theirs in zip(*rows, strict=True))


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_arbitrary_boards_with_any_options(ruleset):
    choose = random.Random(3)
    for _ in range(60):
        agree_with_reference([arbitrary_board(choose, ruleset)], variant(choose, ruleset))


def test_games_of_nobodys():
    """Whatever mechanics a ruleset may join, under any options."""
    choose = random.Random(6)
    for _ in range(600):
        ruleset = new_game(choose)
        board = arbitrary_board(choose, ruleset)
        roll = choose.choice(ROLLS)
        found = tf.afterstates(to_array([board]), np.array([roll], np.uint8), ruleset)
        expected, most = by_reference(board, roll, ruleset)
        same_results(expected, from_array(found.positions), board, roll, ruleset)
        assert found.played[0] == most, (ruleset, shown(board), roll)


@pytest.mark.parametrize(
    "ruleset", [tf.PORTES, tf.TAVLA, tf.PLAKOTO, tf.FEVGA, tf.LONG_NARDY], ids=str
)
def test_one_to_thirty_checkers(ruleset):
    sizes = [with_checkers(ruleset, checkers) for checkers in range(1, 31)]
    assert [size.checkers for size in sizes] == list(range(1, 31))
    for size in sizes:
        agree_with_reference([reference.start(size)], size)

    choose = random.Random(4)
    for size in sizes * 2:
        agree_with_reference([arbitrary_board(choose, size)], size)


FREE = ("start_quarter", "mother_prime")


@pytest.mark.parametrize("ruleset", [tf.PORTES, tf.PLAKOTO, tf.FEVGA, tf.GIOUL], ids=str)
def test_a_checker_on_every_point(ruleset):
    """The most results a roll can have: 30 checkers, some on each point that can be held."""
    crowded = with_checkers(ruleset, 30)
    everywhere = {point: 1 + (point % 4 == 1) for point in range(1, 25)}
    if crowded.contact is Contact.HIT:
        full = board(everywhere, {25: 30}, 30)
    elif crowded.contact is Contact.PIN:
        full = board(everywhere, dict.fromkeys(range(1, 25), 1), 30)
        full = full._replace(opp_pinned=frozenset(range(1, 25)))
    else:
        crowded = crowded.replace(**{name: "free" for name in FREE if name in crowded.options})
        everywhere |= {1: 0, 2: 2, 3: 2}
        full = board(everywhere, {facing(crowded.movement, 1): 30}, 30)
    assert full.own[0] == 0
    for roll in ((1, 1), (2, 2), (2, 1), (6, 5)):
        found = tf.afterstates(to_array([full]), np.array([roll], np.uint8), crowded)
        expected = reference.afterstates(full, roll, crowded)
        assert len(expected) > 100
        same_results(expected, from_array(found.positions), full, roll, crowded)


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_all_faces_of_the_kernel_agree(ruleset):
    """One position or many, either order of the dice, from either side: always the same results."""

    @settings(max_examples=25)
    @given(legal_boards(ruleset), variants(ruleset))
    @example(reference.start(ruleset), ruleset)
    def agree(board, variant):
        position = to_position(board, variant)
        record = to_array([board])
        all_rolls = tf.afterstates(record, tf.ALL_ROLLS, variant)
        flipped = tf.afterstates(record, tf.ALL_ROLLS, variant, flip=True)
        for roll, results, turned in zip(ROLLS, by_row(all_rolls), by_row(flipped), strict=True):
            single = [from_position(after) for after in position.afterstates(roll)]
            same_results(results, single, board, roll, variant)
            swapped = [from_position(after) for after in position.afterstates(roll[::-1])]
            same_results(results, swapped, board, roll, variant)
            moves = [from_position(move.after) for move in position.moves(roll)]
            same_results(results, moves, board, roll, variant)
            same_results([reference.flip(each) for each in results], turned, board, roll, variant)
            one = tf.afterstates(record, np.array([roll[::-1]], np.uint8), variant)
            same_results(results, from_array(one.positions), board, roll, variant)

    agree()


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
@pytest.mark.parametrize("side", ["own", "opp"])
def test_a_finished_game_plays_nothing(ruleset, side):
    sides = [{}, {3: 2, 1: 1}]
    own, opp = sides if side == "own" else sides[::-1]
    nothing_plays(board(own, opp, ruleset.checkers), ruleset)


MOTHER = board({24: 1, 10: 14}, {24: 1, 6: 13, 1: 1})._replace(own_pinned=frozenset({24}))
GONE = board({24: 1, 10: 14}, {6: 13, 1: 2})._replace(own_pinned=frozenset({24}))
BOTH = board({24: 1, 10: 13, 1: 1}, {24: 1, 6: 13, 1: 1})._replace(
    own_pinned=frozenset({24}), opp_pinned=frozenset({24})
)


@pytest.mark.parametrize(
    ("over", "mother", "is_over"),
    [
        (MOTHER, "unless_mutual", False),
        (MOTHER, "loss", True),
        (MOTHER, "off", False),
        (GONE, "unless_mutual", True),
        (GONE, "loss", True),
        (GONE, "off", False),
        (BOTH, "unless_mutual", True),
        (BOTH, "loss", True),
        (BOTH, "off", True),
    ],
)
def test_a_pinned_mother_ends_the_game(over, mother, is_over):
    ruleset = tf.PLAKOTO.replace(mother=mother)
    for each in (over, reference.flip(over)):
        agree_with_reference([each], ruleset)
        if is_over:
            nothing_plays(each, ruleset)
        else:
            assert tf.afterstates(to_array([each]), tf.ALL_ROLLS, ruleset).played.any()


@pytest.mark.parametrize("left", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("mother", ["unless_mutual", "loss", "off"])
def test_the_last_ones_leave_the_start_while_his_mother_is_pinned(left, mother):
    """By two numbers, or by all four of a double, which then end the game."""
    sides = {24: left, 12: 13 - left, 1: 2}, {24: 1, 6: 14}
    over = board(*sides)._replace(opp_pinned=frozenset({24}))
    agree_with_reference([over], tf.PLAKOTO.replace(mother=mother))
    # The fourth step of a double ends the turn in any case.
    assert left > 3 or differ(over, tf.PLAKOTO, tf.PLAKOTO.replace(mother="off"))


def nothing_plays(over: Board, ruleset: Ruleset) -> None:
    found = tf.afterstates(to_array([over]), tf.ALL_ROLLS, ruleset)
    assert not found.played.any()
    assert [len(row) for row in by_row(found)] == [1] * 21
    assert found.positions.tobytes() == pack(over) * 21, shown(over)
    assert to_position(over, ruleset).afterstates((6, 5)) == [to_position(over, ruleset)]
