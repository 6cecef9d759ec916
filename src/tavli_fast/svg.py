"""Positions as pictures: SVG for notebooks, web pages and print."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

from .layout import (
    BAND,
    BAR_WIDTH,
    CENTRE,
    COLUMN,
    FIELD_HEIGHT,
    HEIGHT,
    MOST_SLABS,
    SLAB,
    STACK,
    TRAY_WIDTH,
    MoveLike,
    PositionLike,
    Side,
    Spot,
    Table,
    upwards,
    ways,
)
from .notation import format_position
from .rules import BAR, OFF

__all__ = ["COLOURS", "Colours", "board"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Colours:
    """The colours of a picture, each as SVG and CSS write one, like `#c9b79c` or `tan`.

    `lower` and `upper` are the checkers of the two sides by where they sit, each with the ink of
    what is drawn on it. Raises `ValueError` for a text that can be no colour.

    >>> Colours(lower="ivory").lower
    'ivory'
    """

    frame: str = "#4a3428"
    label: str = "#f0e2c8"
    field: str = "#efe3cb"
    point: str = "#c8794f"
    other_point: str = "#b9a684"
    lower: str = "#fffaf0"
    lower_ink: str = "#40342b"
    upper: str = "#2f3542"
    upper_ink: str = "#eef1f6"
    highlight: str = "#f5b81c"
    arrow: str = "#12806a"

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, str) or not _COLOUR.fullmatch(value):
                raise ValueError(
                    f"{field.name} cannot be {value!r}; a colour is a text like '#c9b79c' or 'tan'"
                )


_COLOUR = re.compile(r"[A-Za-z0-9#(),.%/ -]+")
COLOURS = Colours()
"""The colours of a picture unless others are asked for."""

_DIE = 42
_PIPS = {
    1: [(0, 0)],
    2: [(-1, 1), (1, -1)],
    3: [(-1, 1), (0, 0), (1, -1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
"""Where a die has its pips: columns and rows from its middle."""

_TRAY_HEIGHT = STACK + 14
_POINT_HEIGHT = STACK - 14
_MOST_PIXELS = 10_000
_FONT = "Helvetica, Arial, sans-serif"


def board(
    position: PositionLike,
    *,
    roll: Sequence[int] | None = None,
    move: MoveLike | None = None,
    highlight: Iterable[int] = (),
    below: str = "own",
    colours: Colours = COLOURS,
    width: int = 640,
) -> str:
    r"""Return a position as an SVG picture, `width` pixels wide.

    `below`, `own` or `opp`, is the side that sits below, in the lighter checkers; the points are
    numbered as it numbers them. `roll` is two dice of the side on roll. `move` is drawn as arrows:
    either one that side may make, or the one that has led here, made by it or by the other.
    `highlight` are points in the numbering of the side on roll.

    A stack of more than five shows its number; a pinned checker lies under its stack and is not
    counted in it. Checkers on the bar are in its middle, those borne off beside the home they left.
    Pip counts are in the frame, ringed for the side on roll. Raises `ValueError` for what cannot
    be drawn.

    >>> from types import SimpleNamespace
    >>> from tavli_fast.rules import FEVGA
    >>> sides = {"own": FEVGA.start, "opp": FEVGA.start, "own_pinned": (), "opp_pinned": ()}
    >>> start = SimpleNamespace(ruleset=FEVGA, pip_counts=(360, 360), **sides)
    >>> print(*board(start, roll=(6, 5)).splitlines()[1:3], sep="\n")
     <title>Fevga: own to play 6-5</title>
     <desc>fevga 24:15/24:15</desc>
    """
    if below not in ("own", "opp"):
        raise ValueError(f"below is 'own' or 'opp', not {below!r}")
    if not 1 <= width <= _MOST_PIXELS:
        raise ValueError(f"width is 1 to {_MOST_PIXELS} pixels, not {width!r}")
    dice = None if roll is None else _read_roll(roll)
    own = Side("own", position.own, position.own_pinned, position.pip_counts[0])
    opp = Side("opp", position.opp, position.opp_pinned, position.pip_counts[1])
    table = Table(position.ruleset, *((own, opp) if below == "own" else (opp, own)))
    marked = {table.number(own, point) for point in _read_points(highlight)}

    drawing = _Drawing(table, colours, width)
    to_play = "on roll" if dice is None else f"to play {dice[0]}-{dice[1]}"
    drawing.tell(
        f"{position.ruleset.title}: own {to_play}",
        f"{position.ruleset} {format_position(position)}",
    )
    drawing.frame(on_roll=own)
    for number in range(1, BAR):
        drawing.point(number, number in marked)
    for side in table.sides:
        for point in range(OFF, BAR + 1):
            drawing.stack(side, point)
    for start, end in () if move is None else ways(move, position, table):
        drawing.arrow(start, end)
    if dice is not None:
        drawing.dice(dice, own)
    ElementTree.indent(drawing.root, " ")
    return ElementTree.tostring(drawing.root, encoding="unicode") + "\n"


def _read_roll(roll: Sequence[int]) -> tuple[int, int]:
    try:
        first, second = roll
    except (TypeError, ValueError):
        first = second = 0
    if first not in range(1, 7) or second not in range(1, 7):
        raise ValueError(f"a roll is two numbers from 1 to 6, not {roll!r}")
    return first, second


def _read_points(highlight: Iterable[int]) -> list[int]:
    points = list(highlight)
    for point in points:
        if point not in range(1, BAR):
            raise ValueError(f"highlight has point {point!r}; points are 1 to 24")
    return points


class _Drawing:
    """Draws the parts of a table, the later over the earlier.

    There are no definitions and no ids, which would meet those of other pictures on a page.
    """

    def __init__(self, table: Table, colours: Colours, width: int) -> None:
        self.table = table
        self.colours = colours
        height = max(1, round(width * HEIGHT / table.width))
        self.root = ElementTree.Element("svg", {"xmlns": "http://www.w3.org/2000/svg"})
        self.root.set("viewBox", f"0 0 {table.width} {HEIGHT}")
        self.root.attrib |= {"width": str(width), "height": str(height), "role": "img"}
        self.root.attrib |= {"font-family": _FONT, "font-weight": "bold", "text-anchor": "middle"}

    def tell(self, title: str, description: str) -> None:
        ElementTree.SubElement(self.root, "title").text = title
        ElementTree.SubElement(self.root, "desc").text = description

    def frame(self, on_roll: Side) -> None:
        """Draw the frame, the empty fields and trays, and the pip counts."""
        table, colours = self.table, self.colours
        self.box(table.width / 2, CENTRE, table.width, HEIGHT, colours.frame, 12)
        for left in (table.left, table.bar + BAR_WIDTH):
            self.box(left + 3 * COLUMN, CENTRE, 6 * COLUMN, FIELD_HEIGHT, colours.field, 3)
        for side in table.sides:
            up = upwards(side is table.lower)
            height = FIELD_HEIGHT if table.parallel else _TRAY_HEIGHT
            y = CENTRE - up * (FIELD_HEIGHT - height) / 2
            self.box(table.tray(side), y, TRAY_WIDTH, height, colours.field, 3)
            fill, ink = self.inks(side)
            x, y = table.bar + BAR_WIDTH / 2, CENTRE - up * (HEIGHT - BAND) / 2
            if side is on_roll:
                self.box(x, y, 56, 32, colours.highlight, 16)
            self.box(x, y, 48, 24, fill, 12)
            self.number(self.root, (x, y), side.pips, ink, 20)

    def point(self, number: int, is_marked: bool) -> None:
        colours = self.colours
        x, up = self.table.column(number), upwards(number <= 12)
        edge = CENTRE - up * FIELD_HEIGHT / 2
        band = edge - up * BAND / 2
        label = colours.label
        if is_marked:
            self.box(x, edge + up * STACK / 2, COLUMN, STACK, colours.highlight, 3, opacity=0.6)
            self.box(x, band, 38, 27, colours.highlight, 5)
            label = colours.frame
        corners = [(x - 21, edge), (x + 21, edge), (x, edge + up * _POINT_HEIGHT)]
        self.polygon(corners, colours.point if number % 2 else colours.other_point)
        self.number(self.root, (x, band), number, label)

    def stack(self, side: Side, point: int) -> None:
        """Draw a side's checkers on a point, one of the other that lies pinned below them first."""
        count = side.counts[point]
        if not count or point in side.pinned:
            return
        under = self.table.under(side, point)
        place = self.table.place(side, point)
        group = ElementTree.SubElement(self.root, "g")
        name = {OFF: "off", BAR: "bar"}.get(point) or str(self.table.number(side, point))
        on = "" if under is None else f" on {under[0].name}"
        ElementTree.SubElement(group, "title").text = f"{name}: {count} {side.name}{on}"
        if under is not None:
            self.checker(group, under[0], self.table.place(*under).slot(0))
        shown = min(count, place.shown)
        if point == OFF:
            for height in range(shown):
                self.slab(group, side, place.slot(height))
            beyond = place.y + place.step * MOST_SLABS + math.copysign(8, place.step)
            self.number(group, (place.x, beyond), count, self.colours.frame)
            return
        for height in range(shown):
            is_last_of_more = height == shown - 1 < count - 1
            self.checker(group, side, place.slot(height), count if is_last_of_more else None)

    def checker(
        self, group: ElementTree.Element, side: Side, at: Spot, number: int | None = None
    ) -> None:
        """Draw a checker, with a number instead of its ring if there is one."""
        fill, ink = self.inks(side)
        circle: dict[str, float | str] = {"stroke": ink, "stroke_width": 1.5}
        _circle(group, at, 19, fill, **circle)
        if number is None:
            _circle(group, at, 13.5, "none", **circle, stroke_opacity=0.35)
        else:
            self.number(group, at, number, ink)

    def slab(self, group: ElementTree.Element, side: Side, at: Spot) -> None:
        """Draw a checker that lies in the tray."""
        fill, ink = self.inks(side)
        self.box(*at, TRAY_WIDTH - 8, SLAB - 1, fill, 2, group, stroke=ink)

    def arrow(self, start: Spot, end: Spot) -> None:
        """Draw a bent arrow, light at its edges so that it stands out from what lies below it."""
        (x, y), (end_x, end_y) = start, end
        length = math.hypot(end_x - x, end_y - y) or 1
        # Bent towards the centre where it keeps to one half, or to the right where it crosses.
        bend = min(60, 0.25 * length) * (1 if (y + end_y) / 2 < CENTRE else -1)
        mid_x = (x + end_x) / 2 - bend * (end_y - y) / length
        mid_y = (y + end_y) / 2 + bend * abs(end_x - x) / length
        angle = math.atan2(end_y - mid_y, end_x - mid_x)

        def from_tip(back: float, aside: float) -> Spot:
            return (
                end_x - back * math.cos(angle) - aside * math.sin(angle),
                end_y - back * math.sin(angle) + aside * math.cos(angle),
            )

        neck_x, neck_y = from_tip(16, 0)
        path = f"M{x:.5g},{y:.5g} Q{mid_x:.5g},{mid_y:.5g} {neck_x:.5g},{neck_y:.5g}"
        head = [end, from_tip(20, 12), from_tip(20, -12)]
        for colour, wider in ((self.colours.lower, 4), (self.colours.arrow, 0)):
            line: dict[str, float | str] = {"stroke": colour, "stroke_linecap": "round"}
            _add(self.root, "path", d=path, fill="none", **line, stroke_width=6 + wider)
            self.polygon(head, colour, stroke=colour, stroke_width=wider, stroke_linejoin="round")

    def dice(self, dice: tuple[int, int], side: Side) -> None:
        """Draw the dice to the right hand of the side that has thrown them."""
        fill, ink = self.inks(side)
        left = self.table.bar + BAR_WIDTH if side is self.table.lower else self.table.left
        for die, aside in zip(dice, (-1, 1), strict=True):
            group = ElementTree.SubElement(self.root, "g")
            x = left + 3 * COLUMN + aside * (_DIE / 2 + 7)
            self.box(x, CENTRE, _DIE, _DIE, fill, 8, group, stroke=ink, stroke_width=1.5)
            for column, row in _PIPS[die]:
                _circle(group, (x + 11.5 * column, CENTRE + 11.5 * row), 4.5, ink)

    def inks(self, side: Side) -> tuple[str, str]:
        """Return the colours of a side's checkers and of what is drawn on them."""
        if side is self.table.lower:
            return self.colours.lower, self.colours.lower_ink
        return self.colours.upper, self.colours.upper_ink

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        radius: float,
        parent: ElementTree.Element | None = None,
        **more: float | str,
    ) -> None:
        """Draw a rectangle by its middle."""
        corner = {"x": x - width / 2, "y": y - height / 2, "width": width, "height": height}
        parent = self.root if parent is None else parent
        _add(parent, "rect", **corner, rx=radius, fill=fill, **more)

    def polygon(self, corners: Iterable[Spot], fill: str, **more: float | str) -> None:
        points = " ".join(f"{x:.5g},{y:.5g}" for x, y in corners)
        _add(self.root, "polygon", points=points, fill=fill, **more)

    def number(
        self, parent: ElementTree.Element, at: Spot, number: int, fill: str, size: float = 24
    ) -> None:
        """Write a number by its middle, which is 0.36 of the size above the base line."""
        x, y = at
        text = _add(parent, "text", x=x, y=y + 0.36 * size, fill=fill, font_size=size)
        text.text = str(number)


def _circle(
    parent: ElementTree.Element, at: Spot, radius: float, fill: str, **more: float | str
) -> None:
    x, y = at
    _add(parent, "circle", cx=x, cy=y, r=radius, fill=fill, **more)


def _add(parent: ElementTree.Element, tag: str, **attributes: float | str) -> ElementTree.Element:
    """Add an element; underscores in the names of attributes stand for hyphens."""
    texts = {
        name.replace("_", "-"): value if isinstance(value, str) else f"{value:.5g}"
        for name, value in attributes.items()
    }
    return ElementTree.SubElement(parent, tag, texts)
