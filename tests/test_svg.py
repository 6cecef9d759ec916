"""Pictures: some kept and compared exactly, and any other read back from where things are drawn."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import combinations, pairwise, product
from math import hypot

import pytest
from boards import ROLLS, counts, facing, to_position
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import FOLDER, PICTURES
from strategies import legal_boards

import tavli_fast as tf
from tavli_fast import svg

NAMESPACE = "{http://www.w3.org/2000/svg}"
SIDES = st.sampled_from(["own", "opp"])


@st.composite
def legal_positions(draw: st.DrawFn) -> tf.Position:
    ruleset = draw(st.sampled_from(list(tf.RULESETS.values())))
    return to_position(draw(legal_boards(ruleset)), ruleset)


@pytest.mark.parametrize("name", PICTURES)
def test_kept_pictures(name: str) -> None:
    """`python tests/pictures.py` writes them again."""
    assert PICTURES[name]() == (FOLDER / f"{name}.svg").read_text(encoding="utf-8")


def test_no_picture_is_kept_for_nothing() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(PICTURES)


# Any picture


class Picture:
    """A picture taken apart: what is drawn where, by nothing but shapes and colours."""

    def __init__(self, text: str) -> None:
        self.root = ET.fromstring(text)
        _, _, self.width, self.height = map(float, self.root.attrib["viewBox"].split())
        self.stacks = [g for g in self.root.iter(f"{NAMESPACE}g") if self.child(g, "title")]

    def child(self, element: ET.Element, tag: str) -> str:
        return element.findtext(f"{NAMESPACE}{tag}", "")

    def labels(self) -> dict[tuple[float, bool], int]:
        """The numbers of points, by x and by whether they stand below."""
        return {
            (float(text.attrib["x"]), float(text.attrib["y"]) > self.height / 2): int(text.text)
            for text in self.root.findall(f"{NAMESPACE}text")
            if text.attrib["font-size"] == "24"
        }

    def checkers(self, group: ET.Element) -> list[tuple[float, float, str]]:
        """Middle and colour of each checker of a stack, in the order of drawing."""
        return [
            (float(c.attrib["cx"]), float(c.attrib["cy"]), c.attrib["fill"])
            for c in group.findall(f"{NAMESPACE}circle")
            if c.attrib["r"] == "19"
        ]

    def slabs(self, group: ET.Element) -> list[tuple[float, float, str]]:
        return [
            (
                float(rect.attrib["x"]) + float(rect.attrib["width"]) / 2,
                float(rect.attrib["y"]) + float(rect.attrib["height"]) / 2,
                rect.attrib["fill"],
            )
            for rect in group.findall(f"{NAMESPACE}rect")
        ]

    def read_back(self, movement: tf.Movement) -> tuple[list[dict[int, int]], list[set[int]]]:
        """Checkers by point and pinned points, each in its own numbering, of lower and upper."""
        seats = {svg.COLOURS.lower: 0, svg.COLOURS.upper: 1}
        sides: list[dict[int, int]] = [{}, {}]
        pins: list[set[int]] = [set(), set()]
        labels = self.labels()
        assert sorted(labels.values()) == list(range(1, 25))
        for group in self.stacks:
            shown = self.checkers(group) or self.slabs(group)
            number = self.child(group, "text")
            x, y, _ = shown[0]
            seat = seats[shown[-1][2]]
            count = int(number) if number else sum(seats[each[2]] == seat for each in shown)
            if self.checkers(group):
                drawn = sum(seats[each[2]] == seat for each in shown)
                assert (count > drawn) == bool(number)
                assert drawn == min(count, 5 - len({each[2] for each in shown}) + 1)
            label = labels.get((x, y > self.height / 2))
            if label is None:
                point = 0 if self.slabs(group) else 25
            else:
                point = facing(movement, label) if seat else label
                if seats[shown[0][2]] != seat:
                    under = label if seat else facing(movement, label)
                    sides[1 - seat][under] = 1
                    pins[1 - seat].add(under)
                    assert all(seats[each[2]] == seat for each in shown[1:])
            assert point not in sides[seat]
            sides[seat][point] = count
        return sides, pins


@settings(deadline=None)
@given(legal_positions(), SIDES)
def test_any_picture_can_be_read_back(position: tf.Position, below: str) -> None:
    picture = Picture(svg.board(position, below=below))
    lower, upper = (position, position.flip()) if below == "own" else (position.flip(), position)
    sides, pins = picture.read_back(position.ruleset.movement)
    checkers = position.ruleset.checkers
    assert [counts(side, checkers) for side in sides] == [lower.own, upper.own]
    assert [tuple(sorted(each)) for each in pins] == [lower.own_pinned, upper.own_pinned]


@settings(deadline=None)
@given(legal_positions(), SIDES, st.sampled_from(ROLLS), st.sets(st.integers(1, 24)))
def test_everything_is_in_the_picture_and_nothing_is_covered(
    position: tf.Position, below: str, roll: tuple[int, int], highlight: set[int]
) -> None:
    picture = Picture(svg.board(position, below=below, roll=roll, highlight=highlight))
    for element in picture.root.iter():
        assert "id" not in element.attrib
        box = {name: float(element.attrib.get(name, 0)) for name in ("x", "y", "width", "height")}
        assert 0 <= box["x"] <= box["x"] + box["width"] <= picture.width
        assert 0 <= box["y"] <= box["y"] + box["height"] <= picture.height
    stacks = [picture.checkers(group) or picture.slabs(group) for group in picture.stacks]
    for stack, other in combinations(stacks, 2):
        for (x, y, _), (other_x, other_y, _) in product(stack, other):
            assert hypot(x - other_x, y - other_y) >= 38
    for group, stack in zip(picture.stacks, stacks, strict=True):
        least = 20 if picture.checkers(group) else 11
        for (x, y, _), (next_x, next_y, _) in pairwise(stack):
            assert x == next_x
            assert abs(y - next_y) >= least


@pytest.mark.parametrize("ruleset", [tf.PORTES, tf.FEVGA], ids=str)
def test_checkers_are_borne_off_beside_their_home(ruleset: tf.Ruleset) -> None:
    picture = Picture(svg.board(tf.Position(ruleset, {}, {})))
    own, opp = (picture.slabs(group) for group in picture.stacks)
    assert (len(own), len(opp)) == (15, 15)
    homes = {number: x for (x, _), number in picture.labels().items()}
    assert all(x > homes[1] and y > picture.height / 2 for x, y, _ in own)
    assert all(y < picture.height / 2 for _, y, _ in opp)
    if ruleset.movement is tf.Movement.PARALLEL:
        assert all(x < homes[13] for x, _, _ in opp)
    else:
        assert all(x > homes[24] for x, _, _ in opp)


def test_checkers_on_the_bar_are_on_the_side_where_they_enter() -> None:
    picture = Picture(svg.board(tf.Position(tf.PORTES, {25: 3}, {25: 15})))
    own, opp = (picture.checkers(group) for group in picture.stacks if picture.checkers(group))
    assert [y < picture.height / 2 for _, y, _ in own] == [True] * 3
    assert [y > picture.height / 2 for _, y, _ in opp] == [True] * 5


def test_a_picture_says_what_it_shows() -> None:
    position = tf.Position.parse("24:14,5:1p/24:13,20:2", tf.PLAKOTO)
    picture = Picture(svg.board(position, roll=(3, 1)))
    assert picture.child(picture.root, "title") == "Plakoto: own to play 3-1"
    assert picture.child(picture.root, "desc") == f"plakoto {position.text}"
    assert picture.root.attrib["role"] == "img"
    assert [picture.child(group, "title") for group in picture.stacks] == [
        "24: 14 own",
        "5: 2 opp on own",
        "1: 13 opp",
    ]
    over = Picture(svg.board(tf.Position(tf.PORTES, {}, {25: 1, 1: 3}), below="opp"))
    assert picture.child(over.root, "title") == "Portes: own on roll"
    told = sorted(picture.child(group, "title") for group in over.stacks)
    assert told == ["1: 3 opp", "bar: 1 opp", "off: 11 opp", "off: 15 own"]


@pytest.mark.parametrize("roll", ROLLS)
def test_dice(roll: tuple[int, int]) -> None:
    root = ET.fromstring(svg.board(tf.Position.start(tf.FEVGA), roll=roll))
    dice = [
        group for group in root.iter(f"{NAMESPACE}g") if group.find(f"{NAMESPACE}title") is None
    ]
    assert tuple(len(group.findall(f"{NAMESPACE}circle")) for group in dice) == roll


@pytest.mark.parametrize("ruleset", [tf.PORTES, tf.FEVGA], ids=str)
@pytest.mark.parametrize("below", ["own", "opp"])
def test_highlighted_points_are_numbered_by_the_side_on_roll(
    ruleset: tf.Ruleset, below: str
) -> None:
    picture = Picture(svg.board(tf.Position.start(ruleset), highlight={9, 8}, below=below))
    marked = [
        (float(rect.attrib["x"]) + 22, float(rect.attrib["y"]) > picture.height / 2)
        for rect in picture.root.findall(f"{NAMESPACE}rect")
        if rect.attrib.get("opacity")
    ]
    numbers = {picture.labels()[x, y] for x, y in marked}
    assert numbers == ({9, 8} if below == "own" else {facing(ruleset.movement, p) for p in (9, 8)})


def test_width() -> None:
    root = ET.fromstring(svg.board(tf.Position.start(tf.PORTES), width=334))
    assert (root.attrib["width"], root.attrib["height"]) == ("334", "270")
    assert root.attrib["viewBox"] == "0 0 668 540"


def test_notebooks_show_the_picture() -> None:
    start = tf.Position.start(tf.GIOUL)
    assert start._repr_svg_() == svg.board(start)


# Moves


def arrows(picture: Picture) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Where each arrow starts, and its tip."""
    starts = [
        tuple(map(float, re.match(r"M(\S+),(\S+) ", path.attrib["d"]).groups()))
        for path in picture.root.findall(f"{NAMESPACE}path")
        if path.attrib["stroke"] == svg.COLOURS.arrow
    ]
    tips = [
        tuple(map(float, polygon.attrib["points"].split()[0].split(",")))
        for polygon in picture.root.findall(f"{NAMESPACE}polygon")
        if polygon.attrib["fill"] == svg.COLOURS.arrow
    ]
    return list(zip(starts, tips, strict=True))


