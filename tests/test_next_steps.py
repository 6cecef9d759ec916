"""The single steps of a turn under way, held against the reference's filter of all sequences."""

from __future__ import annotations

import itertools
import random

import pytest
from boards import ROLLS, from_position, to_position
from compare import pairs
from compare_steps import agree_on_a_walk
from hypothesis import given, settings
from strategies import arbitrary_board, legal_boards, variant, variants

import tavli_fast as tf
from tavli_fast import reference, why
from tavli_fast.reference import Board, Step

GAMES = list(tf.RULESETS.values())


def offered(position: tf.Position, roll: tuple[int, int], played=()) -> list[Step]:
    return [(step.start, step.end) for step in position.next_steps(roll, played)]


def forced(position: tf.Position, roll: tuple[int, int], played=()) -> set[Step]:
    return {(step.start, step.end) for step in position.next_steps(roll, played) if step.forced}


# Agreement


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_walks_through_turns(ruleset):
    """Half of the boards are of random play, half arbitrary; half have options changed."""
    choose = random.Random(1)
    for pair in itertools.islice(pairs(choose, ruleset), 120):
        agree_on_a_walk(choose, *pair)


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_walks_that_shrink(ruleset):
    @settings(max_examples=10)
    @given(legal_boards(ruleset), variants(ruleset))
    def agree(before, variant):
        choose = random.Random(2)
        for roll in choose.sample(ROLLS, 2):
            agree_on_a_walk(choose, before, roll, variant)

    agree()


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_what_is_left_of_a_double(ruleset):
    choose = random.Random(3)
    for _ in range(5):
        rules = variant(choose, ruleset)
        before, number = arbitrary_board(choose, rules), choose.randint(1, 6)
        for numbers in (1, 2, 3):
            walked = agree_on_a_walk(choose, before, (number, number), rules, numbers)
            assert len(walked) <= numbers


def all_ends(position: tf.Position, roll: tuple[int, int]) -> set[tuple[Step, ...]]:
    """Where following what is offered can end, as the steps in sorted order."""
    level, ends = {()}, set()
    while level:
        further = set()
        for played in level:
            steps = offered(position, roll, played)
            further |= {tuple(sorted([*played, step])) for step in steps}
            if not steps:
                ends.add(played)
        level = further
    return ends


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_what_is_offered_leads_to_every_result_and_nowhere_else(ruleset):
    choose = random.Random(4)
    for _ in range(8):
        rules = variant(choose, ruleset)
        if rules.bear_off == "optional":
            # There a turn may also end before its last step.
            rules = rules.replace(bear_off="if_other_step")
        before, roll = arbitrary_board(choose, rules), choose.choice(ROLLS)
        position = to_position(before, rules)
        plays, _ = reference.plays_of(before, roll, rules, None)
        reached: set[Board] = set()
        endings = reference.legal_endings(plays, rules)
        for played in all_ends(position, roll):
            reached |= {turn.board for turn in why.stages_after(plays, played) if turn in endings}
        assert reached == {from_position(after) for after in position.afterstates(roll)}


def test_with_optional_bearing_off_every_result_lies_on_the_way():
    choose = random.Random(5)
    ruleset = tf.PORTES.replace(bear_off="optional")
    for _ in range(30):
        before, roll = arbitrary_board(choose, ruleset), choose.choice(ROLLS)
        position = to_position(before, ruleset)
        for move in position.moves(roll):
            for played in itertools.accumulate(([step] for step in move.steps), initial=[]):
                rest = move.steps[len(played) :]
                assert not rest or rest[0] in offered(position, roll, played)


# By hand


def test_the_start_of_portes():
    start = tf.Position.start(tf.PORTES)
    steps = [(24, 21), (24, 23), (13, 10), (8, 5), (8, 7), (6, 3), (6, 5)]
    assert offered(start, (3, 1)) == offered(start, (1, 3)) == steps
    # 13 is behind an own 8 and 6, so 13/8 and 8/3 are all that fives can do, and 8/3 needs none.
    assert offered(start, (5, 5), [(13, 8)] * 4) == []
    assert forced(start, (5, 5)) == {(13, 8)}


def test_steps_go_back_in_as_they_came_out():
    start = tf.Position.start(tf.PORTES)
    played: list[tf.Step] = []
    while steps := start.next_steps((6, 6), played):
        played.append(steps[-1])
    assert [(step.start, step.end) for step in played] == [(8, 2), (8, 2), (8, 2), (13, 7)]
    played.pop()
    assert offered(start, (6, 6), played) == [(24, 18), (13, 7)]


def test_the_order_of_what_was_played_does_not_count():
    start = tf.Position.start(tf.PORTES)
    for played in itertools.permutations([(24, 22), (22, 20), (20, 18)]):
        assert offered(start, (2, 2), played) == [(24, 22), (18, 16), (13, 11), (8, 6), (6, 4)]


def test_a_step_that_leaves_too_few_numbers_is_not_offered():
    """The ways are 24/22 8/2 and 24/22/16: 8/6 leaves no six, and 24/22 comes first or last."""
    position = tf.Position(tf.PORTES, {24: 1, 8: 1, 6: 13}, {7: 2, 21: 2, 5: 2, 12: 9})
    assert offered(position, (6, 2)) == [(24, 22), (8, 2)]
    assert forced(position, (6, 2)) == {(24, 22)}
    assert offered(position, (6, 2), [(24, 22)]) == [(22, 16), (8, 2)]
    assert forced(position, (6, 2), [(8, 2)]) == {(24, 22)}


def test_only_the_higher_number():
    position = tf.Position(tf.BACKGAMMON, {20: 1, 2: 14}, {16: 2, 12: 13})
    assert position.next_steps((6, 5)) == [tf.Step(20, 14, 6, False, True)]


