# cython: language_level=3, boundscheck=False, wraparound=False, freethreading_compatible=True
"""The single steps of a turn under way that can still end in a legal move.

The law of a finished turn is the kernel's: a way of going on is legal if it ends in one of the
roll's afterstates with as many numbers played as the roll must play. So nothing here knows a ban or
the higher number. Each step that may be made now is followed by further ones until the first legal
ending, which is nearly always the first one tried.
"""

from typing import NamedTuple

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memcmp, memset

from tavli_fast._dispatch cimport KernelRules, kernel
from tavli_fast._kernel cimport MOST_DOUBLE, MOST_MIXED, Freedom, Record, Rules


class Step(NamedTuple):
    """One checker by one number, as it can be played next.

    `start` and `end` are points, 25 the bar and 0 off. `number` is the one it uses: the lower,
    where a checker can be borne off by either of two. `hits` tells whether it lands on a blot and
    hits or pins it, `forced` whether every legal way of going on contains a step from `start` to
    `end`.

    >>> from tavli_fast import FEVGA, Position
    >>> Position.start(FEVGA).next_steps((6, 6))
    [Step(start=24, end=18, number=6, hits=False, forced=True)]
    """

    start: int
    end: int
    number: int
    hits: bool
    forced: bool


cdef enum:
    ANYWHERE = 0x3FFFFFF
    HIS_PINS = 60          # where a record tells which of his checkers are pinned, four bytes
    MOST_STEPS = 4


cdef struct Roll:
    const Rules *rules
    int die[2]             # the lower first; the second is 0 in a double
    int most               # numbers that the longest legal move plays
    const Record *legal    # its afterstates
    int64_t count
    int avoided_start      # the step not to be made; 0: any may
    int avoided_end


cdef struct Stage:
    Record at
    Freedom freedom
    int left[2]            # how often each die can still be played
    int played
    uint32_t below         # points a further number of a double may leave


cdef inline int landing(int point, int number) noexcept nogil:
    return max(point - number, 0)


cdef bint is_result(const Roll *roll, const Record *record) noexcept nogil:
    cdef int64_t row
    for row in range(roll.count):
        if memcmp(&roll.legal[row], record, sizeof(Record)) == 0:
            return True
    return False


cdef bint is_ending(const Roll *roll, const Stage *stage) noexcept nogil:
    """Whether a legal move ends here, having played all it must.

    Once the mother pinned on his 24 has ended the game, all numbers count as played. Short of that
    a result has its pins nowhere after fewer numbers: one that wastes pips has all checkers home.
    """
    cdef bint mother_pinned = (<const uint8_t *>&stage.at)[HIS_PINS + 3] & 1
    if stage.played == roll.most or roll.rules.mother_loses and mother_pinned:
        return is_result(roll, &stage.at)
    return False


cdef uint32_t sources(const Roll *roll, const Stage *stage, int which) noexcept nogil:
    if stage.left[which] == 0:
        return 0
    return kernel.sources(&stage.at, roll.die[which], roll.rules, &stage.freedom)


cdef bint advance(const Roll *roll, const Stage *stage, int which, int point,
                  Stage *then) noexcept nogil:
    """Make a step that may be made; returns whether it hits or pins a blot."""
    then[0] = stage[0]
    then.left[which] -= 1
    then.played += 1
    return kernel.step(&then.at, point, roll.die[which], roll.rules, &then.freedom)


cdef bint may_stop(const Roll *roll, const Stage *stage) noexcept nogil:
    """Whether a move may stop here because all numbers left could only bear off."""
    cdef uint32_t points
    cdef int which
    if not roll.rules.may_stop_bearing_off or not is_result(roll, &stage.at):
        return False
    for which in range(2):
        points = sources(roll, stage, which)
        if points >> (roll.die[which] + 1):
            return False
    cdef Roll any_way = roll[0]
    any_way.avoided_start = 0
    return can_end(&any_way, stage)