def middles(picture: Picture, colour: str) -> set[tuple[float, float]]:
    return {
        (x, y)
        for group in picture.stacks
        for x, y, fill in picture.checkers(group) + picture.slabs(group)
        if fill == colour
    }


@settings(deadline=None)
@given(legal_positions(), SIDES, st.sampled_from(ROLLS), st.data())
def test_arrows_go_from_checkers_to_checkers(
    position: tf.Position, below: str, roll: tuple[int, int], data: st.DataObject
) -> None:
    move = data.draw(st.sampled_from(position.moves(roll)))
    other = {"own": "opp", "opp": "own"}[below]
    colour = svg.COLOURS.lower if below == "own" else svg.COLOURS.upper
    before = Picture(svg.board(position, move=move, below=below))
    after = Picture(svg.board(move.after, move=move, below=below))
    turned = Picture(svg.board(move.after.flip(), move=move, below=other))
    assert len(arrows(before)) == len(move.steps)
    starts = [start for start, _ in arrows(before)]
    tips = [tip for _, tip in arrows(before)]
    assert set(starts) <= middles(before, colour) | set(tips)
    assert arrows(after) == arrows(turned)
    starts = [start for start, _ in arrows(after)]
    tips = [tip for _, tip in arrows(after)]
    assert set(tips) <= middles(after, colour) | set(starts)


