"""The subset law.

Every result is reached by single legal steps, and every longest sequence of legal steps ends in a
result.

The steps are walked here by a third, plain reading of what one checker may do. What looks at more
than a step is left to the engines: bans, the runner, the head and a pinned mother that ends the
game.
"""

from __future__ import annotations

import pickle

import pytest
from boards import ROLLS, board, facing, from_position, shown, to_position
from hypothesis import given, settings
from strategies import legal_boards, variants

import tavli_fast as tf
from tavli_fast import reference
from tavli_fast.reference import Board
from tavli_fast.rules import BAR, OFF, Contact, Ruleset

GAMES = list(tf.RULESETS.values())


def fits(own: list[int], source: int, target: int, number: int) -> bool:
    """Whether a step of one checker is one by this number."""
    if target != OFF:
        return source - target == number
    return number == source or (number > source and not any(own[source + 1 :]))


def walk(
    before: Board, steps: tuple[tuple[int, int], ...], numbers: tuple[int, ...], ruleset: Ruleset
) -> tuple[Board, set[int]] | None:
    """Where the steps lead by these numbers in this order, and the points of hits and new pins;
    None if they may not."""
    own, opp, pinned = list(before.own), list(before.opp), set(before.opp_pinned)
    hits = set()
    for (source, target), number in zip(steps, numbers, strict=False):
        if not own[source] or not fits(own, source, target, number):
            return None
        if source in before.own_pinned or (own[BAR] and source != BAR):
            return None
        if target == OFF:
            if any(own[7:]) or waits_for_pinned(before, ruleset):
                return None
        else:
            his = facing(ruleset.movement, target)
            if opp[his] > (0 if ruleset.contact is Contact.HOLD else 1):
                return None
            if target in before.own_pinned:
                return None
            if opp[his] and ruleset.contact is Contact.HIT:
                opp[his] = 0
                opp[BAR] += 1
                hits.add(target)
            elif opp[his]:
                pinned.add(his)
        own[source] -= 1
        own[target] += 1
        if not own[source]:
            pinned.discard(facing(ruleset.movement, source))
    after = Board(tuple(own), tuple(opp), before.own_pinned, frozenset(pinned))
    return after, hits | {facing(ruleset.movement, his) for his in pinned - before.opp_pinned}


def waits_for_pinned(before: Board, ruleset: Ruleset) -> bool:
    """Whether own checkers pinned at home, which stay there all turn, keep the others on board."""
    at_home = any(point <= 6 for point in before.own_pinned)
    return at_home and ruleset.bear_off_while_pinned == "forbidden"


def walks(before: Board, steps, roll, ruleset):
    """Where the steps lead, by whichever order of the dice allows them."""
    numbers = (roll[0],) * 4 if roll[0] == roll[1] else roll
    assert len(steps) <= len(numbers)
    for order in {numbers, numbers[::-1]}:
        found = walk(before, steps, order, ruleset)
        if found is not None:
            return found
    raise AssertionError(f"{ruleset} {roll} {shown(before)}: {steps} are not single legal steps")


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_every_move_is_made_of_single_legal_steps(ruleset):
    @settings(max_examples=60)
    @given(legal_boards(ruleset), variants(ruleset))
    def reached(before, variant):
        position = to_position(before, variant)
        for roll in ROLLS:
            moves = position.moves(roll)
            assert [move.after for move in moves] == position.afterstates(roll)
            assert len({move.after for move in moves}) == len(moves)
            for move in moves:
                after, hits = walks(before, move.steps, roll, variant)
                assert from_position(move.after) == after, (str(move), shown(before), roll)
                assert len(set(move.hits)) == len(move.hits)
                assert set(move.hits) == hits, (str(move), shown(before), roll)
                assert move.after.ruleset == variant

    reached()


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_ends_of_maximal_sequences_are_the_results(ruleset):
    """The steps of `moves` are among the reference's sequences, which all end in results."""

    @settings(max_examples=15)
    @given(legal_boards(ruleset), variants(ruleset))
    def ends(before, variant):
        position = to_position(before, variant)
        for roll in ROLLS:
            moves = position.moves(roll)
            sequences = reference.moves(before, roll, variant)
            assert {move.steps for move in moves} <= set(sequences)
            reached = {walks(before, steps, roll, variant)[0] for steps in sequences}
            assert reached == {from_position(move.after) for move in moves}
            most = max(map(len, sequences))
            assert most == reference.numbers_played(before, roll, variant)

    ends()


