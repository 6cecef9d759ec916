# cython: language_level=3, boundscheck=False, wraparound=False, freethreading_compatible=True
"""The single steps of a turn under way that can still end in a legal move, and why others cannot.

The law of a finished turn is the kernel's: a way of going on is legal if it ends in one of the
roll's afterstates with as many numbers played as the roll must play. Each step that may be made now
is followed by further ones until the first legal ending, which is nearly always the first one
tried. Why a step is refused is told as `why` defines it: by the kernel, if it cannot be made at
all, else by every ending it could lead to.
"""

from typing import NamedTuple

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memcmp, memset

from tavli_fast._dispatch cimport KernelRules, kernel
from tavli_fast._kernel cimport (
    MOST_DOUBLE, MOST_MIXED, Ban, Blockade, Freedom, Record, Refusal, Rules,
)


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
    MY_PINS = 28
    MOST_STEPS = 4
    MOST_STAGES = 24       # that so many steps can lead to: one for each order


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
        # Some quarter of my side differs nearly always, at less cost than a call.
        if (
            roll.legal[row].lane[0] == record.lane[0] and roll.legal[row].lane[1] == record.lane[1]
            and roll.legal[row].lane[2] == record.lane[2]
            and memcmp(&roll.legal[row], record, sizeof(Record)) == 0
        ):
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


cdef uint32_t below(const Roll *roll, uint32_t points, int point) noexcept nogil:
    """From where to play on after a step from one of these points.

    The numbers of a double can be played from the rear; a runner, behind whom the others wait, is
    the only one there is to play.
    """
    if roll.die[1] == 0 and points & (points - 1):
        return (<uint32_t>2 << point) - 1
    return ANYWHERE


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
            then.below = below(roll, points, point)
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


cdef bint can_play_all(const Roll *roll, const Stage *stage) noexcept nogil:
    """Whether all numbers can be played, whatever the turn then looks like."""
    cdef uint32_t points, rest
    cdef int which, point
    cdef Stage then
    if stage.left[0] + stage.left[1] == 0:
        return True
    for which in range(2):
        points = rest = sources(roll, stage, which)
        rest &= stage.below
        for point in range(25, 0, -1):
            if rest >> point & 1:
                advance(roll, stage, which, point, &then)
                then.below = below(roll, points, point)
                if can_play_all(roll, &then):
                    return True
    return False


cdef bint two_may_leave_head(const Roll *roll, const Stage *stage) noexcept nogil:
    """Where only one may, the other of the two that the kernel lets leave counts as gone."""
    cdef Stage with_one = stage[0]
    if (<const uint8_t *>&stage.at)[24] < roll.rules.checkers:
        return False
    if roll.rules.two_on_first_doubles:
        return roll.die[1] == 0 and roll.die[0] in (3, 4, 6)
    with_one.freedom.head_taken = 1
    return roll.rules.two_if_needed and not can_play_all(roll, &with_one)


cdef void begin(Roll *roll, Stage *stage, const Record *record, const Rules *rules, int die,
                int other, int numbers) noexcept nogil:
    memset(stage, 0, sizeof(Stage))
    memset(roll, 0, sizeof(Roll))
    roll.rules = rules
    roll.die[0] = min(die, other)
    roll.die[1] = max(die, other) if die != other else 0
    stage.at = record[0]
    stage.left[0] = numbers if die == other else 1
    stage.left[1] = 0 if die == other else 1
    stage.below = ANYWHERE
    if rules.one_from_head and not two_may_leave_head(roll, stage):
        stage.freedom.head_taken = 1


cdef Record *find_results(Roll *roll, const Stage *stage) except NULL:
    """Ask the kernel for the afterstates of a roll; the rows are the caller's to free."""
    cdef bint double = roll.die[1] == 0
    cdef int other = roll.die[0] if double else roll.die[1]
    cdef uint8_t most
    cdef Record *rows = <Record *>PyMem_RawMalloc(
        (MOST_DOUBLE if double else MOST_MIXED) * sizeof(Record)
    )
    if rows == NULL:
        raise MemoryError
    roll.count = kernel.afterstates(
        &stage.at, roll.die[0], other, stage.left[0], roll.rules, 0, rows, &most
    )
    roll.legal = rows
    roll.most = most
    return rows