def test_hits_and_new_pins_are_told():
    hit = tf.Position(tf.PORTES, {13: 2, 1: 13}, {15: 1, 6: 14})
    assert [step[:4] for step in hit.next_steps((3, 2))] == [
        (13, 10, 3, True),
        (13, 11, 2, False),
    ]
    assert [step.hits for step in hit.next_steps((3, 3), [(13, 10)])] == [False, False]
    pin = tf.Position(tf.PLAKOTO, {13: 2, 9: 13}, {15: 1, 6: 14})
    assert [step.hits for step in pin.next_steps((3, 3)) if step.end == 10] == [True]
    assert [step.hits for step in pin.next_steps((3, 3), [(13, 10)]) if step.end == 10] == [False]


def test_where_two_numbers_bear_off_the_lower_is_named_first():
    position = tf.Position(tf.PORTES, {4: 1, 3: 1, 1: 2}, {12: 15})
    first = position.next_steps((6, 4))
    assert first == [tf.Step(4, 0, 4, False, True)]
    assert position.next_steps((6, 4), first) == [tf.Step(3, 0, 6, False, True)]
    assert position.next_steps((6, 4), [(4, 0), (3, 0)]) == []


def test_the_bar_and_the_runner_come_alone():
    bar = tf.Position(tf.PORTES, {25: 1, 14: 1, 2: 13}, {6: 2, 9: 13})
    assert bar.next_steps((6, 3)) == [tf.Step(25, 22, 3, False, True)]
    runner = tf.Position(tf.FEVGA, {24: 14, 14: 1}, {8: 15})
    assert runner.next_steps((3, 3)) == [tf.Step(14, 11, 3, False, True)]


def test_where_a_move_may_stop_bearing_off_is_not_forced():
    may_stop = tf.PORTES.replace(bear_off="optional")
    for own, step, is_forced in (({6: 2}, (6, 0), False), ({7: 1, 1: 1}, (7, 1), True)):
        must, may = (tf.Position(each, own, {12: 15}) for each in (tf.PORTES, may_stop))
        assert offered(must, (6, 6)) == offered(may, (6, 6)) == [step]
        assert forced(must, (6, 6)) == {step}
        assert bool(forced(may, (6, 6))) == is_forced
    # With 6/5/off the ace is used up; 6/off leaves it, and it has an ordinary step.
    wasted = tf.Position(may_stop, {6: 1, 5: 1}, {12: 15})
    assert forced(wasted, (6, 1), [(6, 0)]) == {(5, 4)}


@pytest.mark.parametrize(("six_prime", "first"), [("forbidden", {(6, 0)}), ("free", set())])
def test_a_move_may_not_stop_at_a_banned_wall(six_prime, first):
    ruleset = tf.LONG_NARDY.replace(bear_off="optional", six_prime=six_prime)
    position = tf.Position(ruleset, dict.fromkeys(range(1, 7), 1), {24: 15})
    assert offered(position, (6, 6)) == [(6, 0)]
    assert forced(position, (6, 6)) == first
    assert forced(position, (6, 6), [(6, 0)]) == set()


@pytest.mark.parametrize(
    "over",
    [
        tf.Position(tf.PORTES, {}, {24: 15}),
        tf.Position(tf.PORTES, {3: 1}, {}),
        tf.Position(tf.PORTES, {25: 1, 6: 14}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 5}),
    ],
)
def test_nothing_to_play(over):
    for roll in ROLLS:
        assert over.next_steps(roll) == []
        with pytest.raises(tf.IllegalMove, match=r"^8/7 cannot be played with \d-\d: "):
            over.next_steps(roll, [(8, 7)])


@pytest.mark.parametrize(
    ("roll", "played", "message"),
    [
        ((6, 2), [(24, 18), (13, 7)], "13/7 cannot be played with 6-2 after 24/18: no number left"),
        ((6, 2), [(24, 19)], "24/19 cannot be played with 6-2: no number left"),
        ((6, 5), [(24, 19)], "24/19 cannot be played with 6-5: the opponent holds that point"),
        ((2, 1), [(6, 4), (6, 5), (8, 7)], "8/7 cannot be played with 2-1 after 6/5 6/4: all num"),
        ((1, 1), [(6, 5)] * 5, r"6/5 cannot be played with 1-1 after 6/5\(4\): all numbers"),
        ((6, 2), [(18, 16)], "18/16 cannot be played with 6-2: no own checker"),
    ],
)
def test_what_begins_no_legal_move_is_refused(roll, played, message):
    with pytest.raises(tf.IllegalMove, match=f"^{message}"):
        tf.Position.start(tf.PORTES).next_steps(roll, played)


@pytest.mark.parametrize("step", [(26, 20), (0, 0), (6,), 6, "65", (6, -1), (6.0, 5), None])
def test_what_is_no_step_is_refused(step):
    start = tf.Position.start(tf.PORTES)
    for ask in (
        lambda: start.next_steps((6, 5), [step]),
        lambda: start.explain(step, (6, 5)),
        lambda: start.explain((6, 5), (6, 5), [step]),
    ):
        with pytest.raises(ValueError, match=r"^a step is \(from, to\), from 25"):
            ask()


def test_bad_rolls_and_numbers_are_refused():
    start = tf.Position.start(tf.PORTES)
    with pytest.raises(ValueError, match="a roll is two numbers"):
        start.next_steps((7, 1))
    with pytest.raises(ValueError, match="1 to 4 numbers of a double"):
        start.next_steps((6, 1), numbers=2)


def test_reference_refuses_what_begins_no_legal_sequence():
    with pytest.raises(ValueError, match="no legal sequence begins"):
        reference.next_steps(reference.start(tf.PORTES), (6, 5), [(24, 19)], tf.PORTES)
