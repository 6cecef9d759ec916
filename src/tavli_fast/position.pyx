# cython: language_level=3, boundscheck=False, wraparound=False, freethreading_compatible=True
"""One position: what it holds, what can be played from it, and what was played."""

from concurrent.futures import ThreadPoolExecutor
from operator import index

import numpy as np

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from tavli_fast._dispatch cimport KernelRules, kernel, kernel_rules
from tavli_fast._kernel cimport (
    BAR_IN_USE, GAME_ON, MOST_DOUBLE, MOST_MIXED, OPP_TOTAL, OWN_TOTAL, PINNED, SHARED_POINT,
    SPARE_IN_USE, Blockade, Freedom, Record,
)
from tavli_fast.steps cimport next_steps, refusal

from . import ids, notation, render, walls
from .reasons import Reason
from .rules import Ban, Contact
from .sharing import in_shares
from .svg import COLOURS
from .svg import board as draw_board

_SIDE = np.dtype([("checkers", "u1", (26,)), ("spare", "u1", (2,)), ("pinned", "<u4")])

POSITION = np.dtype([("own", _SIDE), ("opp", _SIDE)])
"""The 64-byte record, seen by the player on roll; each side's counts in its own numbering."""


_REASONS = [None, *Reason]
"""By the kernel's numbers, which follow their order."""


class IllegalPosition(ValueError):
    """A position the game's mechanics do not allow.

    `faults` lists every reason; `row` is the place in a batch, or None.
    """

    def __init__(self, faults, row=None):
        self.faults = tuple(faults)
        self.row = row
        super().__init__(("" if row is None else f"row {row}: ") + "; ".join(self.faults))

    def __reduce__(self):
        return IllegalPosition, (self.faults, self.row)


class IllegalMove(ValueError):
    """A move that cannot be played in this position with this roll."""


cdef list describe_faults(const Record *record, object ruleset, int faults):
    """Every reason for which a record is not a position of this game."""
    cdef const uint8_t *own = <const uint8_t *>record
    cdef const uint8_t *opp = own + 32
    cdef list reasons = []
    cdef int point, theirs
    if faults & OWN_TOTAL:
        reasons.append(f"own has {sum(own[:26])} checkers, not {ruleset.checkers}")
    if faults & OPP_TOTAL:
        reasons.append(f"opp has {sum(opp[:26])} checkers, not {ruleset.checkers}")
    if faults & SHARED_POINT:
        for point in range(1, 25):
            theirs = ruleset.movement.opp_point(point)
            if own[point] and opp[theirs]:
                reasons.append(
                    f"own point {point} is opp point {theirs}: both sides have checkers on it"
                )
    if faults & BAR_IN_USE:
        reasons.append(f"{ruleset.game} has no bar")
    if faults & PINNED and ruleset.contact is not Contact.PIN:
        reasons.append(f"{ruleset.game} has no pinned checkers")
    elif faults & PINNED:
        reasons += _pin_faults(
            list(own[:26]), list(opp[:26]), _pinned_points(own), _pinned_points(opp)
        )
    if faults & SPARE_IN_USE:
        reasons.append("the spare bytes are not zero")
    return reasons


cdef object refuse_record(const Record *record, KernelRules law, object row):
    """Raise what is wrong with a record, unless another thread has mended it since it was read."""
    cdef Record now = record[0]
    cdef int fault = kernel.faults(&now, &law.rules)
    if not fault:
        refuse_change()
    raise IllegalPosition(describe_faults(&now, law.ruleset, fault), row=row)


cdef object refuse_change():
    raise ValueError("an array was changed by another thread during the call")