cdef tuple next_steps(const Record *record, KernelRules law, int die, int other, int numbers,
                      list played):
    """The steps that can follow those played, and how many of these can begin a legal move.

    Where that is not all of them, there are no steps.
    """
    cdef Roll roll
    cdef Stage stage, reached
    cdef int starts[MOST_STEPS]
    cdef int ends[MOST_STEPS]
    cdef int count = read_played(played, starts, ends)
    begin(&roll, &stage, record, &law.rules, die, other, numbers)
    cdef Record *rows = find_results(&roll, &stage)
    try:
        count = follow(&roll, &stage, starts, ends, count, &reached)
        if count < len(played):
            return [], count
        return open_steps(&roll, &reached), count
    finally:
        PyMem_RawFree(rows)


cdef tuple refusal(const Record *record, KernelRules law, int die, int other, int numbers,
                   list played, int start, int end):
    """The Refusal of a step after those played, and how many of these can begin a legal move.

    Where that is not all of them, it says nothing.
    """
    cdef Roll roll
    cdef Stage stage, reached
    cdef int starts[MOST_STEPS]
    cdef int ends[MOST_STEPS]
    cdef int count = read_played(played, starts, ends), which
    begin(&roll, &stage, record, &law.rules, die, other, numbers)
    cdef Record *rows = find_results(&roll, &stage)
    try:
        count = follow(&roll, &stage, starts, ends, count, &reached)
        if count < len(played):
            return 0, count
        for which in range(2):
            if landing(start, roll.die[which]) == end and can_follow(&roll, &reached, which, start):
                return 0, count
        return refusal_after(&roll, &stage, starts, ends, count, start, end), count
    finally:
        PyMem_RawFree(rows)


cdef int read_played(list played, int *starts, int *ends) except -1:
    """Take so many steps as a roll can have."""
    cdef int at, count = min(len(played), MOST_STEPS)
    for at in range(count):
        starts[at], ends[at] = played[at]
    return count


cdef int follow(const Roll *roll, const Stage *stage, const int *starts, const int *ends, int count,
                Stage *reached) noexcept nogil:
    """Play as many of the steps as can begin a legal move, and return how many those are."""
    reached[0] = stage[0]
    while count and not resume(roll, stage, starts, ends, count, 0, reached):
        count -= 1
    return count


cdef bint can_follow(const Roll *roll, const Stage *stage, int which, int point) noexcept nogil:
    """Whether a step can be made and end in a legal move."""
    cdef Stage then
    if not sources(roll, stage, which) >> point & 1:
        return False
    advance(roll, stage, which, point, &then)
    return can_end(roll, &then)


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


# Why a step is refused


cdef struct Verdict:
    # on all that a refused step could lead to
    int most_left          # numbers that a legal move may leave unplayed
    bint was_blocked       # he was totally blocked when the turn began,
    bint waived            # and no play opens the block, so that this ban is waived
    int least              # the rank of the ban that would be named before all others
    int rank               # of the one named so far: how many are broken with it, then the order of law
    bint reaches           # an ending that plays enough numbers
    bint passes            # and breaks no ban


cdef enum:
    NO_BAN = 1000


cdef bint ends_by_mother(const Rules *rules, const Record *at) noexcept nogil:
    """Whether a step of this turn has ended the game by his mother, pinned for good."""
    cdef const uint8_t *bytes_ = <const uint8_t *>at
    if not rules.mother_loses or not bytes_[HIS_PINS + 3] & 1:
        return False
    return not rules.mother_is_mutual or bytes_[24] == 0 or bytes_[MY_PINS + 3] & 1


cdef int bans_broken(const Rules *rules, const Record *at) noexcept nogil:
    """Which of my walls are forbidden, whether or not they may be built."""
    cdef Blockade found
    cdef int fault
    kernel.blockades(at, 1, rules, False, &found, &fault)
    return found.forbidden


cdef int rank_of(int broken) noexcept nogil:
    """Of several bans the first in the order of law is named, in which total block is last."""
    cdef int in_order = broken >> 1 | (broken & Ban.TOTAL_BLOCK) << 3
    cdef int first = 0, count = 0, at
    for at in range(3, -1, -1):
        if in_order >> at & 1:
            first = at
            count += 1
    return 4 * count + first


cdef void begin_verdict(const Roll *roll, const Stage *stage, Verdict *verdict) noexcept nogil:
    cdef const Rules *rules = roll.rules
    cdef int64_t row
    verdict.most_left = stage.left[0] + stage.left[1] - roll.most
    verdict.reaches = verdict.passes = False
    verdict.rank = NO_BAN
    verdict.was_blocked = bans_broken(rules, &stage.at) & Ban.TOTAL_BLOCK
    verdict.waived = (
        verdict.was_blocked and roll.most
        and bans_broken(rules, &roll.legal[0]) & Ban.TOTAL_BLOCK
    )
    verdict.least = rank_of(
        Ban.START_QUARTER if rules.bans_start_quarter
        else Ban.MOTHER_PRIME if rules.bans_mother_prime
        else Ban.SIX_PRIME if rules.bans_six_prime
        else Ban.TOTAL_BLOCK
    )
    for row in range(roll.count):
        if ends_by_mother(rules, &roll.legal[row]):
            verdict.most_left = 0
            break


