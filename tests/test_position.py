"""One position: construction with every fault, equality, text of itself, and what is refused."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from boards import ROLLS, board, counts, from_position, to_array, to_position
from hypothesis import given, settings
from strategies import legal_boards, variants

import tavli_fast as tf
from tavli_fast import reference

GAMES = list(tf.RULESETS.values())
START = tf.Position.start(tf.PORTES)
PIPS = {"portes": 167, "backgammon": 167, "tavla": 167, "nackgammon": 194, "hypergammon": 69}
"""Of either side at the start of games that do not begin with all 15 on 24."""


# Construction


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_start(ruleset):
    start = tf.Position.start(ruleset)
    assert start.ruleset == ruleset
    assert start.own == start.opp == ruleset.start
    assert start.own_pinned == start.opp_pinned == ()
    assert start.points_won is None
    pips = PIPS.get(ruleset.game, 360)
    assert start.pip_counts == (pips, pips)


def test_counts_or_a_mapping():
    points = {24: 2, 13: 5, 8: 3, 6: 5}
    side = [0] * 26
    for point, count in points.items():
        side[point] = count
    assert tf.Position(tf.PORTES, points, points) == START
    assert tf.Position(tf.PORTES, side, tuple(side)) == START
    assert tf.Position(tf.PORTES, np.array(side), np.array(side, dtype=np.uint8)) == START
    assert tf.Position(tf.PORTES, own=iter(side), opp=dict(enumerate(side))) == START
    assert (
        tf.Position(tf.PORTES, {np.int64(p): np.uint8(n) for p, n in points.items()}, side) == START
    )
    assert tf.Position(tf.PORTES, points, points, (), []) == START


def test_off_is_what_is_missing_in_a_mapping():
    assert tf.Position(tf.PORTES, {6: 2}, {0: 14, 1: 1}).own[0] == 13
    assert tf.Position(tf.PORTES, {}, {24: 15}).own == (15,) + (0,) * 25
    with pytest.raises(tf.IllegalPosition, match=r"own\b.*\b14\b.*\b15\b"):
        tf.Position(tf.PORTES, {0: 12, 6: 2}, {24: 15})
    with pytest.raises(tf.IllegalPosition, match=r"opp\b.*\b2\b.*\b15\b"):
        tf.Position(tf.PORTES, {24: 15}, (0,) * 6 + (2,) + (0,) * 19)


@pytest.mark.parametrize(
    ("own", "opp", "named"),
    [
        ({24: 16}, {24: 15}, ["own", "16", "15"]),
        ({24: 15}, {24: 14, 0: 0}, ["opp", "14", "15"]),
        ({24: 300}, {24: 15}, ["own", "300"]),
        ({24: 10**30}, {24: 15}, ["own", "24", str(10**30)]),
        ({24: -1}, {24: 15}, ["own", "24", "-1"]),
        ({26: 1}, {24: 15}, ["own", "26"]),
        ({24: 15}, {-1: 1}, ["opp", "-1"]),
        ({24: 1.5}, {24: 15}, ["own", "24", "1.5"]),
        ({"24": 15}, {24: 15}, ["own", "'24'"]),
        ({24: None}, {24: 15}, ["own", "24", "None"]),
        ([0] * 25, {24: 15}, ["own", "25", "26"]),
        ({24: 15}, [0] * 27, ["opp", "27", "26"]),
        ({24: 15}, [0] * 24 + ["x", 15], ["opp", "24", "'x'"]),
        ({6: 15}, {19: 15}, ["6", "19"]),
    ],
)
def test_impossible_counts(own, opp, named):
    with pytest.raises(tf.IllegalPosition) as caught:
        tf.Position(tf.PORTES, own, opp)
    for part in named:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    "ruleset", [each for each in GAMES if each.contact is not tf.Contact.HIT], ids=str
)
def test_no_bar_without_hits(ruleset):
    for own, opp in (({25: 1, 24: 14}, {24: 15}), ({24: 15}, {25: 15})):
        with pytest.raises(tf.IllegalPosition, match="bar"):
            tf.Position(ruleset, own, opp)


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_one_point_holds_one_colour(ruleset):
    """On each of the 24 points, seen from both sides, in either movement."""
    for point in range(1, 25):
        other = reference.across(point, ruleset)
        with pytest.raises(tf.IllegalPosition, match=rf"\b{point}\b.*\b{other}\b"):
            tf.Position(ruleset, {point: 1}, {other: 1})
        for free in set(range(1, 25)) - {other}:
            tf.Position(ruleset, {point: 1}, {free: 1})


def test_no_pins_in_games_without_them():
    for ruleset in (tf.PORTES, tf.FEVGA, tf.LONG_NARDY, tf.GUL_BARA, tf.GIOUL):
        with pytest.raises(tf.IllegalPosition, match="pinned"):
            tf.Position(ruleset, {24: 15}, {13: 15}, own_pinned=(24,))
        with pytest.raises(tf.IllegalPosition, match="pinned"):
            tf.Position(ruleset, {24: 15}, {13: 15}, opp_pinned={13})


def test_all_faults_at_once():
    with pytest.raises(tf.IllegalPosition) as caught:
        tf.Position(tf.FEVGA, {24: 15, 25: 1, 12: 1}, {24: 16}, own_pinned=(24,))
    faults = caught.value.faults
    assert isinstance(faults, tuple)
    assert all(isinstance(fault, str) for fault in faults)
    for named in ("own has 17", "opp has 16", "12", "bar", "pinned"):
        assert sum(named in fault for fault in faults) >= 1, named
    assert len(faults) == 5
    assert all(fault in str(caught.value) for fault in faults)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


# Pins


PINNED = tf.Position(tf.PLAKOTO, {24: 12, 20: 2, 8: 1}, {24: 13, 17: 1, 5: 1}, (8,), (5,))
"""Two of mine stand on his 5, and one of his on my 8."""


def test_pins_are_read_and_turned():
    assert (PINNED.own_pinned, PINNED.opp_pinned) == ((8,), (5,))
    flipped = PINNED.flip()
    assert (flipped.own_pinned, flipped.opp_pinned) == ((5,), (8,))
    assert flipped != PINNED
    assert flipped.flip() == PINNED
    for pins in ([8], {8}, iter((8,)), (np.int64(8),), np.array([8]), (8, 8)):
        assert tf.Position(tf.PLAKOTO, PINNED.own, PINNED.opp, pins, {5}) == PINNED


def test_text_with_pins():
    assert PINNED.text == "24:12,20:2,8:1p/24:13,17:1,5:1p"
    assert tf.Position.parse(PINNED.text, tf.PLAKOTO) == PINNED
    assert tf.Position.parse(" 5:1P, 24:13,17:1 / 24:12,8:1p,20:2", tf.PLAKOTO) == PINNED.flip()
    with pytest.raises(tf.IllegalPosition, match="neither is pinned"):
        tf.Position.parse("24:12,20:2,8:1/24:13,17:1,5:1p", tf.PLAKOTO)
    with pytest.raises(tf.IllegalPosition, match="cannot be pinned"):
        tf.Position.parse("24:12p,20:2,8:1p/24:13,17:1,5:1p", tf.PLAKOTO)


def test_repr_with_pins():
    text = repr(PINNED)
    assert "own_pinned" in text
    assert "opp_pinned" in text
    assert eval(text, {"Position": tf.Position, "find_ruleset": tf.find_ruleset}) == PINNED


def test_who_lies_under_is_part_of_a_position():
    """One checker each on my 8: the same counts are two positions."""
    own, opp = {24: 14, 8: 1}, {24: 14, 17: 1}
    under = tf.Position(tf.PLAKOTO, own, opp, own_pinned=(8,))
    over = tf.Position(tf.PLAKOTO, own, opp, opp_pinned=(17,))
    assert under != over
    assert hash(under) != hash(over)
    assert len({under, over, pickle.loads(pickle.dumps(over)), copy.deepcopy(under)}) == 2
    assert under.text != over.text
    assert (under.flip().own_pinned, under.flip().opp_pinned) == ((), (8,))
    assert under.afterstates((6, 5)) != over.afterstates((6, 5))
    assert tf.to_records([under]).tobytes() != tf.to_records([over]).tobytes()


@pytest.mark.parametrize("ruleset", [tf.PLAKOTO, tf.TAPA, tf.MAHBUSA], ids=str)
@pytest.mark.parametrize(
    ("own", "opp", "own_pinned", "opp_pinned", "named"),
    [
        ({24: 14, 8: 1}, {24: 14, 17: 1}, (), (), ["8", "17", "neither is pinned"]),
        ({24: 14, 8: 1}, {24: 14, 17: 1}, (8,), (17,), ["8", "17", "both are pinned"]),
        ({24: 13, 8: 2}, {24: 13, 17: 2}, (), (), ["8", "17"]),
        ({24: 13, 8: 2}, {24: 13, 17: 2}, (8,), (), ["own", "8"]),
        ({24: 13, 8: 2}, {24: 14, 17: 1}, (8,), (), ["own", "8"]),
        ({24: 14, 8: 1}, {24: 13, 17: 2}, (), (17,), ["opp", "17"]),
        ({24: 14, 8: 1}, {24: 15}, (8,), (), ["own", "8"]),
        ({24: 14, 8: 1}, {24: 15}, (9,), (), ["own", "9"]),
        ({24: 14, 8: 1}, {24: 15}, (), (17,), ["opp", "17"]),
        ({24: 15}, {24: 15}, (0,), (), ["own_pinned", "0"]),
        ({24: 15}, {24: 15}, (), (25,), ["opp_pinned", "25"]),
        ({24: 15}, {24: 15}, (31,), (), ["own_pinned", "31"]),
        ({24: 15}, {24: 15}, (-1,), (), ["own_pinned", "-1"]),
        ({24: 15}, {24: 15}, (), (10**30,), ["opp_pinned", str(10**30)]),
    ],
)
def test_pins_that_cannot_be(ruleset, own, opp, own_pinned, opp_pinned, named):
    with pytest.raises(tf.IllegalPosition) as caught:
        tf.Position(ruleset, own, opp, own_pinned, opp_pinned)
    for part in named:
        assert part in str(caught.value)


def test_all_faults_of_pins_at_once():
    with pytest.raises(tf.IllegalPosition) as caught:
        tf.Position(
            tf.PLAKOTO,
            {24: 12, 8: 1, 7: 1, 6: 1, 25: 1},
            {24: 14, 17: 1, 18: 1, 4: 1},
            (8, 6),
            (17, 4),
        )
    faults = caught.value.faults
    for named in (
        "own has 16",
        "opp has 17",
        "bar",
        "own point 8 is opp point 17: both are pinned",
        "own point 6 cannot be pinned",
        "opp point 4 cannot be pinned",
        "own point 7 is opp point 18",
    ):
        assert sum(named in fault for fault in faults) == 1, named
    assert len(faults) == 7
    assert all(fault in str(caught.value) for fault in faults)


@pytest.mark.parametrize(
    ("own", "opp", "own_pinned", "opp_pinned", "points"),
    [
        # Mine pinned, his 24 empty; with a checker there; both pinned; mine not the last on 24.
        ({24: 1, 10: 14}, {1: 1, 6: 14}, (24,), (), {"unless_mutual": -2, "loss": -2, "off": None}),
        (
            {24: 1, 10: 14},
            {1: 1, 24: 1, 6: 13},
            (24,),
            (),
            {"unless_mutual": None, "loss": -2, "off": None},
        ),
        (
            {24: 1, 1: 1, 10: 13},
            {24: 1, 1: 1, 6: 13},
            (24,),
            (24,),
            {"unless_mutual": 0, "loss": 0, "off": 0},
        ),
        ({24: 1, 0: 3, 10: 11}, {1: 2, 0: 13}, (24,), (), {"unless_mutual": -2, "off": None}),
        ({23: 1, 10: 14}, {2: 1, 6: 14}, (23,), (), {"unless_mutual": None, "loss": None}),
        ({10: 15}, {}, (), (), {"unless_mutual": -2, "loss": -2, "off": -2}),
        ({0: 1, 10: 14}, {}, (), (), {"unless_mutual": -1, "loss": -1, "off": -1}),
    ],
)
def test_points_of_mothers_and_draws(own, opp, own_pinned, opp_pinned, points):
    """Two points or three for a mother that is lost, whatever is off; none for a draw."""
    for mother, won in points.items():
        for worth in ("2", "3"):
            ruleset = tf.PLAKOTO.replace(mother=mother, mother_points=worth)
            position = tf.Position(ruleset, own, opp, own_pinned, opp_pinned)
            expected = -int(worth) if won == -2 and own_pinned else won
            assert position.points_won == expected
            assert position.flip().points_won == (-expected if expected else expected)
            assert reference.points_won(position) == expected


def test_errors_are_value_errors():
    for error in (tf.IllegalPosition, tf.IllegalMove, tf.NotationError):
        assert issubclass(error, ValueError)
    assert not issubclass(tf.IllegalMove, tf.IllegalPosition)


def test_any_total_that_the_ruleset_asks_for():
    two = dataclasses.replace(tf.PORTES, start=counts({24: 2}, 2))
    assert tf.Position.start(two).own == counts({24: 2}, 2)
    assert tf.Position(two, {1: 1}, {}).own[0] == 1
    with pytest.raises(tf.IllegalPosition, match=r"15\b.*\b2\b"):
        tf.Position(two, {24: 15}, {24: 2})


@pytest.mark.parametrize("ruleset", [None, "portes", 3])
def test_rulesets_of_the_wrong_kind(ruleset):
    with pytest.raises((TypeError, ValueError), match=r"[rR]uleset"):
        tf.Position(ruleset, {24: 15}, {24: 15})


# Identity


def test_positions_are_immutable():
    position = tf.Position.start(tf.FEVGA)
    for name in ("own", "opp", "ruleset", "own_pinned", "pip_counts", "points_won", "new"):
        with pytest.raises(AttributeError):
            setattr(position, name, None)
        with pytest.raises(AttributeError):
            delattr(position, name)
    move = position.moves((6, 5))[0]
    for name in ("steps", "hits", "after", "new"):
        with pytest.raises(AttributeError):
            setattr(move, name, None)


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_equality_hash_repr_pickle_text_and_flip(ruleset):
    @settings(max_examples=60)
    @given(legal_boards(ruleset), variants(ruleset))
    def same(board, variant):
        position = to_position(board, variant)
        assert from_position(position) == board
        for twin in (
            to_position(board, variant),
            position.flip().flip(),
            eval(repr(position), {"Position": tf.Position, "find_ruleset": tf.find_ruleset}),
            tf.Position.parse(position.text, variant),
            copy.copy(position),
            copy.deepcopy(position),
            *(pickle.loads(pickle.dumps(position, level)) for level in range(6)),
            *tf.from_records(to_array([board]), variant),
        ):
            assert twin == position
            assert hash(twin) == hash(position)
            assert twin.ruleset == variant
            assert twin.text == position.text
        flipped = position.flip()
        assert from_position(flipped) == reference.flip(board)
        assert flipped.pip_counts == position.pip_counts[::-1]
        assert (flipped == position) == (board == reference.flip(board))

    same()


def test_repr():
    assert repr(tf.Position.start(tf.FEVGA)) == (
        "Position(find_ruleset('fevga'), own={24: 15}, opp={24: 15})"
    )


def test_the_ruleset_is_part_of_a_position():
    start = START.own
    different = {
        tf.Position(ruleset, start, start)
        for ruleset in (tf.PORTES, tf.BACKGAMMON, tf.TAVLA, tf.PORTES.replace(triple="on"))
    }
    assert len(different) == 4
    assert tf.Position(tf.BACKGAMMON, start, start) != START
    assert tf.Position(tf.find_ruleset("portes"), start, start) == START


def test_positions_differ_from_everything_else():
    assert START.own != START
    assert START != "start"
    assert reference.start(tf.PORTES) != START
    assert (START == 3) is False
    with pytest.raises(TypeError):
        START < START  # noqa: B015


def test_hashes_spread():
    """The 42 and more results of a double are 42 hashes."""
    after = START.afterstates((2, 2))
    assert len({hash(each) for each in after}) == len(after) == 75


def test_a_position_that_was_never_initialised_is_harmless():
    """`__new__` alone, as a careless subclass or unpickler may leave it, must not crash."""
    program = (
        "import tavli_fast as tf\n"
        "for make in (tf.Position, tf.Move):\n"
        "    empty = make.__new__(make)\n"
        "    for use in (repr, str, hash, lambda p: p.flip(), lambda p: p.text,\n"
        "                lambda p: p.afterstates((2, 1)), lambda p: p.moves((6, 6)),\n"
        "                lambda p: p.points_won, lambda p: p.perft(3), lambda p: p == p,\n"
        "                lambda p: tf.to_records([p]), lambda p: p.play('8/5', (2, 1))):\n"
        "        try:\n"
        "            use(empty)\n"
        "        except (AttributeError, TypeError, ValueError):\n"
        "            pass\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]


# Pips and points


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_pips_and_points_are_those_of_the_reference(ruleset):
    @settings(max_examples=60)
    @given(legal_boards(ruleset))
    def agree(board):
        position = to_position(board, ruleset)
        assert position.pip_counts == tuple(
            sum(point * count for point, count in enumerate(side)) for side in board[:2]
        )
        assert position.points_won is None
        no_pins = {"own_pinned": frozenset(), "opp_pinned": frozenset()}
        won = board._replace(own=counts({}, ruleset.checkers), **no_pins)
        for each in (won, reference.flip(won)):
            assert to_position(each, ruleset).points_won == reference.points_won(each, ruleset)

    agree()


@pytest.mark.parametrize(
    ("loser", "portes", "backgammon"),
    [
        ({1: 14}, 1, 1),
        ({0: 1, 24: 14}, 1, 1),
        ({0: 1, 25: 14}, 1, 1),
        ({1: 15}, 2, 2),
        ({18: 15}, 2, 2),
        ({18: 14, 19: 1}, 2, 3),
        ({6: 14, 24: 1}, 2, 3),
        ({6: 14, 25: 1}, 2, 3),
    ],
)
def test_points_in_portes_and_backgammon(loser, portes, backgammon):
    for ruleset, points in (
        (tf.PORTES, portes),
        (tf.TAVLA, portes),
        (tf.BACKGAMMON, backgammon),
        (tf.PORTES.replace(triple="on"), backgammon),
        (tf.BACKGAMMON.replace(triple="off"), portes),
    ):
        won = tf.Position(ruleset, {}, loser)
        assert won.points_won == points
        assert won.flip().points_won == -points
        assert reference.points_won(won) == points


@pytest.mark.parametrize("ruleset", [tf.FEVGA, tf.MOULTEZIM], ids=str)
@pytest.mark.parametrize(("loser", "points"), [({0: 1, 24: 14}, 1), ({24: 15}, 2), ({18: 15}, 2)])
def test_points_in_fevga(ruleset, loser, points):
    assert tf.Position(ruleset, {}, loser).points_won == points
    assert tf.Position(ruleset, loser, {}).points_won == -points


# Rolls


@pytest.mark.parametrize(
    "roll",
    [
        (0, 1), (1, 0), (7, 1), (1, 7), (-1, 1), (256 + 1, 1), (10**30, 1), (1.0, 2), (1.5, 2),
        ("1", 2), (None, 1), (1,), (), (1, 2, 3), 3, None, "65", {}, b"65",
    ],
    ids=repr,
)  # fmt: skip
def test_rolls_that_are_none(roll):
    """A plain ValueError that shows the roll, the same wherever one is asked for."""
    move = START.moves((3, 1))[0]
    for call in (
        START.afterstates,
        START.moves,
        lambda roll: START.parse_move("8/5 6/5", roll),
        lambda roll: START.play("8/5 6/5", roll),
        lambda roll: START.play(move, roll),
    ):
        with pytest.raises(ValueError, match="1 to 6") as caught:
            call(roll)
        assert type(caught.value) is ValueError
        assert repr(roll) in str(caught.value)


def test_rolls_of_any_integers():
    expected = set(START.afterstates((3, 1)))
    for roll in ([1, 3], np.array([3, 1], dtype=np.uint8), (np.int64(1), True + 2), iter((3, 1))):
        assert set(START.afterstates(roll)) == expected
    assert {str(m) for m in START.moves(np.array([3, 1]))} == {str(m) for m in START.moves((1, 3))}


def test_every_roll_in_both_orders():
    for die, other in itertools.product(range(1, 7), repeat=2):
        assert set(START.afterstates((die, other))) == set(START.afterstates((other, die)))
    assert len({(max(roll), min(roll)) for roll in ROLLS}) == 21


# Text boards


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_a_board_is_drawn_for_any_position(ruleset):
    @settings(max_examples=40)
    @given(legal_boards(ruleset))
    def drawn(board):
        text = str(to_position(board, ruleset))
        assert len(text.splitlines()) > 5
        assert all(line == line.rstrip() for line in text.splitlines())

    drawn()


# Playing


def test_play_takes_moves_and_texts():
    after = START.play("8/5 6/5", (3, 1))
    assert after.own == counts({24: 2, 13: 5, 8: 2, 6: 4, 5: 2})
    assert after.opp == START.opp
    for text in ("8/5 6/5", "6/5 8/5", "8-5, 6-5", "6/5,8/5"):
        assert START.play(text, (1, 3)) == after
    for move in START.moves((3, 1)):
        assert START.play(move, (3, 1)) == move.after
        assert START.play(str(move), (3, 1)) == move.after


@pytest.mark.parametrize(
    "text", ["8/5", "8/5 6/4", "24/18 13/7", "pass", "6/5*", "7/4 6/5", "6/off"]
)
def test_moves_that_cannot_be_played(text):
    with pytest.raises(tf.IllegalMove) as caught:
        START.parse_move(text, (3, 1))
    assert repr(text) in str(caught.value)
    assert "3" in str(caught.value)
    with pytest.raises(tf.IllegalMove):
        START.play(text, (3, 1))


def test_moves_of_another_roll_or_position():
    fevga = tf.Position.start(tf.FEVGA)
    (only,) = fevga.moves((6, 5))
    with pytest.raises(tf.IllegalMove, match=r"24/13.*6-4"):
        fevga.play(only, (6, 4))
    with pytest.raises(tf.IllegalMove):
        START.play(only, (6, 5))
    with pytest.raises(tf.IllegalMove, match=r"the only move is 24/13"):
        fevga.parse_move("24/14", (6, 5))


def test_text_that_is_no_move():
    for text in ("", "hello", "8/27", "8//5", "5/8", "8/5(9)"):
        with pytest.raises(tf.NotationError):
            START.parse_move(text, (3, 1))
        with pytest.raises(tf.NotationError):
            START.play(text, (3, 1))


@pytest.mark.parametrize("move", [None, 3, ((8, 5), (6, 5)), b"8/5 6/5"], ids=repr)
def test_moves_of_the_wrong_kind(move):
    with pytest.raises((TypeError, ValueError)):
        START.play(move, (3, 1))


def test_text_that_is_no_position():
    for text in ("", "24:15", "24:15/24:15/24:15", "x:1/24:15", "24:15/24:99999"):
        with pytest.raises(ValueError, match=r".") as caught:
            tf.Position.parse(text, tf.FEVGA)
        assert isinstance(caught.value, tf.NotationError | tf.IllegalPosition)
    with pytest.raises(tf.IllegalPosition, match=r"own\b.*16"):
        tf.Position.parse("24:16/24:15", tf.FEVGA)
    assert tf.Position.parse("start", tf.FEVGA) == tf.Position.start(tf.FEVGA)


def test_a_finished_game():
    over = tf.Position(tf.PORTES, {}, {24: 15})
    for position in (over, over.flip()):
        for roll in ROLLS:
            assert position.afterstates(roll) == [position]
            (move,) = position.moves(roll)
            assert (move.steps, move.hits, move.after, str(move)) == ((), (), position, "pass")


def test_both_finished():
    """Legal by its counts; nothing plays and nobody has won anything."""
    over = tf.Position(tf.PORTES, {}, {})
    assert over.afterstates((2, 1)) == [over]
    assert reference.afterstates(board({}, {}), (2, 1), tf.PORTES) == [board({}, {})]
    assert over.points_won == reference.points_won(over)


@pytest.mark.parametrize("step", [(26, 20), (6, -1), (6,), "6", None])
def test_a_move_is_of_steps_between_bar_and_off(step):
    message = (
        rf"^a step is \(from, to\), from 25 \(bar\) to 0 \(off\), not {re.escape(repr(step))}$"
    )
    with pytest.raises(ValueError, match=message):
        tf.Move([step], (), tf.Position.start(tf.PORTES))


def test_a_position_is_made_once_and_a_move_can_be_sent():
    start = tf.Position.start(tf.PORTES)
    with pytest.raises(TypeError, match="does not change"):
        start.__init__(tf.PORTES, {6: 15}, {6: 15})
    assert start == tf.Position.start(tf.PORTES)
    (move, *_) = start.moves((3, 1))
    assert pickle.loads(pickle.dumps(move)) == move
    assert move != str(move)
    for arguments in ({"depth": "2"}, {"depth": 2, "threads": 1.5}):
        with pytest.raises(ValueError, match="depth and threads are integers"):
            start.perft(**arguments)


def test_a_picture_of_the_text_of_a_move_is_refused():
    with pytest.raises(ValueError, match="move is the text '8/5 6/5'"):
        tf.Position.start(tf.PORTES).svg(move="8/5 6/5")
