"""Moves, positions and rolls as text, there and back."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import pytest
from boards import ROLLS, to_position
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import legal_boards

import tavli_fast as tf
from tavli_fast import notation, reference

RULESETS = st.sampled_from(list(tf.RULESETS.values()))


@st.composite
def reached_positions(draw: st.DrawFn) -> tf.Position:
    """A position that random play comes to."""
    position = tf.Position.start(draw(RULESETS))
    play = random.Random(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.integers(0, 150))):
        after = play.choice(position.afterstates(play.choice(ROLLS)))
        if after.points_won is not None:
            break
        position = after.flip()
    return position


@st.composite
def legal_positions(draw: st.DrawFn) -> tf.Position:
    ruleset = draw(RULESETS)
    return to_position(draw(legal_boards(ruleset)), ruleset)


any_positions = st.one_of(reached_positions(), legal_positions())


# Moves to text


@pytest.mark.parametrize(
    ("steps", "hits", "text"),
    [
        ([], [], "pass"),
        ([(8, 5), (6, 5)], [], "8/5 6/5"),
        ([(6, 5), (8, 5)], [], "8/5 6/5"),
        ([(24, 18), (18, 13)], [], "24/13"),
        ([(24, 18), (18, 13)], [18], "24/18*/13"),
        ([(24, 18), (18, 13)], [13], "24/13*"),
        ([(24, 18), (18, 13)], [18, 13], "24/18*/13*"),
        ([(8, 5), (6, 5)], [5], "8/5* 6/5"),
        ([(24, 23), (24, 21)], [21, 23], "24/23* 24/21*"),
        ([(25, 20), (6, 4)], [20], "bar/20* 6/4"),
        ([(25, 22), (22, 17)], [22], "bar/22*/17"),
        ([(25, 23)] * 2 + [(6, 4)] * 2, [], "bar/23(2) 6/4(2)"),
        ([(8, 4)] * 4, [], "8/4(4)"),
        ([(8, 4)] * 3 + [(6, 2)], [], "8/4(3) 6/2"),
        ([(13, 10), (10, 7)] * 2, [], "13/7(2)"),
        ([(13, 10), (10, 7)] * 2, [10], "13/10*/7(2)"),
        ([(13, 10), (10, 7), (13, 10)], [10], "13/10* 13/7"),
        ([(8, 4), (8, 4), (4, 0)], [], "8/4 8/off"),
        ([(6, 0)] * 2, [], "6/off(2)"),
        ([(8, 2), (2, 0)], [2], "8/2*/off"),
        ([(24, 18), (18, 12), (12, 6), (6, 0)], [], "24/off"),
        ([(24, 18), (18, 12), (18, 12), (12, 6)], [], "24/6 18/12"),
    ],
)
def test_canonical_text_of_a_move(steps: list[tuple[int, int]], hits: list[int], text: str) -> None:
    assert notation.format_move(steps, hits) == text


@settings(deadline=None)
@given(any_positions, st.sampled_from(ROLLS))
def test_canonical_text_means_its_move_and_no_other(
    position: tf.Position, roll: tuple[int, int]
) -> None:
    moves = position.moves(roll)
    assert len({str(move) for move in moves}) == len(moves)
    for move in moves:
        assert notation.match_move(str(move), moves, position) == [move]


@settings(deadline=None, max_examples=40)
@given(any_positions, st.sampled_from(ROLLS))
def test_every_order_of_steps_has_the_text_of_its_result(
    position: tf.Position, roll: tuple[int, int]
) -> None:
    texts = {move.after: str(move) for move in position.moves(roll)}
    for steps in reference.moves(position, roll):
        after, hits = play_steps(position, steps)
        assert notation.format_move(steps, hits) == texts[after]


def play_steps(
    position: tf.Position, steps: tuple[tuple[int, int], ...]
) -> tuple[tf.Position, set[int]]:
    """The position after the steps and the points where they hit or pin, by plain arithmetic."""
    own, opp, hits = list(position.own), list(position.opp), set()
    for start, end in steps:
        own[start] -= 1
        own[end] += 1
        if end and position.ruleset.contact is tf.Contact.HIT and opp[25 - end]:
            opp[25 - end] -= 1
            opp[25] += 1
            hits.add(end)
    pinned = set()
    if position.ruleset.contact is tf.Contact.PIN:
        # A lone checker under mine is pinned; mine that lie under his stay where they are.
        pinned = {25 - point for point in range(1, 25) if own[point] and opp[25 - point]}
        pinned -= {25 - point for point in position.own_pinned}
        hits = {25 - point for point in pinned.difference(position.opp_pinned)}
    return tf.Position(position.ruleset, own, opp, position.own_pinned, pinned), hits


# Text to moves


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("8/5 6/5", [(8, 5), (6, 5)]),
        ("8-5,6-5", [(8, 5), (6, 5)]),
        ("8/5; 6/5", [(8, 5), (6, 5)]),
        (" 8 / 5 ,\t6 - 5\n", [(8, 5), (6, 5)]),
        ("24/18/13", [(24, 18, 13)]),
        ("BAR/20 6/OFF", [(25, 20), (6, 0)]),
        ("25/20 6/0", [(25, 20), (6, 0)]),
        ("8/4(3) 6/2", [(8, 4)] * 3 + [(6, 2)]),
        ("8/4 ( 2 )", [(8, 4)] * 2),
        ("6/off(1)", [(6, 0)]),
        ("pass", []),
        (" PASS ", []),
        ("-", []),
        ("Cannot  Move", []),
        ("no move", []),
    ],
)
def test_tolerated_text(text: str, runs: list[tuple[int, ...]]) -> None:
    assert notation.parse_move(text) == tuple(notation.Run(run, frozenset()) for run in runs)


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("24/18*/13", [{18}]),
        ("24/18*/13*", [{18, 13}]),
        ("24/18 */13", [{18}]),
        ("8/5* 6/5", [{5}, set()]),
        ("8/5*(2)", [{5}, {5}]),
        ("8/5(2)*", [{5}, {5}]),
        ("8/5*(2)*", None),
        ("8/5**", None),
        ("8*/5", None),
        ("6/off*", None),
        ("bar*/20", None),
    ],
)
def test_stars(text: str, hits: list[set[int]] | None) -> None:
    if hits is None:
        with pytest.raises(tf.NotationError):
            notation.parse_move(text)
    else:
        assert [run.hits for run in notation.parse_move(text)] == hits


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no move in ''; a lost turn is written 'pass'"),
        (" ,; ", "no move in ' ,; '"),
        ("8", "cannot read '8' in the move '8'"),
        ("8/5 6", "cannot read '6' in the move '8/5 6'"),
        ("8//5", "cannot read '8//5'"),
        ("/5", "cannot read '/5'"),
        ("8/", "cannot read '8/'"),
        ("8/5(5)", "cannot read '8/5(5)'"),
        ("8/5(0)", "cannot read '8/5(0)'"),
        ("8/5()", "cannot read '8/5()'"),
        ("8/5(2)x", "cannot read '8/5(2)x'"),
        ("8/x", "'x' is not a point in the move '8/x'"),
        ("26/20", "'26' is not a point in the move '26/20'"),
        ("8/\u0665", "'\u0665' is not a point"),
        ("08/5", "'08' is not a point"),
        ("5/8", "'5/8' does not move forwards in the move '5/8'"),
        ("8/8", "'8/8' does not move forwards"),
        ("13/5/8", "'13/5/8' does not move forwards"),
        ("off/8", "'off/8' does not move forwards"),
        ("8/bar", "'8/bar' does not move forwards"),
        ("8/off/5", "'8/off/5' does not move forwards"),
        ("8*/5", "'8*/5' has a '*' where nothing is hit"),
        ("6/off*", "'6/off*' has a '*' where nothing is hit"),
        ("pass 8/5", "cannot read 'pass'"),
    ],
)
def test_unreadable_move(text: str, message: str) -> None:
    with pytest.raises(tf.NotationError, match=f"^{re.escape(message)}"):
        notation.parse_move(text)


def test_parse_move_raises_notation_error_before_illegal_move() -> None:
    start = tf.Position.start(tf.PORTES)
    with pytest.raises(tf.NotationError, match="cannot read 'x'"):
        start.parse_move("x", (3, 1))
    with pytest.raises(tf.IllegalMove):
        start.parse_move("8/4 8/7", (3, 1))


RUN_65 = {24: 1, 6: 14}
"""Nothing on 18 or 19 for either side but what a test puts there; 6-5 runs 24/13."""


def hits_of(text: str, position: tf.Position, roll: tuple[int, int]) -> list[set[int]]:
    moves = notation.match_move(text, position.moves(roll), position)
    return sorted((set(move.hits) for move in moves), key=sorted)


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("24/13", [set()]),
        ("24/19/13", [set()]),
        ("24/19 19/13", [set()]),
        ("24/18*/13", [{18}]),
        ("24/18/13", [{18}]),
        ("24/18 18/13", [{18}]),
        ("18/13, 24/18*", [{18}]),
        ("24/19*/13", []),
        ("24/13*", []),
        ("24/18", []),
        ("pass", []),
    ],
)
def test_one_way_hits_and_the_other_does_not(text: str, hits: list[set[int]]) -> None:
    blot_on_18 = tf.Position(tf.PORTES, RUN_65, {7: 1, 3: 14})
    assert hits_of(text, blot_on_18, (6, 5)) == hits


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("24/13", [{18}, {19}]),
        ("24/18/13", [{18}]),
        ("24/19/13", [{19}]),
        ("24/18*/13", [{18}]),
        ("24/19* 19/13", [{19}]),
        ("24/20/13", [{18}, {19}]),
    ],
)
def test_either_way_hits(text: str, hits: list[set[int]]) -> None:
    blots_on_18_and_19 = tf.Position(tf.PORTES, RUN_65, {7: 1, 6: 1, 3: 13})
    assert hits_of(text, blots_on_18_and_19, (6, 5)) == hits


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("24/13", [{13, 18}, {13, 19}]),
        ("24/13*", [{13, 18}, {13, 19}]),
        ("24/18/13", [{13, 18}]),
        ("24/19*/13", [{13, 19}]),
        ("24/19*/13*", [{13, 19}]),
        ("24/19*/18*/13", []),
    ],
)
def test_either_way_hits_and_so_does_the_end(text: str, hits: list[set[int]]) -> None:
    blots = tf.Position(tf.PORTES, RUN_65, {12: 1, 7: 1, 6: 1, 3: 12})
    assert hits_of(text, blots, (6, 5)) == hits


@pytest.mark.parametrize("text", ["24/13", "24/18/13", "24/18 18/13", "24/19*/13", "24/20/13"])
def test_a_text_by_the_closed_way_means_the_open_one(text: str) -> None:
    closed_18_blot_on_19 = tf.Position(tf.PORTES, RUN_65, {7: 2, 6: 1, 3: 12})
    assert hits_of(text, closed_18_blot_on_19, (6, 5)) == [{19}]


def test_a_star_marks_a_pin_that_lasts() -> None:
    """By 5-3 his blots on 5 and 7 are both on the way 10/2, which pins neither for good."""
    position = tf.Position(tf.PLAKOTO, {24: 14, 10: 1}, {24: 13, 20: 1, 18: 1})
    texts = {str(move) for move in position.moves((5, 3))}
    assert texts == {"24/16", "24/21 24/19", "24/21 10/5*", "24/19 10/7*", "10/2"}
    for text in ("10/2", "10/7/2", "10/5 5/2"):
        assert hits_of(text, position, (5, 3)) == [set()]


def test_a_point_pinned_already_has_no_star() -> None:
    """20/18 sets his blot on 20 free, but 24/20 is there before or after."""
    position = tf.Position(tf.PLAKOTO, {24: 14, 20: 1}, {24: 14, 5: 1}, (), (5,))
    for text in ("24/18", "20/18 24/20", "24/20 20/18"):
        assert str(position.parse_move(text, (4, 2))) == "24/18"


def test_a_star_may_stand_at_any_of_the_checkers_that_land() -> None:
    position = tf.Position(tf.PORTES, {8: 1, 6: 14}, {20: 1, 1: 14})
    for text in ("8/5* 6/5", "8/5 6/5*", "8/5* 6/5*", "6/5 8/5"):
        assert hits_of(text, position, (3, 1)) == [{5}]
        assert str(position.parse_move(text, (3, 1))) == "8/5* 6/5"


def test_lost_turn() -> None:
    shut_out = tf.Position(tf.PORTES, {25: 1, 1: 14}, {6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 5})
    assert str(shut_out.parse_move("cannot move", (3, 1))) == "pass"
    with pytest.raises(tf.IllegalMove):
        tf.Position.start(tf.PORTES).parse_move("pass", (3, 1))


@settings(deadline=None)
@given(any_positions, st.sampled_from(ROLLS), st.randoms(use_true_random=False))
def test_single_steps_in_any_order_mean_their_move(
    position: tf.Position, roll: tuple[int, int], shuffle: random.Random
) -> None:
    moves = position.moves(roll)
    for move in moves:
        steps = list(move.steps)
        shuffle.shuffle(steps)
        text = ", ".join(f"{start}-{end}{'*' * (end in move.hits)}" for start, end in steps)
        assert notation.match_move(text or "-", moves, position) == [move]


@settings(deadline=None)
@given(any_positions, st.sampled_from(ROLLS), st.randoms(use_true_random=False))
def test_case_order_and_separators_do_not_matter(
    position: tf.Position, roll: tuple[int, int], shuffle: random.Random
) -> None:
    moves = position.moves(roll)
    for move in moves:
        runs = str(move).split()
        shuffle.shuffle(runs)
        text = " ,  ".join(runs).replace("/", " - ").replace("(", " (").upper()
        assert notation.match_move(text, moves, position) == [move]


@settings(deadline=None)
@given(any_positions, st.sampled_from(ROLLS))
def test_a_move_with_a_star_too_many_is_refused(
    position: tf.Position, roll: tuple[int, int]
) -> None:
    moves = position.moves(roll)
    for move in moves:
        if move.steps and not move.hits and not str(move).endswith(("off", ")")):
            assert notation.match_move(f"{move}*", moves, position) == []


@given(st.text(alphabet="0123456789/-*()barofpsxn ,;", max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        runs = notation.parse_move(text)
    except tf.NotationError:
        return
    assert all(25 >= start > end >= 0 for run in runs for start, end in pairwise(run.points))


# Positions


START = "24:2,13:5,8:3,6:5/24:2,13:5,8:3,6:5"


def test_canonical_text_of_a_position() -> None:
    assert tf.Position.start(tf.PORTES).text == START
    assert tf.Position.start(tf.FEVGA).text == "24:15/24:15"
    position = tf.Position(tf.PORTES, {25: 1, 6: 2}, {24: 1, 25: 2, 1: 3})
    assert position.text == "bar:1,6:2,off:12/bar:2,24:1,1:3,off:9"
    over = tf.Position(tf.PORTES, {}, {24: 15})
    assert over.text == "off:15/24:15"


def test_pins_in_a_text() -> None:
    text = "24:14,5:1p/24:13,20:2"
    own, opp, own_pinned, opp_pinned = notation.parse_position(text, tf.PORTES)
    assert (own_pinned, opp_pinned) == ((5,), ())
    position = reference.Board(own, opp, frozenset(own_pinned), frozenset(opp_pinned))
    assert notation.format_position(position) == text
    assert notation.parse_position("1:1P/9:1p,2:1,1:1p", tf.PORTES)[2:] == ((1,), (1, 9))


@pytest.mark.parametrize(
    "text",
    [
        "start",
        " Start ",
        START,
        "6:5,8:3,13:5,24:2/8:3,6:5,24:2,13:5",
        " 24 : 2 , 13:5 8:3, 6:5 / 24:2 13:5\t8:3,,6:5, ",
        f"{START},bar:0,off:0,5:0",
        "0:0,25:0,24:2,13:5,8:3,6:5/24:2,13:5,8:3,6:5",
    ],
)
def test_tolerated_position(text: str) -> None:
    assert tf.Position.parse(text, tf.PORTES) == tf.Position.start(tf.PORTES)


def test_bar_and_off_by_name_or_number_in_any_case() -> None:
    by_name = tf.Position.parse("BAR:1,OFF:14/Bar:2,1:13", tf.PORTES)
    assert by_name == tf.Position.parse("25:1,0:14/25:2,1:13", tf.PORTES)
    assert by_name == tf.Position(tf.PORTES, {25: 1}, {25: 2, 1: 13})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a position"),
        ("24:15", "'24:15' is not a position"),
        ("24:15/24:15/24:15", "'24:15/24:15/24:15' is not a position"),
        ("24:15/", "a side has no checkers in the position '24:15/'; one that is all borne off is"),
        (" , /24:15", "a side has no checkers in the position ' , /24:15'"),
        ("24:15/24", "cannot read '24' in the position '24:15/24'"),
        ("24:15/24:", "cannot read '24:'"),
        ("24:15/:15", "cannot read ':15'"),
        ("24:15/26:15", "cannot read '26:15'"),
        ("24:15/head:15", "cannot read 'head:15'"),
        ("24:15/24:-15", "cannot read '24:-15'"),
        ("24:15/24:x", "cannot read '24:x'"),
        ("24:15/24:100", "cannot read '24:100'"),
        ("24:15/24:15q", "cannot read '24:15q'"),
        ("24:1\u0665/24:15", "cannot read '24:1\u0665'"),
        ("24:15/24:8,24:7", "24 is given twice for one side in the position"),
        ("bar:1,25:1/24:15", "bar is given twice"),
        ("off:1,0:1/24:15", "off is given twice"),
    ],
)
def test_unreadable_position(text: str, message: str) -> None:
    with pytest.raises(tf.NotationError, match=f"^{re.escape(message)}"):
        notation.parse_position(text, tf.FEVGA)


def test_off_is_what_is_missing_unless_given() -> None:
    own, opp, *_ = notation.parse_position("24:11/24:11,off:3", tf.FEVGA)
    assert (own[0], opp[0]) == (4, 3)
    own, opp, *_ = notation.parse_position("24:15/24:16", tf.FEVGA)
    assert (own[0], opp[0]) == (0, 0)


@pytest.mark.parametrize(
    ("text", "ruleset"),
    [
        ("24:16/24:15", tf.FEVGA),
        ("24:14,off:0/24:15", tf.FEVGA),
        ("24:15,off:1/24:15", tf.FEVGA),
        ("24:14,12:1/24:15", tf.FEVGA),
        ("24:14,bar:1/24:15", tf.FEVGA),
        ("24:14,5:1p/24:15", tf.PORTES),
        ("24:99/24:15", tf.PORTES),
    ],
)
def test_a_readable_position_may_be_impossible(text: str, ruleset: tf.Ruleset) -> None:
    notation.parse_position(text, ruleset)
    with pytest.raises(tf.IllegalPosition):
        tf.Position.parse(text, ruleset)


@settings(deadline=None)
@given(any_positions)
def test_text_of_a_position_is_the_position(position: tf.Position) -> None:
    assert re.fullmatch(r"[a-z0-9:,]+/[a-z0-9:,]+", position.text)
    assert tf.Position.parse(position.text, position.ruleset) == position


@settings(deadline=None)
@given(any_positions, st.randoms(use_true_random=False))
def test_points_of_a_position_may_come_in_any_order(
    position: tf.Position, shuffle: random.Random
) -> None:
    sides = [side.split(",") for side in position.text.split("/")]
    for side in sides:
        shuffle.shuffle(side)
    text = " / ".join(" ".join(side) for side in sides)
    assert tf.Position.parse(text.upper(), position.ruleset) == position


@settings(deadline=None)
@given(any_positions)
def test_different_positions_have_different_texts(position: tf.Position) -> None:
    afters = position.afterstates((2, 1))
    assert len({after.text for after in afters}) == len(afters)


# Rolls


@pytest.mark.parametrize("text", ["31", "3-1", "3,1", "3 1", " 3 - 1 ", "3, 1"])
def test_roll(text: str) -> None:
    assert notation.parse_roll(text) == (3, 1)


@pytest.mark.parametrize(
    "text", ["", "3", "311", "3-", "70", "07", "3--1", "3x1", "\u0663\u0661", "three one"]
)
def test_not_a_roll(text: str) -> None:
    with pytest.raises(tf.NotationError, match=f"^{re.escape(repr(text))} is not a roll"):
        notation.parse_roll(text)