cdef tuple _pinned_points(const uint8_t *side):
    return tuple(point for point in range(32) if side[28 + point // 8] >> point % 8 & 1)


def _pin_faults(own, opp, own_pinned, opp_pinned):
    """What is wrong with the pins of a position in contrary movement."""
    reasons = []
    for name, mine, his, pinned, others in (
        ("own", own, opp, own_pinned, opp_pinned), ("opp", opp, own, opp_pinned, own_pinned)
    ):
        for point in pinned:
            if not 1 <= point <= 24:
                reasons.append(f"{name}_pinned has point {point}; pins are on 1 to 24")
            elif mine[point] != 1 or not his[25 - point]:
                reasons.append(
                    f"{name} point {point} cannot be pinned: it takes one checker of {name} "
                    "under at least one of the other side"
                )
            elif name == "own" and 25 - point in others:
                reasons.append(f"own point {point} is opp point {25 - point}: both are pinned there")
    for point in range(1, 25):
        if own[point] and opp[25 - point] and not (point in own_pinned or 25 - point in opp_pinned):
            reasons.append(
                f"own point {point} is opp point {25 - point}: both sides have checkers on it, "
                "and neither is pinned"
            )
    return reasons


cdef KernelRules _NO_GAME = KernelRules()


cdef Position from_record(const Record *record, object ruleset, KernelRules law):
    cdef Position position = Position.__new__(Position)
    position.record = record[0]
    position.ruleset = ruleset
    position.law = law
    return position


cdef list single_steps(Position position, int number, uint32_t locked, uint32_t runner,
                       int head_taken):
    """Every single step by one number: position reached, hit, what is left free, (from, to)."""
    cdef Freedom freedom
    cdef Record reached
    cdef uint32_t sources
    cdef int point, hit
    cdef list found = []
    freedom.locked = locked
    freedom.runner = runner
    freedom.head_taken = head_taken
    sources = kernel.sources(&position.record, number, &position.law.rules, &freedom)
    for point in range(25, 0, -1):
        if sources >> point & 1:
            freedom.locked = locked
            freedom.runner = runner
            freedom.head_taken = head_taken
            reached = position.record
            hit = kernel.step(&reached, point, number, &position.law.rules, &freedom)
            found.append((
                from_record(&reached, position.ruleset, position.law),
                hit,
                (freedom.locked, freedom.runner, freedom.head_taken),
                (point, max(point - number, 0)),
            ))
    return found


cdef int read_roll(object roll, int *die, int *other) except -1:
    try:
        first, second = roll
        die[0] = index(first)
        other[0] = index(second)
    except (TypeError, ValueError, OverflowError):
        die[0] = 0
    if not (1 <= die[0] <= 6 and 1 <= other[0] <= 6):
        raise ValueError(f"a roll is two numbers from 1 to 6, not {roll!r}")
    return 0


cdef int read_numbers(object numbers, int die, int other) except -1:
    """How many numbers of a double are to be played: 4, unless fewer are left."""
    cdef int left = 0
    if numbers is None:
        return 4
    try:
        left = index(numbers)
    except (TypeError, OverflowError):
        pass
    if not 1 <= left <= 4 or die != other:
        raise ValueError(
            f"1 to 4 numbers of a double can be left, not {numbers!r} of ({die}, {other})"
        )
    return left


cdef tuple read_step(object step):
    """The points of a step, given with or without more about it."""
    try:
        start, end = map(index, step[:2])
    except (TypeError, ValueError, LookupError):
        start = end = 0
    if not (1 <= start <= 25 and 0 <= end <= 24):
        raise ValueError(f"a step is (from, to), from 25 (bar) to 0 (off), not {step!r}")
    return start, end


cdef class _Flag:
    """Something one thread raises and the kernel, in others, looks at."""

    cdef volatile int raised


def _count_share(Position position, depth, weighted, weight):
    cdef int stop = 0
    return weight * position._perft(depth, weighted, &stop)


cdef Record *new_rows(int64_t count) except NULL:
    cdef Record *rows = <Record *>PyMem_RawMalloc(count * sizeof(Record))
    if rows == NULL:
        raise MemoryError
    return rows


def _read_side(name, given, checkers, faults):
    """Turn a mapping or 26 counts into 26 counts, collecting what is wrong with them."""
    counts = [0] * 26
    if hasattr(given, "items"):
        pairs = list(given.items())
    else:
        try:
            given = list(given)
        except TypeError:
            faults.append(f"{name} is {given!r}, neither a mapping nor 26 counts")
            return counts
        pairs = list(enumerate(given))
        if len(given) != 26:
            faults.append(f"{name} has {len(given)} counts, not 26 (0 off, 1 to 24, 25 bar)")
            return counts
    seen = set()
    for point, count in pairs:
        try:
            point_index, number = index(point), index(count)
        except TypeError:
            faults.append(f"{name} {point!r}: {count!r} is not a point and a count")
            continue
        if not 0 <= point_index <= 25:
            faults.append(f"{name} has no point {point_index}; they are 0 (off) to 25 (bar)")
        elif not 0 <= number <= 255:
            faults.append(f"{name} has {number} checkers on point {point_index}")
        else:
            counts[point_index] = number
            seen.add(point_index)
    if 0 not in seen:
        counts[0] = max(0, checkers - sum(counts))
    return counts


def _read_pins(name, given, faults):
    """Turn points into a list of them, collecting what is wrong with them."""
    points = []
    try:
        given = list(given)
    except TypeError:
        faults.append(f"{name} is {given!r}, not points")
        return points
    for under in given:
        try:
            point = index(under)
        except TypeError:
            point = 0
        if 1 <= point <= 24:
            points.append(point)
        else:
            faults.append(f"{name} has point {under!r}; pins are on 1 to 24")
    return points


cdef object _not_begun(Position position, list made, int count, int die, int other, numbers):
    """What to raise for steps of which only so many can begin a legal move."""
    reason = position.explain(made[count], (die, other), made[:count], numbers)
    after = f" after {notation.format_move(made[:count])}" if count else ""
    return IllegalMove(
        f"{notation.format_move(made[count:count + 1])} cannot be played with "
        f"{die}-{other}{after}: {reason.rule}"
    )


@cython.final
cdef class Move:
    """All the steps of one turn, and the position they lead to.

    `steps` are (from, to) pairs, one a number played, in an order in which they can be played; 25
    is the bar and 0 off. `hits` are the mover's points on which a blot is hit, or lies newly pinned
    when the move is over. `after` is the position reached, still seen by the mover. `str` gives
    standard notation.

    >>> from tavli_fast import PORTES, Position
    >>> move = Position.start(PORTES).parse_move("8/5 6/5", (3, 1))
    >>> move.steps, str(move)
    (((8, 5), (6, 5)), '8/5 6/5')
    """

    cdef readonly tuple steps
    cdef readonly tuple hits
    cdef readonly Position after

    def __init__(self, steps, hits, Position after not None):
        self.steps = tuple([read_step(step) for step in steps])
        self.hits = tuple([index(point) for point in hits])
        self.after = after

    def __str__(self):
        return notation.format_move(self.steps, self.hits)

    def __repr__(self):
        return f"Move({self.steps!r}, {self.hits!r}, {self.after!r})"

    def __eq__(self, other):
        if not isinstance(other, Move):
            return NotImplemented
        return (
            self.steps == (<Move>other).steps
            and self.hits == (<Move>other).hits
            and self.after == (<Move>other).after
        )

    def __hash__(self):
        return hash((self.steps, self.after))

    def __reduce__(self):
        return Move, (self.steps, self.hits, self.after)


@cython.final
cdef class Position:
    """A position, seen by the player on roll; immutable.

    `own` and `opp` are mappings from point to count, or 26 counts (0 off, 1 to 24, 25 bar), each
    in that side's own numbering; in a mapping, what is missing to the full number is borne off.
    Raises `IllegalPosition`, with every fault at once, for what the game's mechanics do not
    allow. Whether play could reach it is not judged.

    >>> from tavli_fast import FEVGA, Position
    >>> p = Position(FEVGA, own={24: 14, 13: 1}, opp={24: 15})
    >>> p.pip_counts, p.points_won
    ((349, 360), None)
    >>> Position(FEVGA, own={24: 14, 12: 1}, opp={24: 16})
    Traceback (most recent call last):
        ...
    tavli_fast.position.IllegalPosition: opp has 16 checkers, not 15; own point 12 is opp point \
24: both sides have checkers on it
    """

    def __cinit__(self):
        # Until it is told what it is, a position is of a game without checkers, and over.
        self.law = _NO_GAME

    def __init__(self, ruleset, own, opp, own_pinned=(), opp_pinned=()):
        if self.law is not _NO_GAME:
            raise TypeError("a Position does not change")
        cdef list faults = []
        cdef uint8_t *bytes_ = <uint8_t *>&self.record
        cdef int point
        cdef KernelRules law = kernel_rules(ruleset)
        memset(&self.record, 0, sizeof(Record))
        own_counts = _read_side("own", own, ruleset.checkers, faults)
        opp_counts = _read_side("opp", opp, ruleset.checkers, faults)
        for point in range(26):
            bytes_[point] = own_counts[point]
            bytes_[32 + point] = opp_counts[point]
        for name, pinned, side in (("own_pinned", own_pinned, 0), ("opp_pinned", opp_pinned, 32)):
            for under in _read_pins(name, pinned, faults):
                bytes_[side + 28 + under // 8] |= 1 << under % 8
        if not faults:
            faults = describe_faults(
                &self.record, ruleset, kernel.faults(&self.record, &law.rules)
            )
        if faults:
            raise IllegalPosition(faults)
        self.ruleset = ruleset
        self.law = law

    @classmethod
    def start(cls, ruleset):
        """Return the position in which a game of this ruleset begins.

        >>> from tavli_fast import PORTES, Position
        >>> Position.start(PORTES).pip_counts
        (167, 167)
        """
        kernel_rules(ruleset)
        return cls(ruleset, ruleset.start, ruleset.start)

    @classmethod
    def parse(cls, text, ruleset):
        """Return the position a text stands for: `start`, the form of `text`, or any ID.

        The ID may be one of `id`, `to_gnubg_id` or `to_xgid`. Raises `NotationError` for a text
        that cannot be read, and `IllegalPosition` for one that stands for no position of the game.

        >>> from tavli_fast import PORTES, Position
        >>> Position.parse("start", PORTES) == Position.parse("4HPwATDgc/ABMA", PORTES)
        True
        """
        kernel_rules(ruleset)
        return cls(ruleset, *ids.parse_any(text, ruleset))

    @classmethod
    def from_id(cls, text):
        """Return the position that an ID of this library stands for, which tells its game too.

        Raises `NotationError` for a text that is not such an ID, and `IllegalPosition` for one
        that stands for no position of its game.

        >>> from tavli_fast import Position
        >>> Position.from_id("fevga(runner=pass):AACA_z8AAID_Pw").ruleset
        find_ruleset('fevga(runner=pass)')
        """
        ruleset, sides = ids.parse_id(text)
        return cls(ruleset, *sides)

    @classmethod
    def from_gnubg_id(cls, text, ruleset):
        """Return the position that a position ID of GNU Backgammon stands for.

        The ruleset is a game of hits in contrary movement; who is missing is off. Raises like
        `parse`.

        >>> from tavli_fast import BACKGAMMON, Position
        >>> Position.from_gnubg_id("sGfwATDgc/ABMA", BACKGAMMON).pip_counts
        (167, 163)
        """
        kernel_rules(ruleset)
        return cls(ruleset, *ids.parse_gnubg_id(text, ruleset))

    @classmethod
    def from_xgid(cls, text, ruleset):
        """Return the position that an XGID stands for, and its two dice or None.

        The position is seen by the side whose turn it is. The ruleset is a game of hits in
        contrary movement; who is missing is off. Raises like `parse`.

        >>> from tavli_fast import BACKGAMMON, Position
        >>> xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10"
        >>> position, roll = Position.from_xgid(xgid, BACKGAMMON)
        >>> position == Position.start(BACKGAMMON), roll
        (True, (5, 2))
        """
        kernel_rules(ruleset)
        sides, roll = ids.parse_xgid(text, ruleset)
        return cls(ruleset, *sides), roll

    @property
    def own(self):
        """Checkers of the player on roll, 26 counts by own point: 0 off, 1 to 24, 25 bar."""
        return tuple((<const uint8_t *>&self.record)[:26])

    @property
    def opp(self):
        """Checkers of the other player, 26 counts by his own numbering."""
        return tuple((<const uint8_t *>&self.record)[32:58])

    @property
    def own_pinned(self):
        """Own points whose single bottom checker is pinned."""
        return _pinned_points(<const uint8_t *>&self.record)

    @property
    def opp_pinned(self):
        """The same for the other player, in his own numbering."""
        return _pinned_points(<const uint8_t *>&self.record + 32)

    @property
    def pip_counts(self):
        """Pips that each side still has to travel, as (own, opp); a checker on the bar has 25."""
        cdef const uint8_t *counts = <const uint8_t *>&self.record
        cdef int point, own = 0, opp = 0
        for point in range(26):
            own += point * counts[point]
            opp += point * counts[32 + point]
        return own, opp

    @property
    def points_won(self):
        """None while the game is on; else the points won by the player on roll, negative if lost.

        1, or 2 if the loser has borne off none; where the ruleset counts `triple`, 3 if such a
        loser has a checker on the bar or in the winner's home; 0 if, impossibly in play, both
        have finished.

        >>> from tavli_fast import PORTES, Position
        >>> Position(PORTES, own={}, opp={24: 15}).points_won
        2
        >>> Position(PORTES, own={6: 1}, opp={}).points_won
        -1
        """
        cdef int won = kernel.points(&self.record, &self.law.rules)
        return None if won == GAME_ON else won

    def flip(self):
        """Return the same position seen by the other player.

        >>> from tavli_fast import FEVGA, Position
        >>> p = Position(FEVGA, own={24: 14, 13: 1}, opp={24: 15})
        >>> p.flip().opp == p.own
        True
        """
        cdef Record flipped
        memcpy(&flipped.lane[0], &self.record.lane[4], 32)
        memcpy(&flipped.lane[4], &self.record.lane[0], 32)
        return from_record(&flipped, self.ruleset, self.law)

    def afterstates(self, roll, numbers=None):
        """Return every distinct position this roll can lead to, seen by the mover.

        `roll` is two numbers from 1 to 6, in any order; `numbers` says how many of a double are
        left to play, where it is not all four. Where nothing can be played, and in a finished
        game, the only one is the position itself. The order is always the same, but means nothing.

        >>> from tavli_fast import PORTES, Position
        >>> len(Position.start(PORTES).afterstates((3, 1)))
        16
        """
        cdef Record mixed_rows[MOST_MIXED]
        cdef Record *rows = mixed_rows
        cdef int die, other, left
        cdef int64_t count, at
        cdef uint8_t played
        cdef list found
        read_roll(roll, &die, &other)
        left = read_numbers(numbers, die, other)
        if die == other:
            rows = new_rows(MOST_DOUBLE)
        try:
            count = kernel.afterstates(
                &self.record, die, other, left, &self.law.rules, 0, rows, &played
            )
            found = [None] * count
            for at in range(count):
                found[at] = from_record(&rows[at], self.ruleset, self.law)
        finally:
            if die == other:
                PyMem_RawFree(rows)
        return found

    def moves(self, roll, numbers=None):
        """Return one `Move` for every distinct afterstate of this roll, or of `numbers` of it.

        A lost turn is one move without steps.

        >>> from tavli_fast import FEVGA, Position
        >>> [str(move) for move in Position.start(FEVGA).moves((6, 5))]
        ['24/13']
        """
        cdef int die, other
        read_roll(roll, &die, &other)
        wanted = {after: None for after in self.afterstates((die, other), numbers)}
        # Every turn under way, reached by one number more each time; the first way found stays.
        high, low = max(die, other), min(die, other)
        left = (high, low)
        if high == low:
            left = (high,) * read_numbers(numbers, die, other)
        under_way = {(self, 0, 0, 0, left): ((), ())}
        levels = []
        while under_way:
            levels.append(under_way)
            further = {}
            for (position, locked, runner, head_taken, numbers), (steps, hits) in under_way.items():
                for number in dict.fromkeys(numbers):
                    rest = list(numbers)
                    rest.remove(number)
                    for reached, hit, freedom, step in single_steps(
                        position, number, locked, runner, head_taken
                    ):
                        further.setdefault(
                            (reached, *freedom, tuple(rest)),
                            ((*steps, step), (*hits, step[1]) if hit else hits),
                        )
            under_way = further
        for level in reversed(levels):
            for (position, *_), found in level.items():
                if position in wanted and wanted[position] is None:
                    wanted[position] = found
        return [
            Move(steps, self._pins_by(after) if self.law.rules.pins else hits, after)
            for after, (steps, hits) in wanted.items()
        ]

    def _pins_by(self, Position after):
        """Points of new pins. One in passing leaves no trace, and another way may not make it."""
        before = self.opp_pinned
        return tuple([25 - point for point in after.opp_pinned if point not in before])

    def parse_move(self, text, roll, numbers=None):
        """Return the legal move that a text in standard notation means.

        Steps may stand in any order, merged ("24/13") or single, with or without `*`, `(2)`,
        `bar` and `off`. Raises `NotationError` for a text that cannot be read and `IllegalMove`
        for a move that cannot be played with this roll.

        >>> from tavli_fast import PORTES, Position
        >>> str(Position.start(PORTES).parse_move("6/5, 8/5", (1, 3)))
        '8/5 6/5'
        """
        cdef int die, other
        read_roll(roll, &die, &other)
        legal = self.moves((die, other), numbers)
        matches = notation.match_move(text, legal, self)
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise IllegalMove(
                f"{text!r} may mean {' or '.join(str(move) for move in matches)}; say which"
            )
        raise IllegalMove(
            f"{text!r} cannot be played with {die}-{other}; {len(legal)} moves can, "
            f"such as {legal[0]}"
            if len(legal) > 1
            else f"{text!r} cannot be played with {die}-{other}; the only move is {legal[0]}"
        )

    def play(self, move, roll, numbers=None):
        """Return the position after a move, given as `Move` or text, checked against the rules.

        The result is still seen by the mover; `flip` it for the next player. Raises like
        `parse_move`.

        >>> from tavli_fast import FEVGA, Position
        >>> Position.start(FEVGA).play("24/13", (6, 5)).own[13]
        1
        """
        cdef int die, other
        read_roll(roll, &die, &other)
        if isinstance(move, Move):
            if (<Move>move).after not in self.afterstates((die, other), numbers):
                raise IllegalMove(f"{move} cannot be played with {die}-{other} from here")
            return (<Move>move).after
        if not isinstance(move, str):
            raise ValueError(f"a move is a Move or a text, not {move!r}")
        return self.parse_move(move, (die, other), numbers).after

    def primes(self):
        """Return the walls of two points and more that either side holds, as a list of `Prime`.

        Own ones come first, and each side's as the other player meets them. A side holds a point
        if the other may not land there. Points are by the numbers of the player the wall stops.

        >>> from tavli_fast import FEVGA, Position
        >>> p = Position(FEVGA, own={1: 1, 24: 13, 23: 1}, opp={24: 14, 10: 1})
        >>> [(prime.length, prime.first, prime.last, prime.behind) for prime in p.primes()]
        [(3, 13, 11, 14)]
        """
        cdef uint32_t own, opp
        kernel.walls(&self.record, &self.law.rules, &own, &opp)
        return [*walls.primes("own", own, self.opp), *walls.primes("opp", opp, self.own)]

    def blockade(self):
        """Return the measures of both sides' walls and what the 36 rolls do, as a `Blockade`.

        >>> from tavli_fast import PORTES, Position
        >>> p = Position(PORTES, own={25: 1, 6: 14}, opp={7: 2, 6: 3, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2})
        >>> p.blockade().opp, p.blockade().pass_rolls
        (Walls(longest=7, live=7, trapped=1), 36)
        """
        cdef Blockade found
        cdef int fault
        kernel.blockades(&self.record, 1, &self.law.rules, True, &found, &fault)
        return walls.Blockade(
            own=walls.Walls(found.own.longest, found.own.live, found.own.trapped),
            opp=walls.Walls(found.opp.longest, found.opp.live, found.opp.trapped),
            pass_rolls=found.rolls.pass_rolls,
            partial_rolls=found.rolls.partial_rolls,
            full_rolls=found.rolls.full_rolls,
            escape_rolls=found.escape_rolls,
            forbidden=Ban(found.forbidden),
        )

    @property
    def in_contact(self):
        """Whether there is a point that both sides stand on or may come to; if not, it is a race.

        >>> from tavli_fast import PORTES, Position
        >>> Position(PORTES, own={12: 15}, opp={12: 15}).in_contact
        False
        """
        cdef uint8_t found
        cdef int fault
        kernel.in_contact(&self.record, 1, &self.law.rules, &found, &fault)
        return bool(found)

    def next_steps(self, roll, played=(), numbers=None):
        """Return the single steps that can still end in a legal move, the rearmost first.

        `played` are the steps of this turn so far, as (from, to) or as given here, in any order;
        leaving out the last takes it back. Each `Step` that can follow is there once, and the list
        is empty when the turn is over; where `bear_off=optional` lets a move stop early, what it
        leaves out is listed, but not forced. Raises `IllegalMove` for `played` that begins no legal
        move. Which moves are legal is told in `RULES.md`.

        >>> from tavli_fast import PORTES, Position
        >>> start = Position.start(PORTES)
        >>> [(step.start, step.end) for step in start.next_steps((5, 5))]
        [(13, 8), (8, 3)]
        >>> start.next_steps((6, 2), [(24, 18), (13, 11)])
        []
        """
        cdef int die, other, left, count
        cdef list made = [read_step(step) for step in played]
        read_roll(roll, &die, &other)
        left = read_numbers(numbers, die, other)
        found, count = next_steps(&self.record, self.law, die, other, left, made)
        if count < len(made):
            raise _not_begun(self, made, count, die, other, numbers)
        return found

    def explain(self, step, roll, played=(), numbers=None):
        """Return the `Reason` why a step cannot be played next, None if it can.

        `step` is a (from, to) pair, 25 the bar and 0 off; the rest is as in `next_steps`, which
        lists what can. Of several reasons it is the first in the order of law, as `Reason` has it
        from `RULES.md`. Raises like `next_steps`.

        >>> from tavli_fast import PORTES, Position
        >>> reason = Position.start(PORTES).explain((24, 19), (5, 3))
        >>> reason.value, reason.rule
        ('closed_point', 'the opponent holds that point')
        """
        cdef int die, other, left, start, end, code, count
        cdef list made = [read_step(each) for each in played]
        start, end = read_step(step)
        read_roll(roll, &die, &other)
        left = read_numbers(numbers, die, other)
        code, count = refusal(&self.record, self.law, die, other, left, made, start, end)
        if count < len(made):
            raise _not_begun(self, made, count, die, other, numbers)
        return _REASONS[code]

    def perft(self, depth, weighted=False, threads=1, progress=None, executor=None):
        """Count the paths of `depth` rolls from here.

        Over the 21 distinct rolls, or with `weighted` over all 36. A lost turn counts one, and so
        does a finished game at any depth. `threads` share the work, or any `executor` of
        `concurrent.futures` does. `progress` is called as `progress(done, total)` with the parts
        of the work done so far.

        >>> from tavli_fast import FEVGA, Position
        >>> Position.start(FEVGA).perft(2)
        479
        """
        cdef int plies, stop = 0
        try:
            depth, threads = index(depth), index(threads)
        except TypeError:
            raise ValueError(
                f"depth and threads are integers, not {depth!r} and {threads!r}"
            ) from None
        if not 0 <= depth <= 64:
            raise ValueError(f"depth is 0 to 64, not {depth}")
        if threads < 1:
            raise ValueError(f"threads is at least 1, not {threads}")
        plies = depth
        weigh = bool(weighted)
        if plies < 3 or self.points_won is not None:
            return self._perft(plies, weigh, &stop)
        parts = [
            (child.flip(), 2 if weigh and die != other else 1)
            for die in range(1, 7)
            for other in range(1, die + 1)
            for child in self.afterstates((die, other))
        ]
        if executor is not None:
            shares = [(position, plies - 1, weigh, weight) for position, weight in parts]
            return sum(in_shares(_count_share, shares, executor=executor, progress=progress))
        flag = _Flag()

        def count(part):
            return part[1] * (<Position>part[0])._perft(plies - 1, weigh, &(<_Flag>flag).raised)

        total = 0
        with ThreadPoolExecutor(threads) as pool:
            try:
                for done, found in enumerate(pool.map(count, parts), 1):
                    total += found
                    if progress is not None:
                        progress(done, len(parts))
            except BaseException:
                # Ctrl-C above all: the parts under way stop at their next position.
                (<_Flag>flag).raised = 1
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return total

    cdef object _perft(self, int depth, int weighted, const volatile int *stop):
        cdef Record *arena = new_rows(MOST_DOUBLE * max(depth, 1))
        cdef uint64_t total
        with nogil:
            total = kernel.perft(&self.record, depth, weighted, &self.law.rules, arena, stop)
        PyMem_RawFree(arena)
        return total

    @property
    def text(self):
        """The position in one line, as `parse` and the command line read it.

        >>> from tavli_fast import PORTES, Position
        >>> Position.start(PORTES).text
        '24:2,13:5,8:3,6:5/24:2,13:5,8:3,6:5'
        """
        return notation.format_position(self)

    @property
    def id(self):
        """The position in one word with its game and options, as `from_id` reads it.

        Two positions have the same ID if they are equal, and only then. Raises `NotationError`
        for a ruleset of one's own making.

        >>> from tavli_fast import PLAKOTO, Position
        >>> Position(PLAKOTO, {24: 14, 5: 1}, {24: 13, 20: 2}, own_pinned=[5]).id
        'plakoto:AAAY_j8QAAD_PwE'
        """
        return ids.format_id(self)

    def to_gnubg_id(self):
        """Return GNU Backgammon's position ID, 14 letters.

        Raises `NotationError` unless the game is one of hits in contrary movement with at most
        15 checkers a side.

        >>> from tavli_fast import PORTES, Position
        >>> Position.start(PORTES).to_gnubg_id()
        '4HPwATDgc/ABMA'
        """
        return ids.format_gnubg_id(self)

    def to_xgid(self, roll=None):
        """Return the XGID of the position, with the roll if one is given.

        The side on roll is below; there is no match, and no cube is turned. Raises like
        `to_gnubg_id`.

        >>> from tavli_fast import PORTES, Position
        >>> Position.start(PORTES).to_xgid((3, 1))
        'XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10'
        """
        cdef int die, other
        if roll is None:
            return ids.format_xgid(self)
        read_roll(roll, &die, &other)
        return ids.format_xgid(self, (die, other))

    def svg(self, *, roll=None, move=None, highlight=(), below="own", colours=COLOURS, width=640):
        """Return the position as an SVG picture: what `svg.board` makes of the same arguments.

        >>> from tavli_fast import FEVGA, Position
        >>> picture = Position.start(FEVGA).svg(roll=(6, 5), highlight=[18, 13], width=400)
        >>> picture.splitlines()[1].strip()
        '<title>Fevga: own to play 6-5</title>'
        """
        return draw_board(
            self, roll=roll, move=move, highlight=highlight, below=below, colours=colours, width=width
        )

    def __str__(self):
        return render.board(self)

    def _repr_svg_(self):
        """The picture that notebooks show; `svg` draws others."""
        return self.svg()

    def __repr__(self):
        sides = [
            "{" + ", ".join(f"{point}: {side[point]}" for point in range(25, 0, -1) if side[point]) + "}"
            for side in (self.own, self.opp)
        ]
        pins = "".join(
            f", {name}={points}"
            for name, points in (("own_pinned", self.own_pinned), ("opp_pinned", self.opp_pinned))
            if points
        )
        return f"Position({self.ruleset!r}, own={sides[0]}, opp={sides[1]}{pins})"

    def __eq__(self, other):
        if not isinstance(other, Position):
            return NotImplemented
        return (
            memcmp(&self.record, &(<Position>other).record, sizeof(Record)) == 0
            and (self.ruleset is (<Position>other).ruleset or self.ruleset == (<Position>other).ruleset)
        )

    def __hash__(self):
        return hash(PyBytes_FromStringAndSize(<const char *>&self.record, sizeof(Record)))

    def __reduce__(self):
        return Position, (self.ruleset, self.own, self.opp, self.own_pinned, self.opp_pinned)
