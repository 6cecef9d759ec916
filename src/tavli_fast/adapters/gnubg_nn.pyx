# cython: language_level=3, wraparound=False, freethreading_compatible=True
"""The functions of the package gnubg-nn that are about moves and IDs, under the same names.

A script that only moves and converts changes one line, to `from tavli_fast.adapters import
gnubg_nn`, and gets the same values in the same order. gnubg-nn itself is not needed. A board is
two lists of 25 counts, the other side's first: index 0 to 23 is a side's own point 1 to 24, index
24 its bar; who is missing is off. A position key is 20 letters, a position ID 14.

Where gnubg-nn makes something of what is no position (over 15 checkers, a point of both sides, a
die of 7), this raises `ValueError`; so it does for the moves of a game that the other side has
won. What is not here, neural evaluation above all, raises `AttributeError`.

>>> board = board_from_position_id("4HPwATDgc/ABMA")
>>> moves(board, 6, 5)[0], len(moves(board, 6, 5))
('OAHDPAABDAOAHDPAADCA', 7)
>>> moves(board, 6, 5, 1)[0][1]
((24, 18), (18, 13))
"""

import random
from collections.abc import Sequence
from math import comb
from operator import index

cimport cython
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.long cimport PyLong_AsLongAndOverflow
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.sequence cimport PySequence_Fast_GET_SIZE, PySequence_Fast_ITEMS
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from cpython.unicode cimport PyUnicode_1BYTE_DATA, PyUnicode_New
from libc.stdint cimport int8_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from tavli_fast._dispatch cimport KernelRules, kernel, kernel_rules
from tavli_fast._kernel cimport MOST_DOUBLE, MOST_MIXED, Record
from tavli_fast.position cimport describe_faults

from ..ids import parse_gnubg_id
from ..position import IllegalPosition
from ..rules import BACKGAMMON

cdef extern from "Python.h":
    # With NULL, numbers too large are clipped.
    Py_ssize_t PyNumber_AsSsize_t(object number, PyObject *error) except? -1

cdef extern from "_bits.h":
    int highest_bit(uint32_t mask)
    int lowest_bit(uint32_t mask)
    int bits(uint32_t mask)
    ctypedef struct Side:
        uint32_t held     # bit i: byte i of 32 is not 0
    void side_of(const uint8_t *bytes, Side *side)

__all__ = [
    "bearoff_id_2_pos",
    "board_from_position_id",
    "board_from_position_key",
    "boardfromid",
    "boardfromkey",
    "key_of_board",
    "moves",
    "position_id",
    "roll",
]

cdef enum:
    POINTS = 25
    CHECKERS = 15
    HOME = 6
    OPP = 32              # where a record has the other side
    DICE = 6
    MOST_STEPS = 4        # also the numbers of a double
    KEY_BYTES = 10
    KEY_BITS = 80
    KEY_LETTERS = 20
    ID_LETTERS = 14
    LETTER_A = 65
    ASCII = 128
    OTHER_FIRST = 1 << 20 # a bit of a way

_BEAROFF_IDS = comb(CHECKERS + HOME, HOME)

cdef KernelRules _LAW = kernel_rules(BACKGAMMON)

_ABSENT = frozenset(
    {
        *("best_move", "bestmove", "pub_best_move", "pub_eval_score", "classify", "probabilities"),
        *("rollout", "cubeful_rollout", "one_checker_race", "evaluate_cube_decision"),
        *("bearoff_probabilities", "equities", "Trainer", "net_load", "net_use", "net_save", "set"),
        *("c_bearoff", "c_contact", "c_crashed", "c_over", "c_race"),
        *("p_0plus1", "p_1sbear", "p_1srace", "p_bearoff", "p_osr", "p_prune", "p_race"),
        *("ro_auto", "ro_bearoff", "ro_over", "ro_race"),
    }
)


def __getattr__(name):
    text = f"module {__name__!r} has no attribute {name!r}"
    if name in _ABSENT:
        text += ": it is for evaluation, which only gnubg-nn itself does"
    raise AttributeError(text)