cdef void judge(const Roll *roll, const Stage *stage, Verdict *verdict) noexcept nogil:
    """Look at this ending and at those of all ways of going on, as far as they matter."""
    cdef bint over = ends_by_mother(roll.rules, &stage.at)
    cdef int left = 0 if over else stage.left[0] + stage.left[1]
    cdef int broken, which, point
    cdef uint32_t points, rest
    cdef Stage then
    if left <= verdict.most_left:
        verdict.reaches = True
        broken = bans_broken(roll.rules, &stage.at)
        if roll.rules.block_may_be_built and not verdict.was_blocked:
            broken &= ~Ban.TOTAL_BLOCK
        if not broken or verdict.waived and broken == Ban.TOTAL_BLOCK:
            verdict.passes = True
        verdict.rank = min(verdict.rank, rank_of(broken))
    if left == 0:
        return
    for which in range(2):
        points = rest = sources(roll, stage, which)
        rest &= stage.below
        for point in range(25, 0, -1):
            # Of a double no ending passes: one that did would be a legal move.
            if verdict.passes or roll.die[1] == 0 and verdict.rank == verdict.least:
                return
            if rest >> point & 1:
                advance(roll, stage, which, point, &then)
                then.below = below(roll, points, point)
                judge(roll, &then, verdict)


cdef int reach(const Roll *roll, const Stage *stage, const int *starts, const int *ends, int count,
               int made, Stage *found, int known) noexcept nogil:
    """Play steps in every order; returns how many different stages that leads to."""
    cdef int which, at
    cdef Stage then
    if made == (1 << count) - 1:
        for at in range(known):
            if memcmp(&found[at], stage, sizeof(Stage)) == 0:
                return known
        found[known] = stage[0]
        return known + 1
    for at in range(count):
        if made >> at & 1:
            continue
        for which in range(2):
            if landing(starts[at], roll.die[which]) != ends[at]:
                continue
            if sources(roll, stage, which) >> starts[at] & 1:
                advance(roll, stage, which, starts[at], &then)
                known = reach(roll, &then, starts, ends, count, made | 1 << at, found, known)
    return known


cdef int obstacle(const Roll *roll, const Stage *stage, int start, int end) noexcept nogil:
    """Why this is no step that can follow here, whatever the turn comes to."""
    cdef int which, found = Refusal.NO_SUCH_NUMBER
    if kernel.is_over(&stage.at, roll.rules) and not (
        sources(roll, stage, 0) | sources(roll, stage, 1)
    ):
        return Refusal.GAME_OVER
    if stage.left[0] + stage.left[1] == 0:
        return Refusal.TURN_OVER
    for which in range(2):
        if stage.left[which] and landing(start, roll.die[which]) == end:
            found = max(found, kernel.obstacle(
                &stage.at, start, roll.die[which], roll.rules, &stage.freedom
            ))
    return found


cdef int refusal_after(const Roll *roll, const Stage *stage, const int *starts, const int *ends,
                       int count, int start, int end) noexcept nogil:
    """Why no legal move goes on from these steps by this one.

    Of the stages they lead to, it is the one with which the step comes furthest.
    """
    cdef Stage stages[MOST_STAGES]
    cdef Stage then
    cdef Verdict verdict
    cdef int known, at, which, found = 0
    cdef bint begun = False
    if kernel.is_over(&stage.at, roll.rules):
        return Refusal.GAME_OVER
    known = reach(roll, stage, starts, ends, count, 0, stages, 0)
    begin_verdict(roll, stage, &verdict)
    for at in range(known):
        for which in range(2):
            if landing(start, roll.die[which]) != end:
                continue
            if sources(roll, &stages[at], which) >> start & 1:
                begun = True
                advance(roll, &stages[at], which, start, &then)
                then.below = ANYWHERE
                judge(roll, &then, &verdict)
    if not begun:
        for at in range(known):
            found = max(found, obstacle(roll, &stages[at], start, end))
        return found
    if not verdict.reaches:
        return Refusal.MOST_NUMBERS
    if verdict.passes:
        return Refusal.HIGHER_NUMBER
    return Refusal.BANNED + (verdict.rank & 3)
