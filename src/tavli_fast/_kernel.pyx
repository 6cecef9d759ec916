# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: freethreading_compatible=True
"""The move generator.

A position becomes four masks of points (own, open to me, his blots, made by me); every afterstate
is the base record plus one 64-byte delta a step. Results are never compared: each way in which
two step sequences can meet in one position is known from the geometry and generated once.

- Mixed rolls repeat only as one checker playing both numbers over either intermediate point, as
  the same thing done through an own checker on that point, and as two checkers borne off by either
  number each.
- Doubles never repeat when each source is taken before the point it feeds, and never again.

Order of law (RULES.md): what a step may not do, what a finished turn may not look like, most
numbers, higher number.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tavli_fast._kernel cimport (
    ABI, BAD_DIE, BAR_IN_USE, CAPPED, GAME_ON, MATCH_WON, MOST_DOUBLE, MOST_MIXED, OPP_TOTAL,
    OWN_TOTAL, PINNED, SHARED_POINT, SPARE_IN_USE, WON, AlignedRecord, Ban, Batch, Blockade, Course,
    Freedom, Kernel, Lockstep, Mobility, Playouts, Record, Refusal, Rules,
    Source, Walls,
)

cdef extern from "_bits.h" nogil:
    int lowest_bit(uint32_t mask)
    int highest_bit(uint32_t mask)
    int bits(uint32_t mask)
    enum:
        COUNTS
    ctypedef struct Side:
        # what a side's bytes say: see there
        uint32_t held
        uint32_t made
        uint32_t total

    void read_once()
    void side_of(const uint8_t *bytes, Side *side)
    void take_record(const uint8_t *record, uint8_t *own_copy, uint8_t *opp_copy,
                     Side *own, Side *opp, Side *contrary)
    void contrary_masks(uint32_t *mask, uint32_t *other)
    uint32_t parallel_mask(uint32_t mask)
    uint32_t pinned_mask(const uint8_t *side)

cdef extern from "_rows.h" nogil:
    const Record *step_delta(int flip, int pins, int number, int point, uint32_t hits, uint32_t frees)
    void add_lanes(uint64_t *out, const uint64_t *base, const uint64_t *change)
    void add_delta(uint64_t *out, const uint64_t *base, const uint64_t *delta)
    Record *after_row(Record *row, uint32_t kept, int point)
    Record *add_rows(Record *to, const Record *begin, const Record *end, const Record *change)

    # What a step of so many pips adds to a record: [own side first, or flipped][pips][the point it
    # leaves][whether it hits a blot]. More pips than the point has bear off. Filled at import.
    uint64_t DELTAS[2][12][26][2][8]
    # The same in pinning games: [...][whether it pins a blot, and 2 if it frees the one it leaves].
    uint64_t PIN_DELTAS[2][12][26][4][8]
    int can_stream(const Record *to)
    void stream_rows(Record *to, const Record *rows, int64_t count)
    void end_stream()

cdef extern from "_rectangle.h" nogil:
    ctypedef struct Rectangle:
        # both numbers, where no checker is on the bar, bears off or is held back: see there
        int high
        int low
        uint32_t by_high
        uint32_t by_low
        uint32_t hits_high
        uint32_t hits_low
        uint32_t alone
        uint32_t twice
        uint32_t frees
        uint32_t leaves_two
        uint32_t runs
        uint32_t runs_high
        uint32_t runs_low

    uint32_t seconds_of(const Rectangle *of, int point)
    void fill_places()
    Record *join_all(const Rectangle *of, int flip, int pins, const Record *base, Record *row)

cdef extern from "_dice.h" nogil:
    uint32_t any_below(Source *source, uint32_t bound)

include "_turn.pxi"
include "_steps.pxi"
include "_bans.pxi"
include "_mixed.pxi"
include "_doubles.pxi"
include "_stops.pxi"
include "_count.pxi"
include "_mobility.pxi"
include "_walls.pxi"
include "_game.pxi"
include "_playouts.pxi"
include "_features.pxi"


cdef inline int64_t play(Turn *turn, int die, int other, Record *out, uint8_t *played) noexcept nogil:
    cdef int high = max(die, other), low = min(die, other)
    look_out(turn, high, low)
    if high == low:
        return play_double(turn, high, out, played)
    return play_mixed(turn, high, low, out, played)


cdef int64_t play_roll(Turn *turn, int die, int other, Record *out, uint8_t *played) noexcept nogil:
    """Every distinct result of one roll; the unchanged position where nothing can be played."""
    cdef int64_t count = 0
    if not finished(turn) or turn.plays_on:
        count = play(turn, die, other, out, played)
        if count == 0 and turn.opens_block:
            # No play opens the total block he stands in: that ban alone is waived.
            turn.bans_block = False
            count = play(turn, die, other, out, played)
            turn.bans_block = True
    if count == 0:
        out[0] = turn.base
        played[0] = 0
        count = 1
    return count


cdef int record_faults(const Record *record, const Rules *rules) noexcept nogil:
    cdef Turn turn
    prepare(&turn, record, rules, 0)
    return faults(&turn)


cdef int64_t afterstates(const Record *record, int die, int other_die, int numbers, const Rules *rules,
                         int flip, Record *out, uint8_t *played) noexcept nogil:
    cdef Turn turn
    prepare(&turn, record, rules, flip)
    turn.numbers = numbers
    return play_roll(&turn, die, other_die, out, played)


cdef void batch(Batch *work) noexcept nogil:
    """Play on from pair `done` until the end, a fault or a full output.

    Of the rows that are ready as many are sent as are made, or all where no pair is left to play.
    """
    if work.done < work.rows * work.rolls_each:
        play_pairs(work, work.stream and can_stream(work.out))
    elif work.ready_rows:
        send(work, work.ready_rows)
    end_stream()


cdef inline void deliver(Record *to, const Record *rows, int64_t count, bint stream) noexcept nogil:
    if stream:
        stream_rows(to, rows, count)
    else:
        memcpy(to, rows, count * sizeof(Record))


cdef inline void send(Batch *work, int64_t rows) noexcept nogil:
    """So many of the rows that are ready."""
    deliver(work.ready_to, work.ready, rows, can_stream(work.ready_to))
    work.ready += rows
    work.ready_to += rows
    work.ready_rows -= rows


cdef void play_pairs(Batch *work, bint stream) noexcept nogil:
    """The same; results go straight to the output while any result would fit.

    Elsewhere they go through the scratch rows, so that nothing beyond the reported rows is ever
    touched.
    """
    cdef int64_t row = work.done // work.rolls_each
    cdef int64_t at = work.done - row * work.rolls_each
    # The last pair always goes by the scratch rows: it has none after it to cover its junk.
    cdef int64_t last = work.rows * work.rolls_each - 1
    cdef int64_t used = work.used, done = work.done, count, most
    cdef Record *to
    # Read once, whatever another thread does to them meanwhile.
    cdef const volatile uint8_t *dice
    cdef int die, other
    cdef Turn turn
    set_rules(&turn, work.rules[0], work.flip)
    while row < work.rows:
        if work.law:
            set_rules(&turn, work.rules[work.law[row]], work.flip)
        set_position(&turn, &work.records[row])
        if work.numbers and work.numbers[row]:
            turn.numbers = min(<int>work.numbers[row], 4)
        if turn.unsound:
            work.fault = faults(&turn)
            return
        while at < work.rolls_each:
            dice = work.rolls + row * work.roll_stride + 2 * at
            die, other = dice[0], dice[1]
            most = MOST_DOUBLE if die == other else MOST_MIXED
            if not (1 <= die <= 6 and 1 <= other <= 6 and most <= work.scratch_rows):
                work.fault = BAD_DIE
                return
            if not work.out:
                count = count_roll(&turn, die, other, work.scratch, &work.played[done])
            else:
                to = work.out + used
                if stream or done == last or work.capacity - used < most:
                    to = work.scratch
                count = play_roll(&turn, die, other, to, &work.played[done])
                if to == work.scratch:
                    if work.capacity - used < count:
                        return
                    deliver(work.out + used, to, count, stream)
            if work.ready_rows:
                # A few at a time, so that memory takes them while the next ones are made.
                send(work, min(count, work.ready_rows))
            used += count
            done += 1
            work.used = used
            work.done = done
            work.offsets[done] = used
            at += 1
        at = 0
        row += 1


cdef uint64_t perft(const Record *record, int depth, int weighted, const Rules *rules,
                    Record *arena, const volatile int *stop) noexcept nogil:
    """Paths of `depth` rolls; `arena` holds MOST_DOUBLE rows a ply. Gives up once `stop` is set."""
    cdef uint64_t total = 0, below
    cdef int64_t count, at
    cdef int die, other
    cdef uint8_t played
    cdef Turn turn
    if depth == 0:
        return 1
    prepare(&turn, record, rules, 1)
    if finished(&turn):
        return 1
    for die in range(1, 7):
        for other in range(1, die + 1):
            if depth == 1:
                below = count_roll(&turn, die, other, arena, &played)
            else:
                below = 0
                count = play_roll(&turn, die, other, arena, &played)
                for at in range(count):
                    if stop[0]:
                        return 0
                    below += perft(&arena[at], depth - 1, weighted, rules, arena + MOST_DOUBLE,
                                   stop)
            total += below << 1 if weighted and die != other else below
    return total


cdef void resume(const Record *record, const Rules *rules, const Freedom *freedom, Turn *turn,
                 Walk *walk) noexcept nogil:
    """A turn under way."""
    prepare(turn, record, rules, 0)
    start_walk(turn, walk)
    walk.locked = freedom.locked
    if freedom.runner:
        walk.runner = freedom.runner
    # Up to two: the moves themselves say whether a second one was allowed.
    walk.from_head = max(walk.from_head + 1 - freedom.head_taken, 0)


cdef uint32_t sources(const Record *record, int number, const Rules *rules,
                      const Freedom *freedom) noexcept nogil:
    cdef Turn turn
    cdef Walk walk
    resume(record, rules, freedom, &turn, &walk)
    if turn.plays_on or not finished(&turn):
        return walk_sources(&turn, &walk, number)
    # Without the mother rule, both mothers pinned end the game only when the turn is over.
    if not borne_off(&turn) and not rules.mother_loses:
        return walk_sources(&turn, &walk, number)
    return 0


cdef int step(Record *record, int point, int number, const Rules *rules, Freedom *freedom) noexcept nogil:
    """Play one step in place; returns whether it hits."""
    cdef Turn turn
    cdef Walk walk, then
    resume(record, rules, freedom, &turn, &walk)
    take_step(&turn, &walk, number, point, &then)
    record[0] = then.at
    freedom.locked = then.locked
    freedom.runner = then.runner if rules.runner_whole_turn else 0
    freedom.head_taken += point == 24
    return (walk.blots & landing(point, number)) != 0


cdef int obstacle(const Record *record, int point, int number, const Rules *rules,
                  const Freedom *freedom) noexcept nogil:
    """What is in the way of a step, the first in the order of law."""
    cdef Turn turn
    cdef Walk walk
    resume(record, rules, freedom, &turn, &walk)
    if not turn.own >> point & 1:
        return Refusal.NO_CHECKER
    if turn.still >> point & 1:
        return Refusal.PINNED_CHECKER
    if turn.own & BAR_BIT and point != 25:
        return Refusal.BAR_FIRST
    if walk.runner and not walk.runner >> point & 1:
        return Refusal.RUNNER_ALONE
    if walk.from_head == 0 and point == 24:
        return Refusal.HEAD_USED
    if walk.locked >> point & 1 and turn.own_side[point] == 1:
        return Refusal.HITTER_STAYS
    if point > number:
        return 0 if turn.open >> (point - number) & 1 else Refusal.CLOSED_POINT
    if turn.own >> 7:
        return Refusal.NOT_ALL_HOME
    if point != number and turn.own >> (point + 1):
        return Refusal.HIGHER_CHECKER
    return Refusal.PINNED_AT_HOME if turn.keeps else 0


cdef int is_over(const Record *record, const Rules *rules) noexcept nogil:
    """Whether the game is, no last roll being left to play."""
    cdef Turn turn
    prepare(&turn, record, rules, 0)
    return finished(&turn) and not turn.plays_on


cdef void add_byte(uint64_t *lanes, int at, int amount) noexcept nogil:
    cdef Record one
    cdef int lane
    memset(&one, 0, sizeof(one))
    (<uint8_t *>&one)[at] = abs(amount)
    # By lanes, not bytes: the borrow must run through the lane to be undone by the addition.
    for lane in range(8):
        lanes[lane] += one.lane[lane] if amount > 0 else -one.lane[lane]


cdef void add_move(uint64_t *lanes, int flip, int pips, int point) noexcept nogil:
    cdef int own_at = SIDE if flip else 0
    add_byte(lanes, own_at + point, -1)
    add_byte(lanes, own_at + max(point - pips, 0), 1)


cdef void fill_deltas() noexcept nogil:
    cdef int flip, pips, variant, point, opp_at, landed
    memset(DELTAS, 0, sizeof(DELTAS))
    memset(PIN_DELTAS, 0, sizeof(PIN_DELTAS))
    for flip in range(2):
        opp_at = 0 if flip else SIDE
        for pips in range(1, LONGEST + 1):
            for point in range(1, 26):
                landed = 25 - (point - pips)
                for variant in range(2):
                    add_move(DELTAS[flip][pips][point][variant], flip, pips, point)
                    if variant and point > pips:
                        add_byte(DELTAS[flip][pips][point][variant], opp_at + landed, -1)
                        add_byte(DELTAS[flip][pips][point][variant], opp_at + 25, 1)
                for variant in range(4):
                    add_move(PIN_DELTAS[flip][pips][point][variant], flip, pips, point)
                    if variant & 1 and point > pips:
                        add_byte(PIN_DELTAS[flip][pips][point][variant],
                                 opp_at + 28 + landed // 8, 1 << landed % 8)
                    if variant & 2:
                        add_byte(PIN_DELTAS[flip][pips][point][variant],
                                 opp_at + 28 + (25 - point) // 8, -(1 << (25 - point) % 8))


cdef Kernel KERNEL

fill_deltas()
fill_places()
fill_units()
KERNEL.abi = ABI
KERNEL.faults = record_faults
KERNEL.afterstates = afterstates
KERNEL.batch = batch
KERNEL.perft = perft
KERNEL.sources = sources
KERNEL.step = step
KERNEL.obstacle = obstacle
KERNEL.is_over = is_over
KERNEL.walls = walls
KERNEL.blockades = blockades
KERNEL.mobility = mobility
KERNEL.in_contact = in_contact
KERNEL.points = points
KERNEL.begin = begin
KERNEL.advance = advance
KERNEL.playouts = playouts
KERNEL.features = features

kernel = PyCapsule_New(&KERNEL, "tavli_fast.kernel", NULL)