# Moves


ctypedef struct Place:
    # where a result stands in gnubg-nn's order, and which it is
    uint32_t way          # as `find_way` puts it
    uint32_t row


ctypedef struct Way:
    uint32_t sources      # five bits a step, the first ones highest: 26 less the point; 0: none
    int steps
    int highest           # where nobody may be left above, since a number larger than it bears off
    bint fits             # it changes the counts as asked


def moves(board, die1, die2, verbose=0, /):
    """Return the distinct positions a roll can lead to, seen by the mover, as position keys.

    With `verbose`, each with its steps, as pairs (from, to), 25 the bar and 0 off. The order is
    gnubg-nn's: moves in which `die1` plays the rearmost checker moved come first, and among
    those the rearmost first. A lost turn has none; a game the mover has won has one without
    steps. Raises `ValueError` for what is no board or no roll, and for a game the mover has lost.

    >>> moves([[0] * 24 + [1], [1, 1] + [0] * 23], 2, 1, 1)
    (('AAAAAAABAAAAAAAAAAAA', ((2, 0), (1, 0))), ('AAAAAAAFAAAAAAAAAAAA', ((2, 1), (1, 0))))
    """
    cdef Py_ssize_t first = PyNumber_AsSsize_t(die1, NULL), second = PyNumber_AsSsize_t(die2, NULL)
    cdef bint wordy = PyNumber_AsSsize_t(verbose, NULL) != 0
    cdef Record before
    cdef Record mixed_rows[MOST_MIXED]
    cdef Place mixed_places[MOST_MIXED]
    cdef Record *rows = mixed_rows
    cdef Place *places = mixed_places
    cdef int faults
    read_board(board, &before)
    if (<uint8_t *>&before)[OPP] == CHECKERS:
        raise ValueError("the game is over: the other side has no checkers left")
    faults = kernel.faults(&before, &_LAW.rules)
    if faults:
        raise IllegalPosition(describe_faults(&before, BACKGAMMON, faults))
    if not (1 <= first <= DICE and 1 <= second <= DICE):
        raise ValueError(f"a roll is two numbers from 1 to 6, not {(die1, die2)}")
    if first != second:
        return play(&before, first, second, wordy, rows, places)
    rows = <Record *>PyMem_RawMalloc(MOST_DOUBLE * (sizeof(Record) + sizeof(Place)))
    if rows == NULL:
        raise MemoryError
    places = <Place *>(rows + MOST_DOUBLE)
    try:
        return play(&before, first, second, wordy, rows, places)
    finally:
        PyMem_RawFree(rows)


cdef tuple play(
    const Record *before, int die, int other, bint wordy, Record *rows, Place *places
):
    """What `moves` returns; `rows` and `places` are room for all results."""
    cdef const uint8_t *start = <const uint8_t *>before
    cdef int opp_bits = POINTS + CHECKERS - start[OPP]
    cdef uint64_t opp = unary(start + OPP)
    cdef const Record *row
    cdef int64_t count, at
    cdef uint8_t played
    cdef tuple found
    cdef str key
    count = kernel.afterstates(before, die, other, MOST_STEPS, &_LAW.rules, 0, rows, &played)
    if not played and start[0] != CHECKERS:
        return ()
    for at in range(count):
        places[at].way = find_way(before, &rows[at], die, other)
        places[at].row = <uint32_t>at
    put_in_order(places, count)
    found = PyTuple_New(count)
    for at in range(count):
        row = &rows[places[at].row]
        if memcmp(&row.lane[4], &before.lane[4], OPP) == 0:
            key = key_of(opp, opp_bits, unary(<const uint8_t *>row))
        else:
            key = key_of(unary(<const uint8_t *>row + OPP), opp_bits, unary(<const uint8_t *>row))
        if wordy:
            put(found, at, (key, steps_of(places[at].way, die, other)))
        else:
            put(found, at, key)
    return found


