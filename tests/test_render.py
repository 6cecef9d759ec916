"""Boards of text: some looked at by eye, and any other read back."""

from __future__ import annotations

import re

import numpy as np
import pytest
from boards import counts, facing, to_position
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import legal_boards

import tavli_fast as tf
from tavli_fast import render

PORTES_START = """\
portes
+13-14-15-16-17-18-+---+19-20-21-22-23-24-+---+
| O           X    |   | X              O |   |
| O           X    |   | X              O |   |
| O           X    |   | X                |   |
| O                |   | X                |   |
| O                |   | X                |   |
|                  |bar|                  |off|
| X                |   | O                |   |
| X                |   | O                |   |
| X           O    |   | O                |   |
| X           O    |   | O              X |   |
| X           O    |   | O              X |   |
+12-11-10--9--8--7-+---+-6--5--4--3--2--1-+---+
           pips  bar  off  path               home
O on roll   167    0    0  24 to 1            6 to 1
X           167    0    0  1 to 24            19 to 24"""

BAR_AND_OFF = """\
tavla(bear_off=optional)
+13-14-15-16-17-18-+---+19-20-21-22-23-24-+---+
|                  | O |                  | X |
|                  | O |                  | X |
|                  |   |                  | X |
|                  |   |                  | X |
|                  |   |                  |10 |
|                  |bar|                  |off|
|                  |   | 6                |   |
|                  |   | O                |   |
|                  |   | O     O          | O |
|       X          | X | O     O          | O |
|       X          | X | O     O     O  X | O |
+12-11-10--9--8--7-+---+-6--5--4--3--2--1-+---+
           pips  bar  off  path               home
O on roll   100    2    3  24 to 1            6 to 1
X           104    2   10  1 to 24            19 to 24"""

FEVGA_UNDER_WAY = """\
fevga(mother_prime=free)
+13-14-15-16-17-18-+---+19-20-21-22-23-24-+---+
| O     X          |   |                O |   |
|       X          |   |                O |   |
|                  |   |                O |   |
|                  |   |                O |   |
|                  |   |               11 |   |
|                  |bar|                  |off|
| 7                |   |                  |   |
| X                |   |          X       |   |
| X                |   |          X       |   |
| X              O |   |          X     X |   |
| X              O |   |    O     X     X |   |
+12-11-10--9--8--7-+---+-6--5--4--3--2--1-+---+
           pips  bar  off  path               home
O on roll   296    0    0  24 to 1            6 to 1
X           260    0    0  12 to 1, 24 to 13  18 to 13"""

MOULTEZIM_END = """\
moultezim
+13-14-15-16-17-18-+---+19-20-21-22-23-24-+---+
| X              X |   |                  |   |
| X              X |   |                  |   |
| X              X |   |                  |   |
| X              X |   |                  |   |
|               11 |   |                  |   |
|                  |bar|                  |off|
|                  |   |                  |14 |
|                  |   |                  | O |
|                  |   |                  | O |
|                  |   |                  | O |
|                  |   | O                | O |
+12-11-10--9--8--7-+---+-6--5--4--3--2--1-+---+
           pips  bar  off  path               home
O on roll     6    0   14  24 to 1            6 to 1
X            70    0    0  12 to 1, 24 to 13  18 to 13"""


PLAKOTO_PINS = """\
plakoto
+13-14-15-16-17-18-+---+19-20-21-22-23-24-+---+
|                o |   | x              O |   |
|                X |   | O              O |   |
|                X |   | O              O |   |
|                X |   | O              O |   |
|                9 |   | O                |   |
|                  |bar|                  |off|
|                  |   | 5                |   |
|                  |   | O                |   |
|                  |   | O              X |   |
|             X    |   | O              X |   |
|             o    |   | x              X |   |
+12-11-10--9--8--7-+---+-6--5--4--3--2--1-+---+
           pips  bar  off  path               home
O on roll   228    0    0  24 to 1            6 to 1
X           177    0    0  1 to 24            19 to 24
o, x: pinned under the stack"""


@pytest.mark.parametrize(
    ("ruleset", "position", "board"),
    [
        ("portes", "start", PORTES_START),
        ("tavla(bear_off=optional)", "bar:2,6:6,4:3,2:1,off:3/bar:2,24:1,15:2", BAR_AND_OFF),
        ("fevga(mother_prime=free)", "24:11,13:1,7:2,5:1/24:7,15:4,13:2,3:2", FEVGA_UNDER_WAY),
        ("moultezim", "6:1,off:14/6:11,1:4", MOULTEZIM_END),
        (
            "plakoto",
            "24:4,19:4,18:1p,8:1p,6:5/24:3,19:1p,17:1,7:9,6:1p",
            PLAKOTO_PINS,
        ),
    ],
)
def test_board(ruleset: str, position: str, board: str) -> None:
    shown = tf.Position.parse(position, tf.find_ruleset(ruleset))
    assert render.board(shown) == board
    assert str(shown) == board


def test_the_other_side_below() -> None:
    """It sees the board and numbers it as it would with the roll, but for the letters."""
    portes = tf.Position.parse("bar:1,24:1,6:2,off:11/13:4,6:5,off:6", tf.PORTES)
    shown = render.board(portes, below="opp").splitlines()
    turned = render.board(portes.flip()).translate(str.maketrans("XO", "OX")).splitlines()
    assert shown[:15] == turned[:15]
    assert shown[15:] == [
        "O on roll    61    1   11  1 to 24            19 to 24",
        "X            82    0    6  24 to 1            6 to 1",
    ]