def test_a_lost_turn_has_no_arrows() -> None:
    shut_out = tf.Position.parse("bar:1,1:14/6:2,5:2,4:2,3:2,2:2,1:5", tf.PORTES)
    (lost,) = shut_out.moves((3, 1))
    assert svg.board(shut_out, move=lost) == svg.board(shut_out)


def test_checkers_that_go_together_have_arrows_of_their_own() -> None:
    start = tf.Position.start(tf.PORTES)
    move = start.parse_move("13/7(2)", (3, 3))
    drawn = arrows(Picture(svg.board(start, move=move)))
    assert max(Counter(drawn).values()) == 1


# What cannot be drawn


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"below": "me"}, "below is 'own' or 'opp', not 'me'"),
        ({"width": 0}, "width is 1 to 10000 pixels, not 0"),
        ({"width": 10**9}, "width is 1 to 10000 pixels, not 1000000000"),
        ({"roll": (0, 1)}, "a roll is two numbers from 1 to 6, not (0, 1)"),
        ({"roll": (1,)}, "a roll is two numbers from 1 to 6, not (1,)"),
        ({"roll": 31}, "a roll is two numbers from 1 to 6, not 31"),
        ({"roll": "31"}, "a roll is two numbers from 1 to 6, not '31'"),
        ({"roll": ([], {})}, "a roll is two numbers from 1 to 6, not ([], {})"),
        ({"highlight": [5, 0]}, "highlight has point 0; points are 1 to 24"),
        ({"highlight": [25]}, "highlight has point 25; points are 1 to 24"),
        ({"highlight": ["5"]}, "highlight has point '5'; points are 1 to 24"),
    ],
)
def test_what_cannot_be_drawn(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        svg.board(tf.Position.start(tf.PORTES), **options)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([(24, 18)], "the move 24/18 neither starts from 6:15/6:15 nor leads to it"),
        ([(6, 5)] * 16, "the move 6/5(16) neither starts from 6:15/6:15 nor leads to it"),
        ([(5, 6)], "5/6 is not a step of a move"),
        ([(6, 6)], "6/6 is not a step of a move"),
    ],
)
def test_a_move_of_another_position(steps: list[tuple[int, int]], message: str) -> None:
    position = tf.Position(tf.PORTES, {6: 15}, {6: 15})
    move = tf.Move(steps, (), tf.Position.start(tf.PORTES))
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        svg.board(position, move=move)


@pytest.mark.parametrize("colour", ["", 'red"/>', "url('x')", "a\nb", "\x00", "r\u00e9d", None, 7])
def test_what_is_no_colour(colour: object) -> None:
    message = f"frame cannot be {colour!r}; a colour is a text like '#c9b79c' or 'tan'"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        svg.Colours(frame=colour)


def test_colours_are_those_asked_for() -> None:
    fields = dict.fromkeys(svg.Colours.__dataclass_fields__)
    colours = svg.Colours(**{name: f"rgb({i}, 0, 0)" for i, name in enumerate(fields)})
    position = tf.Position.start(tf.PORTES)
    move = position.parse_move("8/5 6/5", (3, 1))
    text = svg.board(position, roll=(3, 1), move=move, highlight=[5], colours=colours)
    assert all(f'"{getattr(colours, name)}"' in text for name in fields)
    assert "#" not in text