cdef inline void put(tuple found, Py_ssize_t at, object item):
    Py_INCREF(item)
    PyTuple_SET_ITEM(found, at, item)


cdef uint32_t find_way(const Record *before, const Record *after, int die, int other) noexcept:
    """How one record leads to another: the sources of the steps, and `OTHER_FIRST` or not.

    Every move can be played from the rearmost checker on, with one die first or the other. A way
    of more steps is preferred: bearing off, one number may seem to do what took two. As a number,
    the way is the lower, the earlier gnubg-nn has the result.
    """
    cdef const uint8_t *start = <const uint8_t *>before
    cdef const uint8_t *end = <const uint8_t *>after
    cdef int8_t leaving[OPP]
    cdef Side side
    cdef uint32_t changed
    cdef int point
    cdef Way way, other_way
    # How many checkers have to leave each point, or come to it, and which points they are.
    for point in range(OPP):
        leaving[point] = <int8_t>(start[point] - end[point])
    side_of(<uint8_t *>leaving, &side)
    changed = side.held & ~1u
    if die == other:
        play_from_rear(leaving, changed, die, die, MOST_STEPS, &way)
        return way.sources
    play_from_rear(leaving, changed, die, other, 2, &way)
    play_from_rear(leaving, changed, other, die, 2, &other_way)
    if way.fits and other_way.fits:
        if other_way.steps > way.steps:
            way.fits = not leads(start, end, other, die, &other_way)
        else:
            way.fits = leads(start, end, die, other, &way)
    return way.sources if way.fits else OTHER_FIRST | other_way.sources


cdef inline void play_from_rear(
    const int8_t *change, uint32_t changed, int die, int other, int numbers, Way *way
) noexcept:
    cdef int8_t leaving[OPP]
    cdef int number = die, source, end
    memcpy(leaving, change, OPP)
    way.sources = way.steps = 0
    way.highest = POINTS
    while changed and way.steps < numbers:
        source = highest_bit(changed)
        way.sources |= <uint32_t>(POINTS + 1 - source) << (15 - 5 * way.steps)
        way.steps += 1
        leaving[source] -= 1
        changed ^= <uint32_t>(leaving[source] == 0) << source
        end = source - number
        if end > 0:
            leaving[end] += 1
            changed = changed & ~(1u << end) | <uint32_t>(leaving[end] != 0) << end
        elif end < 0:
            way.highest = source
        number = other
    way.fits = not changed


cdef bint leads(
    const uint8_t *before, const uint8_t *after, int die, int other, const Way *way
) noexcept:
    """Whether a way that changes the mover's counts as asked is legal, and hits whom it must."""
    cdef const uint8_t *opp_before = before + OPP
    cdef const uint8_t *opp_after = after + OPP
    cdef uint32_t hit = 0
    cdef int point, step, number = die
    for step in range(way.steps):
        point = source_of(way.sources, step) - number
        number = other
        if point > 0 and opp_before[POINTS - point]:
            if opp_before[POINTS - point] > 1 or opp_after[POINTS - point]:
                return False
            hit |= 1u << point
    for point in range(way.highest + 1, POINTS + 1):
        if after[point]:
            return False
    return bits(hit) == opp_after[POINTS] - opp_before[POINTS]


cdef inline int source_of(uint32_t way, int step) noexcept:
    """The point that a step of a way leaves; 26 where the way has ended."""
    return POINTS + 1 - (way >> (15 - 5 * step) & 31)


cdef void put_in_order(Place *places, size_t count) noexcept:
    """Sort by the way, which no two results share: insertion, with gaps that shrink to 1."""
    cdef size_t gap = 1, at, to
    cdef Place place
    while gap < count // 9:
        gap = 3 * gap + 1
    while gap:
        for at in range(gap, count):
            place = places[at]
            to = at
            while to >= gap and places[to - gap].way > place.way:
                places[to] = places[to - gap]
                to -= gap
            places[to] = place
        gap //= 3


# Every step there is, by its source and its number.
cdef tuple _STEPS = tuple(
    (source, max(source - number, 0)) for source in range(POINTS + 1) for number in range(DICE + 1)
)