@settings(deadline=None)
@given(st.data())
def test_any_board_from_the_other_side_is_the_flipped_one_with_other_letters(
    data: st.DataObject,
) -> None:
    ruleset = data.draw(st.sampled_from(list(tf.RULESETS.values())))
    position = to_position(data.draw(legal_boards(ruleset)), ruleset)
    board = render.board(position, below="opp").splitlines()
    turned = str(position.flip()).translate(str.maketrans("XOxo", "OXox"))
    assert board[1:14] == turned.replace("xff", "off").splitlines()[1:14]
    assert board[17:] == str(position).splitlines()[17:]


@pytest.mark.parametrize("below", ["Own", "", None])
def test_another_side_below_is_refused(below: object) -> None:
    with pytest.raises(ValueError, match=f"below is 'own' or 'opp', not {below!r}"):
        render.board(tf.Position.start(tf.PORTES), below=below)


def read_back(
    board: str, movement: tf.Movement
) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """The counts and the pins of both sides as the columns of a board show them."""
    lines = board.splitlines()
    halves = (
        (lines[1], lines[2:7], {20: ("O", 25), 43: ("X", 0)}),
        (lines[13], lines[12:7:-1], {20: ("X", 25), 43: ("O", 0)}),
    )
    sides: dict[str, dict[int, int]] = {"O": {}, "X": {}}
    pins: dict[str, list[int]] = {"O": [], "X": []}
    for edge, rows, trays in halves:
        for column in (*range(1, 19, 3), 20, *range(24, 42, 3), 43):
            cells = [row[column : column + 3].strip() for row in rows]
            stack = [cell for cell in cells if cell]
            if not stack:
                continue
            assert cells[: len(stack)] == stack
            sign = stack[0]
            if column in trays:
                assert sign == trays[column][0]
                point = trays[column][1]
            else:
                point = int(edge[column : column + 3].strip("-"))
                numbers = {"O": point, "X": facing(movement, point)}
                if sign.islower():
                    under = sign.upper()
                    sides[under][numbers[under]] = 1
                    pins[under].append(numbers[under])
                    stack = stack[1:]
                    sign = stack[0]
                    assert sign not in (under, under.lower())
                point = numbers[sign]
            sides[sign][point] = int(stack[-1]) if stack[-1].isdigit() else len(stack)
    return (
        [counts(side, checkers=sum(side.values())) for side in sides.values()],
        [tuple(sorted(points)) for points in pins.values()],
    )


@settings(deadline=None)
@given(st.data())
def test_any_board_is_framed_and_can_be_read_back(data: st.DataObject) -> None:
    ruleset = data.draw(st.sampled_from(list(tf.RULESETS.values())))
    position = to_position(data.draw(legal_boards(ruleset)), ruleset)
    board = render.board(position)
    lines = board.split("\n")
    has_pins = bool(position.own_pinned or position.opp_pinned)
    assert lines[17:] == ["o, x: pinned under the stack"] * has_pins
    assert not any(line.endswith(" ") for line in lines)
    assert {len(line) for line in lines[1:14]} == {47}
    assert all(line[0] + line[-1] == "||" for line in lines[2:13])
    assert read_back(board, ruleset.movement) == (
        [position.own, position.opp],
        [position.own_pinned, position.opp_pinned],
    )
    table = [line[9:].split()[:3] for line in lines[15:17]]
    assert table == [
        [str(pips), str(side[25]), str(side[0])]
        for pips, side in zip(position.pip_counts, (position.own, position.opp), strict=True)
    ]


@pytest.mark.parametrize("mother", ["unless_mutual", "off"])
def test_pins_of_random_play_can_be_read_back(mother: str) -> None:
    chance = np.random.default_rng(1)
    met = 0
    ruleset = tf.PLAKOTO.replace(mother=mother)
    for _ in range(5):
        position = tf.Position.start(ruleset)
        for _ in range(80):
            choices = position.afterstates(chance.integers(1, 7, 2))
            position = choices[chance.integers(len(choices))].flip()
            sides, pins = read_back(render.board(position), ruleset.movement)
            assert sides == [position.own, position.opp]
            assert pins == [position.own_pinned, position.opp_pinned]
            met += bool(any(pins))
    assert met > 50


@pytest.mark.parametrize("below", ["own", "opp"])
@pytest.mark.parametrize("ruleset", tf.RULESETS.values(), ids=str)
def test_the_table_tells_where_each_side_moves_and_has_its_home(
    ruleset: tf.Ruleset, below: str
) -> None:
    lower_way = list(range(24, 0, -1))
    upper_way = [facing(ruleset.movement, point) for point in lower_way]
    lines = render.board(tf.Position.start(ruleset), below=below).splitlines()[-2:]
    ways = [lower_way, upper_way] if below == "own" else [upper_way, lower_way]
    for line, way in zip(lines, ways, strict=True):
        told = [
            point
            for first, last in re.findall(r"(\d+) to (\d+)", line)
            for point in span(int(first), int(last))
        ]
        assert told == way + way[-6:]


def span(first: int, last: int) -> range:
    return range(first, last + 1) if first <= last else range(first, last - 1, -1)