cdef bint can_end(const Roll *roll, const Stage *stage) noexcept nogil:
    """Whether the turn can go on from here to a legal ending without the step to avoid."""
    cdef uint32_t points, rest
    cdef int which, point
    cdef Stage then
    if is_ending(roll, stage) or roll.avoided_start and may_stop(roll, stage):
        return True
    if stage.played >= roll.most:
        return False
    for which in range(2):
        points = sources(roll, stage, which)
        rest = points & stage.below
        for point in range(25, 0, -1):
            if not rest >> point & 1:
                continue
            if point == roll.avoided_start and landing(point, roll.die[which]) == roll.avoided_end:
                continue
            advance(roll, stage, which, point, &then)
            # The numbers of a double can be played from the rear; a runner, behind whom the others
            # wait, is the only one there is to play.
            then.below = ANYWHERE
            if roll.die[1] == 0 and points & (points - 1):
                then.below = (<uint32_t>2 << point) - 1
            if can_end(roll, &then):
                return True
    return False


cdef bint resume(const Roll *roll, const Stage *stage, const int *starts, const int *ends, int count,
                 int made, Stage *reached) noexcept nogil:
    """Play steps in any order that leaves a legal ending open; `made` has a bit for each done."""
    cdef int which, at
    cdef Stage then
    if made == (1 << count) - 1:
        reached[0] = stage[0]
        return can_end(roll, stage)
    for at in range(count):
        if made >> at & 1:
            continue
        for which in range(2):
            if landing(starts[at], roll.die[which]) != ends[at]:
                continue
            if not sources(roll, stage, which) >> starts[at] & 1:
                continue
            advance(roll, stage, which, starts[at], &then)
            if resume(roll, &then, starts, ends, count, made | 1 << at, reached):
                return True
    return False


cdef tuple next_steps(const Record *record, KernelRules law, int die, int other, int numbers,
                      list played):
    """The steps that can follow those played, and how many of these can begin a legal move.

    Where that is not all of them, there are no steps.
    """
    cdef Record *rows
    cdef Roll roll
    cdef Stage stage, reached
    cdef int starts[MOST_STEPS]
    cdef int ends[MOST_STEPS]
    cdef uint8_t most
    cdef int count
    for count in range(min(len(played), MOST_STEPS)):
        starts[count], ends[count] = played[count]
    memset(&stage, 0, sizeof(stage))
    memset(&roll, 0, sizeof(roll))
    roll.rules = &law.rules
    roll.die[0] = min(die, other)
    roll.die[1] = max(die, other) if die != other else 0
    stage.at = record[0]
    stage.left[0] = numbers if die == other else 1
    stage.left[1] = 0 if die == other else 1
    stage.below = ANYWHERE
    rows = <Record *>PyMem_RawMalloc((MOST_DOUBLE if die == other else MOST_MIXED) * sizeof(Record))
    if rows == NULL:
        raise MemoryError
    try:
        roll.count = kernel.afterstates(record, die, other, numbers, roll.rules, 0, rows, &most)
        roll.legal = rows
        roll.most = most
        count = min(len(played), MOST_STEPS)
        reached = stage
        while count and not resume(&roll, &stage, starts, ends, count, 0, &reached):
            count -= 1
        if count < len(played):
            return [], count
        return open_steps(&roll, &reached), count
    finally:
        PyMem_RawFree(rows)


cdef list open_steps(Roll *roll, const Stage *stage):
    cdef uint32_t points[2]
    cdef int which, point, end
    cdef bint hits
    cdef Stage then
    cdef list found = []
    points[0] = sources(roll, stage, 0)
    points[1] = sources(roll, stage, 1)
    for point in range(25, 0, -1):
        for which in range(1, -1, -1):
            end = landing(point, roll.die[which])
            if not points[which] >> point & 1:
                continue
            if which and end == 0 and points[0] >> point & 1 and landing(point, roll.die[0]) == 0:
                continue
            hits = advance(roll, stage, which, point, &then)
            if can_end(roll, &then):
                found.append((point, end, roll.die[which], hits))
    return [Step(*step, is_forced(roll, stage, step[0], step[1])) for step in found]


cdef bint is_forced(Roll *roll, const Stage *stage, int start, int end) noexcept nogil:
    cdef Roll without = roll[0]
    without.avoided_start = start
    without.avoided_end = end
    return not can_end(&without, stage)