cdef tuple steps_of(uint32_t way, int die, int other):
    cdef int numbers = 0, step
    cdef tuple steps
    while numbers < MOST_STEPS and source_of(way, numbers) <= POINTS:
        numbers += 1
    if way & OTHER_FIRST:
        die, other = other, die
    steps = PyTuple_New(numbers)
    for step in range(numbers):
        put(steps, step, _STEPS[source_of(way, step) * (DICE + 1) + die])
        die = other
    return steps


# Boards, keys and IDs

cdef bytes _ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
# The other way round; 255 is no letter of it.
cdef bytes _VALUES = bytes([_ALPHABET.find(letter) & 255 for letter in range(ASCII)])


def board_from_position_id(pos_id, /):
    """Return the board that a position ID of GNU Backgammon stands for.

    Raises `ValueError` for a text that is none.

    >>> board_from_position_id("sGfwATDgc/ABMA")[0][4:6]
    [2, 4]
    """
    cdef uint8_t data[KEY_BYTES]
    cdef uint8_t counts[KEY_BITS]
    must_be_text(pos_id)
    if read_id(<str>pos_id, data) and read_runs(data, counts):
        return [list_of(counts), list_of(&counts[POINTS])]
    # This says what is wrong, unless it is no more than spaces around the ID.
    own, opp, *_ = parse_gnubg_id(pos_id, BACKGAMMON)
    return [list(opp[1:]), list(own[1:])]


def board_from_position_key(key, /):
    """Return the board that a position key stands for, as tuples.

    Raises `ValueError` for a text that is none.

    >>> board_from_position_key("OAHDPAABDAOAHDPAABDA")[1].index(2)
    23
    """
    cdef uint8_t data[KEY_BYTES]
    cdef uint8_t counts[KEY_BITS]
    must_be_text(key)
    if not read_key(<str>key, data):
        raise ValueError(f"{key!r} is not a position key; one is 20 letters of A to P")
    if not read_runs(data, counts):
        raise ValueError(f"the position key {key!r} is damaged")
    return tuple_of(counts), tuple_of(&counts[POINTS])


def key_of_board(board, /):
    """Return the position key of a board.

    Raises `ValueError` for what is no board.

    >>> key_of_board(board_from_position_id("4HPwATDgc/ABMA"))
    'OAHDPAABDAOAHDPAABDA'
    """
    cdef Record record
    cdef const uint8_t *counts = <const uint8_t *>&record
    read_board(board, &record)
    return key_of(unary(counts + OPP), bits_of(counts + OPP), unary(counts))


def position_id(board, /):
    """Return the position ID of a board.

    Raises `ValueError` for what is no board.

    >>> position_id(board_from_position_key("OAHDPAABDAOAHDPAABDA"))
    '4HPwATDgc/ABMA'
    """
    cdef Record record
    cdef const uint8_t *counts = <const uint8_t *>&record
    cdef uint8_t data[KEY_BYTES + 1]
    cdef str text = PyUnicode_New(ID_LETTERS, ASCII - 1)
    cdef uint8_t *letters = PyUnicode_1BYTE_DATA(text)
    cdef uint32_t pending = 0
    cdef int letter, at = 0, left = 0
    read_board(board, &record)
    write_bytes(unary(counts + OPP), bits_of(counts + OPP), unary(counts), data)
    data[KEY_BYTES] = 0
    for letter in range(ID_LETTERS):
        if left < 6:
            pending = pending << 8 | data[at]
            left += 8
            at += 1
        left -= 6
        letters[letter] = _ALPHABET[pending >> left & 63]
    return text


cdef str key_of(uint64_t opp, int opp_bits, uint64_t own):
    cdef uint8_t data[KEY_BYTES]
    cdef str text = PyUnicode_New(KEY_LETTERS, ASCII - 1)
    cdef uint8_t *letters = PyUnicode_1BYTE_DATA(text)
    cdef int at
    write_bytes(opp, opp_bits, own, data)
    for at in range(KEY_BYTES):
        letters[2 * at] = LETTER_A + (data[at] >> 4)
        letters[2 * at + 1] = LETTER_A + (data[at] & 15)
    return text