def test_portes_sequences_by_hand():
    """2-1 with two checkers: seven sequences to three results."""
    before = board({10: 1, 8: 1}, {24: 15})
    two_first = [((10, 8), (8, 7)), ((8, 6), (10, 9)), ((8, 6), (6, 5))]
    one_first = [
        ((10, 9), (9, 7)),
        ((10, 9), (8, 6)),
        ((8, 7), (10, 8)),
        ((8, 7), (7, 5)),
    ]
    assert reference.moves(before, (2, 1), tf.PORTES) == sorted(two_first + one_first)
    moves = to_position(before, tf.PORTES).moves((1, 2))
    assert {str(move) for move in moves} == {"10/7", "10/9 8/6", "8/5"}


def test_moves_show_their_hits():
    position = tf.Position(tf.PORTES, {24: 2, 13: 5, 8: 3, 6: 5}, {20: 1, 24: 2, 13: 5, 6: 7})
    hitting = [move for move in position.moves((3, 1)) if move.hits]
    assert {str(move) for move in hitting} >= {"8/5* 6/5", "24/23 8/5*"}
    for move in hitting:
        assert move.hits == (5,)
        assert move.after.opp[25] == 1
        assert "*" in str(move)
    for move in position.moves((3, 1)):
        assert bool(move.hits) == ("*" in str(move))


def test_ways_that_hit_and_ways_that_do_not_are_two_moves():
    """13/10*/8 and 13/11/8 end on the same point."""
    position = tf.Position(tf.PORTES, {13: 1, 1: 14}, {15: 1, 6: 14})
    found = {str(move): move.hits for move in position.moves((3, 2)) if "13/" in str(move)}
    assert found == {"13/10*/8": (10,), "13/8": ()}
    assert position.parse_move("13/8", (3, 2)).hits == ()
    assert position.parse_move("13/10*/8", (3, 2)).hits == (10,)


def test_a_lost_turn_is_a_move_without_steps():
    position = tf.Position(tf.PORTES, {25: 1, 6: 14}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 5})
    for roll in ROLLS:
        (move,) = position.moves(roll)
        assert (move.steps, move.hits, move.after, str(move)) == ((), (), position, "pass")
        assert position.parse_move("pass", roll) == move
        assert position.play(move, roll) == position


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_every_move_reads_its_own_text(ruleset):
    @settings(max_examples=15)
    @given(legal_boards(ruleset))
    def read(before):
        position = to_position(before, ruleset)
        for roll in ROLLS[::3]:
            for move in position.moves(roll)[:20]:
                assert position.parse_move(str(move), roll) == move
                assert position.play(str(move), roll) == move.after

    read()


def test_moves_are_values():
    start = tf.Position.start(tf.PORTES)
    one, other = start.moves((3, 1)), start.moves((3, 1))
    assert one == other
    assert list(map(hash, one)) == list(map(hash, other))
    assert pickle.loads(pickle.dumps(one)) == one
    assert len(set(one)) == len(one) == 16
    assert one[0] != one[0].steps
    space = {"Move": tf.Move, "Position": tf.Position, "find_ruleset": tf.find_ruleset}
    assert [eval(repr(move), space) for move in one] == one


def test_every_prefix_of_a_move_is_a_legal_start():
    """A board on a screen may play a move's steps one at a time, in the order given."""
    start = tf.Position.start(tf.PORTES)
    for roll in ROLLS:
        sequences = set(reference.moves(start, roll))
        prefixes = {each[:n] for each in sequences for n in range(5)}
        for move in start.moves(roll):
            assert all(move.steps[:n] in prefixes for n in range(len(move.steps) + 1))