cdef inline uint64_t unary(const uint8_t *side) noexcept:
    """As many ones a point as it has checkers and a zero, the lowest bit first."""
    cdef uint64_t zeros = 0
    cdef int point, at = 0
    for point in range(1, POINTS + 1):
        at += side[point] + 1
        zeros |= <uint64_t>1 << at
    return (<uint64_t>1 << at) - 1 ^ zeros >> 1


cdef inline int bits_of(const uint8_t *side) noexcept:
    """How many bits `unary` has for a side."""
    return POINTS + CHECKERS - side[0]


cdef inline void write_bytes(uint64_t opp, int opp_bits, uint64_t own, uint8_t *data) noexcept:
    cdef uint64_t low = opp | own << opp_bits, high = own >> (64 - opp_bits)
    cdef int at
    for at in range(8):
        data[at] = low >> (8 * at) & 255
    for at in range(KEY_BYTES - 8):
        data[8 + at] = high >> (8 * at) & 255


cdef bint read_id(str text, uint8_t *data):
    """Whether a text is 14 letters that stand for ten bytes."""
    cdef uint32_t pending = 0
    cdef int at = 0, left = 0
    cdef uint8_t value
    cdef Py_UCS4 letter
    if len(text) != ID_LETTERS:
        return False
    for letter in text:
        if letter >= ASCII:
            return False
        value = _VALUES[<uint32_t>letter]
        if value > 63:
            return False
        pending = pending << 6 | value
        left += 6
        if left >= 8:
            left -= 8
            data[at] = pending >> left & 255
            at += 1
    # Four bits are left over.
    return not pending & 15


cdef bint read_key(str text, uint8_t *data):
    cdef uint32_t high, low
    cdef int at
    if len(text) != KEY_LETTERS:
        return False
    for at in range(KEY_BYTES):
        high = <uint32_t>text[2 * at] - LETTER_A
        low = <uint32_t>text[2 * at + 1] - LETTER_A
        if high > 15 or low > 15:
            return False
        data[at] = high << 4 | low
    return True


cdef bint read_runs(const uint8_t *data, uint8_t *counts) noexcept:
    """Whether bytes are 50 runs of ones, each with a zero after it, and no more ones; the runs."""
    cdef uint32_t zeros
    cdef int first, zero, last = -1, runs = 0
    for first in range(0, KEY_BITS, 16):
        zeros = ~(data[first // 8] | <uint32_t>data[first // 8 + 1] << 8) & 0xFFFF
        while zeros:
            zero = first + lowest_bit(zeros)
            zeros &= zeros - 1
            counts[runs] = zero - last - 1
            runs += 1
            last = zero
    if runs < 2 * POINTS or last < KEY_BITS - 1:
        return False
    while runs > 2 * POINTS:
        runs -= 1
        if counts[runs]:
            return False
    return True


cdef tuple _COUNTS = tuple(range(KEY_BITS))


cdef list list_of(const uint8_t *counts):
    cdef list side = PyList_New(POINTS)
    cdef int at
    for at in range(POINTS):
        count = _COUNTS[counts[at]]
        Py_INCREF(count)
        PyList_SET_ITEM(side, at, count)
    return side


cdef tuple tuple_of(const uint8_t *counts):
    cdef tuple side = PyTuple_New(POINTS)
    cdef int at
    for at in range(POINTS):
        put(side, at, _COUNTS[counts[at]])
    return side


cdef int must_be_text(given) except -1:
    if not isinstance(given, str):
        raise TypeError(f"an ID or a key is a text, not {type(given).__name__}")
    return 0


cdef int read_board(board, Record *record) except -1:
    cdef uint8_t *sides = <uint8_t *>record
    memset(record, 0, sizeof(Record))
    try:
        opp, own = board
    except (TypeError, ValueError):
        raise no_board() from None
    read_side("other side", opp, sides + OPP)
    read_side("mover", own, sides)
    return 0


cdef object no_board():
    return ValueError("a board is two lists of 25 counts, the other side's first")


cdef int read_side(str name, side, uint8_t *to) except -1:
    cdef tuple counts
    if read_ints(side, to):
        return 0
    try:
        counts = tuple(map(index, side))
    except (TypeError, ValueError):
        raise no_board() from None
    if len(counts) != POINTS:
        raise ValueError(f"the {name} has {len(counts)} counts, not {POINTS}")
    if not read_ints(counts, to):
        raise ValueError(f"the {name} has {list(counts)}; a side has up to {CHECKERS} checkers")
    return 0


cdef bint read_ints(side, uint8_t *to) except -1:
    """Whether a side is a list or tuple of ints that are its counts.

    No code but this runs meanwhile, so a list stays as it is.
    """
    cdef PyObject **items
    cdef long count
    cdef int point, overflow, total = 0
    if type(side) is not list and type(side) is not tuple:
        return False
    with cython.critical_section(side):
        if PySequence_Fast_GET_SIZE(side) != POINTS:
            return False
        items = PySequence_Fast_ITEMS(side)
        for point in range(POINTS):
            if not isinstance(<object>items[point], int):
                return False
            # -1 where it overflows.
            count = PyLong_AsLongAndOverflow(<object>items[point], &overflow)
            if not 0 <= count <= CHECKERS:
                return False
            to[point + 1] = <uint8_t>count
            total += count
    to[0] = <uint8_t>(CHECKERS - total)
    return total <= CHECKERS


# Bear-off IDs and dice

# How many homes there are with so many checkers on so many points.
cdef int _HOMES[CHECKERS + 1][HOME + 1]


cdef void count_homes():
    cdef int checkers, points
    for checkers in range(CHECKERS + 1):
        for points in range(1, HOME + 1):
            _HOMES[checkers][points] = comb(checkers + points - 1, points - 1)


count_homes()


def bearoff_id_2_pos(bearoff_id, /):
    """Return the checkers on the six points of a home that a bear-off ID stands for.

    The IDs 1 to 54,263 list all homes of up to 15 checkers: the fewer come first, and of the same
    number those with the more on point 1, then on point 2 and so on. Six counts stand for
    themselves. Raises `ValueError` for another number.

    >>> bearoff_id_2_pos(8), bearoff_id_2_pos(54263)
    ((1, 1, 0, 0, 0, 0), (0, 0, 0, 0, 0, 15))
    """
    cdef int counts[HOME]
    cdef int left = 0, points
    cdef Py_ssize_t place
    if not isinstance(bearoff_id, int):
        if isinstance(bearoff_id, Sequence) and len(bearoff_id) == HOME:
            return tuple(map(index, bearoff_id))
        if not hasattr(bearoff_id, "__index__"):
            raise TypeError(f"a bear-off ID is a number or six counts, not {bearoff_id!r}")
    place = PyNumber_AsSsize_t(bearoff_id, NULL)
    if not 1 <= place < _BEAROFF_IDS:
        raise ValueError(f"a bear-off ID is 1 to {_BEAROFF_IDS - 1}, not {bearoff_id}")
    while place >= _HOMES[left][HOME]:
        place -= _HOMES[left][HOME]
        left += 1
    for points in range(HOME - 1, 0, -1):
        counts[points] = left
        while place >= _HOMES[left - counts[points]][points]:
            place -= _HOMES[left - counts[points]][points]
            counts[points] -= 1
        left -= counts[points]
    return counts[5], counts[4], counts[3], counts[2], counts[1], left


def roll():
    """Return two dice, thrown by Python's module `random`, which is where to seed them.

    >>> all(1 <= die <= 6 for die in roll())
    True
    """
    return random.randint(1, DICE), random.randint(1, DICE)


boardfromid = board_from_position_id
boardfromkey = board_from_position_key
