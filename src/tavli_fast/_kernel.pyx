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
    ABI, BAD_DIE, BAR_IN_USE, MOST_DOUBLE, MOST_MIXED, OPP_TOTAL, OWN_TOTAL, PINNED, SHARED_POINT,
    SPARE_IN_USE, AlignedRecord, Batch, Freedom, Kernel, Record, Rules,
)

cdef extern from "_bits.h" nogil:
    int lowest_bit(uint32_t mask)
    int highest_bit(uint32_t mask)
    ctypedef struct Side:
        # what a side's bytes say: see there
        uint32_t held
        uint32_t made
        uint32_t total

    void side_of(const uint8_t *bytes, Side *side)
    void take_record(const uint8_t *record, uint8_t *own_copy, uint8_t *opp_copy,
                     Side *own, Side *opp)
    void contrary_masks(uint32_t *mask, uint32_t *other)
    uint32_t parallel_mask(uint32_t mask)
    void add_lanes(uint64_t *out, const uint64_t *base, const uint64_t *change)
    void add_delta(uint64_t *out, const uint64_t *base, const uint64_t *delta)

    # What a step of so many pips adds to a record: [own side first, or flipped][pips][the point it
    # leaves][whether it hits a blot]. More pips than the point has bear off. Filled at import.
    uint64_t DELTAS[2][12][26][2][8]
    # The same in pinning games: [...][whether it pins a blot, and 2 if it frees the one it leaves].
    uint64_t PIN_DELTAS[2][12][26][4][8]
    uint32_t pinned_mask(const uint8_t *side)

cdef enum:
    SIDE = 32                      # bytes
    HOME = 0x7E                    # points 1..6
    POINTS = 0x1FFFFFE             # points 1..24
    BAR_BIT = 0x2000000
    START_BIT = 0x1000000          # point 24
    MOTHER = 2                     # his 24: my point 1
    ANYWHERE = 0x3FFFFFF
    ON_BOARD = 0x3FFFFFE           # the bar included
    START_QUARTER = 0x1F80000      # own 24..19
    MOTHER_PRIME_RUN = 1 << 18     # his 18..23, right in front of his start point

    MOST_PAIRS = 352               # of 25 sources: any two, one twice, one and the point it feeds
    LONGEST = 11                   # pips of two different numbers played by one checker


# Every sixth, fifth, ... point, from the bar's own chain on.
cdef uint32_t[7] CHAIN_OF
CHAIN_OF[:] = [0, 0x3FFFFFF, 0x1555555, 0x1249249, 0x1111111, 0x2108421, 0x1041041]


cdef struct Turn:
    AlignedRecord base    # in the layout of the results
    const Rules *rules
    int flip
    int own_at            # byte offset of own counts in `base` and in every result
    const uint8_t *own_side
    const uint8_t *opp_side
    uint32_t own          # where I stand, bar included
    uint32_t made         # where I have two or more
    uint32_t open         # where I may land
    uint32_t blots        # where landing hits or pins
    uint32_t still        # where my checker is pinned
    uint32_t over         # where mine stand on his pinned one
    uint32_t frees        # where a single one of mine does
    uint32_t leaves_two   # where two do
    bint keeps            # nothing may be borne off: a pinned checker of mine bars it
    bint watches_mother   # a step may pin the mother, or leave her pinned with no way out
    int most              # numbers used by the longest result that ended the game
    uint32_t runner       # the only point that may be left while the runner travels; 0: any
    uint32_t his          # where he stands, as he numbers it
    uint32_t his_held     # the same, as I number it
    uint32_t his_runner
    bint has_bans
    bint opens_block      # he is totally blocked already, so this turn must open
    bint bans_block       # ban 1 is in force for this turn
    bint borne_off        # by either side
    bint finished
    bint plays_on         # one last roll all the same
    int numbers           # of a double
    uint32_t unsound      # not zero: the record is no position of its game


cdef inline uint32_t bit(int point) noexcept nogil:
    return <uint32_t>1 << point


cdef inline uint32_t landing(int point, int number) noexcept nogil:
    """Where a step ends, as a mask; empty when it bears off."""
    return bit(point) >> number & POINTS


cdef inline const Record *delta(const Turn *turn, bint pins, int number, int point, uint32_t hits,
                                uint32_t frees) noexcept nogil:
    """What a step adds; the masks have the points from which it hits or pins, and frees."""
    if pins:
        return <const Record *>PIN_DELTAS[turn.flip][number][point][
            (hits >> point & 1) | (frees >> point & 1) << 1
        ]
    return <const Record *>DELTAS[turn.flip][number][point][hits >> point & 1]


cdef inline const uint8_t *own_counts(const Turn *turn, const Record *record) noexcept nogil:
    return <const uint8_t *>record + turn.own_at


cdef inline void emit(Record *out, const Record *base, const Record *change) noexcept nogil:
    add_delta(out.lane, base.lane, change.lane)


# ---------------------------------------------------------------- what a single step may do

cdef inline uint32_t playable(uint32_t own, uint32_t open, int number) noexcept nogil:
    """Points from which `number` can be played, by bar, landing and bearing-off rules."""
    cdef uint32_t sources = own & (open << number)
    if own & BAR_BIT:
        return sources & BAR_BIT
    if own and not own >> 7:
        if own >> number & 1:
            sources |= bit(number)
        elif not own >> number:
            sources |= bit(highest_bit(own))
    return sources


cdef inline uint32_t sources_of(const Turn *turn, uint32_t own, int number) noexcept nogil:
    """The same for me: a pinned checker counts where it stands, but cannot leave."""
    cdef uint32_t sources = playable(own, turn.open, number)
    if turn.keeps:
        sources &= turn.open << number
    return sources & ~turn.still


cdef inline uint32_t travelling(uint32_t own, int on_start, int checkers, int exit) noexcept nogil:
    """The only point that may be left while the runner travels alone, as a mask; 0: no limit."""
    cdef uint32_t away = own & ~START_BIT
    if exit == 0 or on_start < checkers - 1:
        return 0
    if on_start == checkers:
        return START_BIT
    return away if away >> (exit + 1) else 0


# ---------------------------------------------------------------- what a turn may not leave

cdef inline uint32_t runs_of_six(uint32_t wall) noexcept nogil:
    """Bit p: points p to p + 5 are all in the wall."""
    cdef uint32_t pairs = wall & wall >> 1
    return pairs & pairs >> 2 & pairs >> 4


cdef inline void mirror(const Rules *rules, uint32_t *points, uint32_t *others) noexcept nogil:
    """Turn one side's points into the other's numbering; two masks for the price of one."""
    if rules.parallel:
        points[0] = parallel_mask(points[0])
        others[0] = parallel_mask(others[0])
    else:
        contrary_masks(points, others)
        points[0] &= POINTS
        others[0] &= POINTS


cdef inline uint32_t mirrored(const Rules *rules, uint32_t points) noexcept nogil:
    cdef uint32_t unused = 0
    mirror(rules, &points, &unused)
    return points


cdef bint totally_blocked(const Turn *turn, uint32_t wall, uint32_t runs) noexcept nogil:
    cdef uint32_t open = ~wall & POINTS
    cdef uint32_t his = turn.his
    cdef int number
    if not his or not runs:
        return False
    if turn.rules.bans_one_point_block:
        return not his & (his - 1) and turn.opp_side[0] == 0 and (runs << 6 & his) != 0
    for number in range(1, 7):
        if playable(his, open, number) & turn.his_runner:
            return False
    return True


cdef inline bint breaks_ban(const Turn *turn, const uint8_t *counts) noexcept nogil:
    cdef Side mine
    side_of(counts, &mine)
    cdef uint32_t wall = mirrored(turn.rules, mine.held)
    cdef uint32_t runs = runs_of_six(wall)
    if not runs:
        return False
    if turn.rules.bans_start_quarter and mine.held & START_QUARTER == START_QUARTER:
        return True
    if turn.rules.bans_mother_prime and runs & MOTHER_PRIME_RUN and (
        not turn.rules.mother_must_be_there or turn.his & START_BIT
    ):
        return True
    if turn.rules.bans_six_prime and not (
        turn.rules.one_ahead_is_enough
        and (turn.opp_side[0] or turn.his & (bit(lowest_bit(runs)) - 1))
    ):
        return True
    return turn.bans_block and totally_blocked(turn, wall, runs)


cdef int64_t keep_unbanned(const Turn *turn, Record *out, int64_t count) noexcept nogil:
    cdef int64_t at, kept = 0
    for at in range(count):
        if not breaks_ban(turn, own_counts(turn, &out[at])):
            if kept != at:
                out[kept] = out[at]
            kept += 1
    return kept


cdef bint may_wall(const Turn *turn, int number, int other, int numbers) noexcept nogil:
    """Whether any play of this roll could leave six points in a row: the cheap test first."""
    cdef uint32_t reach = turn.own & POINTS
    for _ in range(numbers):
        reach |= (reach >> number | reach >> other) & turn.open
    return runs_of_six(mirrored(turn.rules, reach)) != 0


# ---------------------------------------------------------------- step by step

cdef struct Walk:
    # a turn under way: the position reached, and what it leaves to the next step
    Record at
    uint32_t own
    uint32_t blots
    uint32_t over         # where mine stand on his pinned one
    uint32_t locked       # points that hold a checker which hit there and stays
    uint32_t runner       # the only point that may be left; 0: any
    uint32_t below        # points a further number of a double may leave
    int from_head         # checkers that may still leave own 24
    int steps


cdef inline void start_walk(const Turn *turn, Walk *walk) noexcept nogil:
    walk.at = turn.base
    walk.own = turn.own
    walk.blots = turn.blots
    walk.over = turn.over
    walk.locked = 0
    walk.runner = turn.runner
    walk.below = ANYWHERE
    walk.from_head = head_limit(turn, 0, False)
    walk.steps = 0


cdef inline int head_limit(const Turn *turn, int double_number, bint needed) noexcept nogil:
    """How many checkers a turn may take from own 24."""
    if not turn.rules.one_from_head:
        return turn.rules.checkers
    if turn.own_side[24] == turn.rules.checkers:
        if turn.rules.two_on_first_doubles and double_number in (3, 4, 6):
            return 2
        if turn.rules.two_if_needed and needed:
            return 2
    return 1


cdef inline uint32_t walk_sources(const Turn *turn, const Walk *walk, int number) noexcept nogil:
    """Where `number` can be played from now, whatever was played before."""
    cdef const uint8_t *counts = own_counts(turn, &walk.at)
    cdef uint32_t sources = sources_of(turn, walk.own, number)
    cdef uint32_t locked = walk.locked & sources
    cdef int point
    if walk.runner:
        sources &= walk.runner
    if walk.from_head == 0:
        sources &= ~START_BIT
    while locked:
        point = lowest_bit(locked)
        locked &= locked - 1
        if counts[point] == 1:
            sources &= ~bit(point)
    return sources


cdef inline void take_step(const Turn *turn, const Walk *walk, int number, int point, Walk *then) noexcept nogil:
    cdef uint32_t from_ = bit(point)
    cdef uint32_t landed = landing(point, number)
    cdef uint32_t touched = walk.blots & landed
    cdef uint32_t freed = 0
    cdef uint32_t own = walk.own | landed
    if own_counts(turn, &walk.at)[point] == 1:
        own ^= from_
        freed = walk.over & from_
    emit(&then.at, &walk.at,
         delta(turn, turn.rules.pins, number, point, walk.blots << number, freed))
    then.own = own
    then.blots = (walk.blots ^ touched) | freed
    then.over = (walk.over | (touched if turn.rules.pins else 0)) ^ freed
    then.locked = walk.locked | (touched & HOME if turn.rules.hitter_stays_home else 0)
    then.runner = 0
    then.below = (from_ << 1) - 1
    then.from_head = walk.from_head - (point == 24)
    then.steps = walk.steps + 1
    if walk.runner:
        if turn.rules.runner_whole_turn or point - number > turn.rules.runner_exit:
            then.runner = landed
        else:
            then.below = ANYWHERE


cdef inline bint ends_game(const Turn *turn, const Walk *walk) noexcept nogil:
    """Whether his mother is pinned for good, which ends the turn where it stands."""
    if not walk.over & MOTHER or not turn.rules.mother_loses:
        return False
    return not (
        turn.rules.mother_is_mutual and walk.own & START_BIT and not turn.still & START_BIT
    )


# ---------------------------------------------------------------- mixed rolls

cdef inline int64_t mixed_plain(const Turn *turn, bint hits, bint pins, int high, int low, Record *out) noexcept nogil:
    """Both numbers, where no checker is on the bar, bears off or is held back.

    Every source of one number goes with every source of the other, so the results are a
    rectangle, and the exceptions are masks.
    """
    cdef Record *row = out
    cdef const Record *seconds[26]
    cdef uint8_t second_points[26]
    cdef uint32_t free = turn.own & ~turn.still if pins else turn.own
    cdef uint32_t blots = turn.blots if hits or pins else 0
    cdef uint32_t frees = turn.frees if pins else 0
    cdef uint32_t leaves_two = turn.leaves_two if pins else 0
    cdef uint32_t by_high = free & (turn.open << high)
    cdef uint32_t by_low = free & (turn.open << low)
    cdef uint32_t ends_open = turn.open << (high + low)
    cdef uint32_t hits_high = by_high & (blots << high)
    cdef uint32_t hits_low = by_low & (blots << low)
    # One checker over its own side's intermediate point is two steps of the rectangle already,
    # and twice in it where both intermediate points are own. A lone one that pins there would
    # be left or joined at the wrong moment, so that stays one run.
    cdef uint32_t passed = ~frees
    cdef uint32_t over_own_high = by_high & ((by_low & passed) << high)
    cdef uint32_t over_own_low = by_low & ((by_high & passed) << low)
    cdef uint32_t twice = over_own_high & over_own_low
    cdef uint32_t alone = ~turn.made
    cdef uint32_t rest, from_, skip
    cdef int seconds_count = 0, point, at
    cdef Record first
    alone |= leaves_two
    if turn.rules.one_from_head:
        alone |= START_BIT

    rest = by_low
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        seconds[seconds_count] = delta(turn, pins, low, point, hits_low, frees)
        second_points[seconds_count] = point
        seconds_count += 1
    rest = by_high
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        from_ = bit(point)
        # Not with itself when alone; not the second of two equal runs; not a blot hit twice; not
        # a lone pinning checker that is joined as it leaves.
        skip = (
            (alone & from_) | (twice & from_ << low) | (hits_high & from_) >> (high - low)
            | (frees & from_) << low | (frees & from_ >> high)
        )
        emit(&first, &turn.base, delta(turn, pins, high, point, hits_high, frees))
        for at in range(seconds_count):
            emit(row, &first, seconds[at])
            row += 1 - (skip >> second_points[at] & 1)

    # The same blot hit by both: once hit, it is hit no more.
    rest = hits_high & (by_low << (high - low))
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        emit(&first, &turn.base, delta(turn, pins, high, point, hits_high, frees))
        emit(row, &first, delta(turn, pins, low, point - (high - low), 0, frees))
        row += 1

    # Two that pin together leave together.
    rest = leaves_two & by_high & by_low
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        emit(&first, &turn.base, delta(turn, pins, high, point, hits_high, 0))
        emit(row, &first, delta(turn, pins, low, point, hits_low, ANYWHERE))
        row += 1

    # One checker plays both numbers over a point that is not own, and leaves no trace there.
    if hits:
        rest = (by_high & ~hits_high) | (by_low & ~hits_low)
    else:
        rest = by_high | by_low
    rest &= ends_open & ~(over_own_high | over_own_low)
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        emit(row, &turn.base,
             delta(turn, pins, high + low, point, blots << (high + low), frees))
        row += 1
    if not hits:
        return row - out
    if turn.rules.hitter_stays_home:
        hits_high &= ~(<uint32_t>HOME << high)
        hits_low &= ~(<uint32_t>HOME << low)
    rest = hits_high & ends_open
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        emit(&first, &turn.base, delta(turn, pins, high, point, hits_high, 0))
        emit(row, &first, delta(turn, pins, low, point - high, blots << low, 0))
        row += 1
    rest = hits_low & ends_open
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        emit(&first, &turn.base, delta(turn, pins, low, point, hits_low, 0))
        emit(row, &first, delta(turn, pins, high, point - low, blots << high, 0))
        row += 1
    return row - out


cdef int64_t mixed_from_bar(const Turn *turn, int high, int low, Record *out) noexcept nogil:
    """Both numbers, with a checker on the bar: one enters, then the other number."""
    cdef Record *row = out
    cdef uint32_t enters_high = turn.open << high & BAR_BIT
    cdef uint32_t enters_low = turn.open << low & BAR_BIT
    cdef uint32_t hits_high = turn.blots << high
    cdef uint32_t hits_low = turn.blots << low
    cdef uint32_t entered, rest
    cdef Record first
    cdef int point
    if turn.made & BAR_BIT:
        if enters_high and enters_low:
            emit(&first, &turn.base, delta(turn, False, high, 25, hits_high, 0))
            emit(row, &first, delta(turn, False, low, 25, hits_low, 0))
            row += 1
        return row - out
    if enters_high:
        entered = BAR_BIT >> high
        rest = ((turn.own ^ BAR_BIT) | entered) & (turn.open << low)
        emit(&first, &turn.base, delta(turn, False, high, 25, hits_high, 0))
        while rest:
            point = lowest_bit(rest)
            rest &= rest - 1
            # A blot hit on entering is hit no more.
            emit(row, &first, delta(turn, False, low, point, hits_low & ~(entered << low), 0))
            row += 1
    if enters_low:
        entered = BAR_BIT >> low
        rest = ((turn.own ^ BAR_BIT) | entered) & (turn.open << high)
        if enters_high and not turn.blots & (entered | BAR_BIT >> high):
            # The checker that entered and ran on stands where it does the other way round.
            rest &= ~entered
        emit(&first, &turn.base, delta(turn, False, low, 25, hits_low, 0))
        while rest:
            point = lowest_bit(rest)
            rest &= rest - 1
            emit(row, &first, delta(turn, False, high, point, hits_high & ~(entered << high), 0))
            row += 1
    return row - out


cdef struct Orders:
    # the higher number first: what can be left by it, and by the lower number after it
    uint32_t by_high
    uint32_t low_after[26]
    uint32_t traces       # where passing leaves a mark: blots that are hit, but not those pinned


cdef inline bint goes_high_first(const Orders *orders, int by_high, int by_low) noexcept nogil:
    return orders.by_high >> by_high & 1 and orders.low_after[by_high] >> by_low & 1


cdef inline bint runs_high_first(const Orders *orders, int point, int high) noexcept nogil:
    """Whether the checker on `point` plays high, then low, leaving no mark on the way."""
    return (
        point > high
        and not orders.traces >> (point - high) & 1
        and goes_high_first(orders, point, point - high)
    )


cdef inline void emit_step(const Turn *turn, const Walk *walk, int number, int point, Record *row) noexcept nogil:
    cdef uint32_t frees = walk.over if own_counts(turn, &walk.at)[point] == 1 else 0
    emit(row, &walk.at,
         delta(turn, turn.rules.pins, number, point, walk.blots << number, frees))


cdef int64_t mixed_stepwise(Turn *turn, int high, int low, Record *out) noexcept nogil:
    """Both numbers, where the first step decides what the second may do.

    All orders with the higher number first, then those the other way round that give something
    new. A step that ends the game is a result by itself.
    """
    cdef Record *row = out
    cdef Orders orders
    cdef Walk start, then
    cdef uint32_t by_low, firsts, seconds
    cdef int point, second
    start_walk(turn, &start)
    orders.by_high = walk_sources(turn, &start, high)
    orders.traces = turn.blots if turn.rules.hits else 0
    by_low = walk_sources(turn, &start, low)

    firsts = orders.by_high
    while firsts:
        point = lowest_bit(firsts)
        firsts &= firsts - 1
        take_step(turn, &start, high, point, &then)
        if turn.watches_mother and ends_game(turn, &then):
            orders.low_after[point] = 0
            row[0] = then.at
            row += 1
        else:
            orders.low_after[point] = walk_sources(turn, &then, low)
    firsts = by_low if turn.watches_mother else 0
    while firsts:
        point = lowest_bit(firsts)
        firsts &= firsts - 1
        take_step(turn, &start, low, point, &then)
        if ends_game(turn, &then):
            by_low ^= bit(point)
            row[0] = then.at
            row += 1
    turn.most = 1 if row > out else 0

    firsts = orders.by_high
    while firsts:
        point = lowest_bit(firsts)
        firsts &= firsts - 1
        seconds = orders.low_after[point]
        if point + low <= 25 and runs_high_first(&orders, point + low, high):
            # The checker on point + low would only take this one's place.
            seconds &= ~bit(point + low)
        if not seconds:
            continue
        turn.most = 2
        take_step(turn, &start, high, point, &then)
        while seconds:
            second = lowest_bit(seconds)
            seconds &= seconds - 1
            emit_step(turn, &then, low, second, row)
            row += 1

    firsts = by_low
    while firsts:
        point = lowest_bit(firsts)
        firsts &= firsts - 1
        take_step(turn, &start, low, point, &then)
        seconds = walk_sources(turn, &then, high)
        if not landing(point, low) & orders.traces and runs_high_first(&orders, point, high):
            seconds &= ~landing(point, low)
        if point <= low:
            # Two checkers borne off, each by either number: the higher one went by the higher.
            seconds &= ~(bit(point) - 1)
        while seconds:
            second = lowest_bit(seconds)
            seconds &= seconds - 1
            if goes_high_first(&orders, second, point):
                continue
            if turn.watches_mother and second - high == point and second > low and (
                goes_high_first(&orders, second - low, second)
            ):
                # The last one to leave the start, over either own point: no run, as it ends the game.
                continue
            turn.most = 2
            emit_step(turn, &then, high, second, row)
            row += 1
    return row - out


cdef int64_t one_number(const Turn *turn, int number, Record *out) noexcept nogil:
    cdef uint32_t sources = sources_of(turn, turn.own, number)
    cdef int64_t count = 0
    cdef int point
    if turn.runner:
        sources &= turn.runner
    while sources:
        point = lowest_bit(sources)
        sources &= sources - 1
        emit(&out[count], &turn.base,
             delta(turn, turn.rules.pins, number, point, turn.blots << number, turn.frees))
        count += 1
    return count


cdef bint steps_depend(const Turn *turn, int high) noexcept nogil:
    """Whether a first step can change what a second one may do."""
    cdef uint32_t outside = turn.own >> 7
    if turn.runner or turn.watches_mother:
        return True
    if outside & (outside - 1) or turn.made >> 7:
        return False
    return not outside or highest_bit(turn.own) - high <= 6


cdef int64_t both_from_head(const Turn *turn, int high, int low, Record *out) noexcept nogil:
    """A checker each from the full head, where one alone cannot play both numbers."""
    cdef Record first
    if not turn.open << high & turn.open << low & START_BIT:
        return 0
    emit(&first, &turn.base, delta(turn, False, high, 24, 0, 0))
    emit(out, &first, delta(turn, False, low, 24, 0, 0))
    return 1


cdef int64_t play_mixed(Turn *turn, int high, int low, Record *out, uint8_t *played) noexcept nogil:
    cdef bint watch = turn.has_bans and may_wall(turn, high, low, 2)
    cdef bint stepwise = False
    cdef int64_t count
    cdef int number, attempt
    if turn.own & BAR_BIT:
        count = mixed_from_bar(turn, high, low, out)
    elif steps_depend(turn, high):
        stepwise = True
        count = mixed_stepwise(turn, high, low, out)
    else:
        if turn.rules.hits:
            count = mixed_plain(turn, True, False, high, low, out)
        elif turn.rules.pins:
            count = mixed_plain(turn, False, True, high, low, out)
        else:
            count = mixed_plain(turn, False, False, high, low, out)
    if watch:
        count = keep_unbanned(turn, out, count)
    if not count and turn.rules.two_if_needed and head_limit(turn, 0, True) == 2:
        count = both_from_head(turn, high, low, out)
        if watch:
            count = keep_unbanned(turn, out, count)
    if count:
        played[0] = turn.most if turn.watches_mother else 2
        if turn.rules.may_stop_bearing_off and stepwise:
            count += mixed_stops(turn, high, low, watch, &out[count])
        return count
    for attempt in range(2):
        number = low if attempt else high
        count = one_number(turn, number, out)
        if watch:
            count = keep_unbanned(turn, out, count)
        if count:
            played[0] = 1
            if turn.rules.may_stop_bearing_off:
                count += unplayed_stop(turn, high, low, watch, &out[count])
            return count
    return 0


# ---------------------------------------------------------------- doubles

cdef struct Chains:
    # a double's sources, one chain of points `number` apart after another, each downwards, so
    # that the point a source feeds stands right behind it
    int number
    int count
    uint8_t points[26]
    uint8_t checkers[26]
    const Record *deltas[26]      # of the first checker to leave the point: only that one can hit
    const Record *steps           # of any checker: two or four variants a point
    uint32_t hits                 # points from which the first checker hits or pins
    uint32_t frees                # points whose last checker frees one as it leaves
    uint32_t feeds                # points whose next one was empty and can be left in turn
    # Two steps at once, in the order of their first source, from `pairs_from` each source on:
    # most results end in one of these, and a run of them needs no decision.
    int pairs_from[27]
    Record pairs[MOST_PAIRS]


cdef inline const Record *step_from(const Chains *chains, bint pins, int point, bint first, bint last) noexcept nogil:
    """What a step adds: the first checker to leave may hit or pin, the last one may free."""
    cdef uint32_t hit = chains.hits >> point & 1 if first else 0
    if not pins:
        return chains.steps + (2 * point + hit)
    return chains.steps + (4 * point + hit + (2 if last and chains.frees >> point & 1 else 0))


cdef inline void link(const Turn *turn, bint pins, int number, const Record *at, uint32_t own,
                      uint32_t blots, int from_head, Chains *chains) noexcept nogil:
    cdef const uint8_t *counts = own_counts(turn, at)
    cdef uint32_t sources = own & ~turn.still & (turn.open << number)
    cdef uint32_t rest
    cdef int point, start, index = 0
    chains.number = number
    if pins:
        chains.steps = <const Record *>PIN_DELTAS[turn.flip][number]
    else:
        chains.steps = <const Record *>DELTAS[turn.flip][number]
    chains.hits = blots << number
    chains.frees = turn.over | blots
    chains.feeds = ((turn.open << number) & ~own) << number
    for start in range(number):
        rest = sources & (CHAIN_OF[number] << start)
        while rest:
            point = highest_bit(rest)
            rest ^= bit(point)
            chains.points[index] = point
            chains.checkers[index] = counts[point]
            chains.deltas[index] = step_from(chains, pins, point, True, counts[point] == 1)
            if point == 24 and from_head < counts[24]:
                chains.checkers[index] = from_head
            index += 1
    chains.count = index


cdef inline void pair_up(Chains *chains, bint pins) noexcept nogil:
    cdef Record *pair = chains.pairs
    cdef const Record *first
    cdef int index, second, point, fed, checkers
    for index in range(chains.count):
        chains.pairs_from[index] = pair - chains.pairs
        point = chains.points[index]
        fed = point - chains.number
        checkers = chains.checkers[index]
        first = chains.deltas[index]
        emit(pair, first, step_from(chains, pins, point, False, checkers == 2))
        pair += checkers > 1
        emit(pair, first, step_from(chains, pins, max(fed, 0), True, True))
        pair += chains.feeds >> point & 1
        second = index + 1
        if pins and second < chains.count and chains.points[second] == fed:
            # Joined before it is left.
            emit(pair, first, step_from(chains, pins, fed, True, False))
            pair += 1
            second += 1
        for second in range(second, chains.count):
            emit(pair, first, chains.deltas[second])
            pair += 1
    chains.pairs_from[chains.count] = pair - chains.pairs


# After `used` steps from `source`, which has `spare` checkers more, there may follow: the same
# source again, the point it feeds, and every source from index `ahead` on.

cdef inline Record *extend_by_one(const Chains *chains, bint pins, const Record *at, int source,
                                  int used, int spare, int ahead, Record *row) noexcept nogil:
    cdef Record base = at[0]
    cdef int fed = source - chains.number
    cdef int index
    # Written in any case, kept if legal: cheaper than a branch that nothing can predict.
    emit(row, &base, step_from(chains, pins, source, False, spare == 1))
    row += spare > 0
    emit(row, &base, step_from(chains, pins, max(fed, 0), True, used == 1))
    row += chains.feeds >> source & 1
    if pins and ahead < chains.count and chains.points[ahead] == fed:
        emit(row, &base, step_from(chains, pins, fed, True, False))
        row += 1
        ahead += 1
    for index in range(ahead, chains.count):
        emit(row, &base, chains.deltas[index])
        row += 1
    return row


cdef inline Record *extend_by_two(const Chains *chains, bint pins, const Record *at, int source,
                                  int used, int spare, int ahead, Record *row) noexcept nogil:
    cdef Record base = at[0]
    cdef Record then
    cdef int fed = source - chains.number
    cdef int index
    if spare:
        emit(&then, &base, step_from(chains, pins, source, False, spare == 1))
        row = extend_by_one(chains, pins, &then, source, used + 1, spare - 1, ahead, row)
    if chains.feeds >> source & 1:
        emit(&then, &base, step_from(chains, pins, fed, True, used == 1))
        row = extend_by_one(chains, pins, &then, fed, 1, used - 1, ahead, row)
    if ahead < chains.count and chains.points[ahead] == fed:
        # What arrived there can move on as well.
        emit(&then, &base, step_from(chains, pins, fed, True, False))
        row = extend_by_one(
            chains, pins, &then, fed, 1, chains.checkers[ahead] - 1 + used, ahead + 1, row
        )
        ahead += 1
    for index in range(chains.pairs_from[ahead], chains.pairs_from[chains.count]):
        add_lanes(row.lane, base.lane, chains.pairs[index].lane)
        row += 1
    return row


cdef Record *pin_two(const Chains *chains, const Record *at, int source, int used, int spare,
                     int ahead, Record *row) noexcept nogil:
    return extend_by_two(chains, True, at, source, used, spare, ahead, row)


cdef Record *play_two(const Chains *chains, const Record *at, int source, int used, int spare,
                      int ahead, Record *row) noexcept nogil:
    return extend_by_two(chains, False, at, source, used, spare, ahead, row)


cdef Record *extend(const Chains *chains, bint pins, const Record *at, int source, int used, int spare,
                    int ahead, int left, Record *row) noexcept nogil:
    """Every way to play `left` more numbers."""
    cdef int fed = source - chains.number
    cdef int index, more
    cdef Record then
    if left == 1:
        return extend_by_one(chains, pins, at, source, used, spare, ahead, row)
    if left == 2 and pins:
        return pin_two(chains, at, source, used, spare, ahead, row)
    if left == 2:
        return play_two(chains, at, source, used, spare, ahead, row)
    if spare:
        emit(&then, at, step_from(chains, pins, source, False, spare == 1))
        row = extend(chains, pins, &then, source, used + 1, spare - 1, ahead, left - 1, row)
    if chains.feeds >> source & 1:
        emit(&then, at, step_from(chains, pins, fed, True, used == 1))
        row = extend(chains, pins, &then, fed, 1, used - 1, ahead, left - 1, row)
    for index in range(ahead, chains.count):
        more = chains.checkers[index] - 1
        if chains.points[index] == fed:
            more += used
            emit(&then, at, step_from(chains, pins, fed, True, False))
        else:
            emit(&then, at, chains.deltas[index])
        row = extend(
            chains, pins, &then, chains.points[index], 1, more, index + 1, left - 1, row
        )
    return row


cdef int64_t double_plain(const Turn *turn, int number, int numbers, int from_head, Record *out) noexcept nogil:
    """`numbers` of a double, where steps change nothing for later ones but what they feed."""
    cdef Record at = turn.base
    cdef uint32_t own = turn.own, blots = turn.blots
    cdef int entering
    cdef Chains chains
    if turn.rules.pins:
        link(turn, True, number, &at, own, blots, from_head, &chains)
        if numbers > 1:
            pair_up(&chains, True)
        return extend(&chains, True, &at, 0, 0, 0, 0, numbers, out) - out
    if own & BAR_BIT:
        # All on the bar come first, and no other way.
        if not own & turn.open << number & BAR_BIT:
            return 0
        entering = min(<int>turn.own_side[25], numbers)
        numbers -= entering
        emit(&at, &at, delta(turn, False, number, 25, blots << number, 0))
        while entering > 1:
            emit(&at, &at, delta(turn, False, number, 25, 0, 0))
            entering -= 1
        own = own ^ BAR_BIT | BAR_BIT >> number
        blots &= ~(BAR_BIT >> number)
        if numbers == 0:
            out[0] = at
            return 1
    link(turn, False, number, &at, own, blots, from_head, &chains)
    if numbers > 1:
        pair_up(&chains, False)
    return extend(&chains, False, &at, 0, 0, 0, 0, numbers, out) - out


cdef Record *descend(Turn *turn, int number, const Walk *walk, int left, Record *row) noexcept nogil:
    """Every way to play `left` more numbers, whatever a step may change: sources never rise.

    Only the runner's release starts the order anew: until then nothing else could move. Steps
    that end the game come last, after any others.
    """
    cdef uint32_t all_sources = walk_sources(turn, walk, number)
    cdef uint32_t sources = all_sources & walk.below
    cdef Walk then
    cdef int point
    while turn.watches_mother and all_sources:
        point = highest_bit(all_sources)
        all_sources ^= bit(point)
        take_step(turn, walk, number, point, &then)
        if not ends_game(turn, &then):
            continue
        sources &= ~bit(point)
        if point == 24 and not turn.over & MOTHER and own_counts(turn, &walk.at)[1] == 1:
            # The step that pinned her could come last instead: the same position.
            continue
        turn.most = max(turn.most, then.steps)
        row[0] = then.at
        row += 1
    while sources:
        point = highest_bit(sources)
        sources ^= bit(point)
        if left == 1:
            turn.most = max(turn.most, walk.steps + 1)
            emit_step(turn, walk, number, point, row)
            row += 1
        else:
            take_step(turn, walk, number, point, &then)
            row = descend(turn, number, &then, left - 1, row)
    return row


cdef inline bint double_depends(const Turn *turn) noexcept nogil:
    """Whether steps can change what later ones may do, but for what a source feeds."""
    cdef int outside = turn.rules.checkers, point
    for point in range(7):
        outside -= turn.own_side[point]
    # Four checkers outside home cannot all come in before the last number.
    return (
        outside < 4 or turn.runner or turn.watches_mother or turn.rules.hitter_stays_home
    )


cdef int64_t play_double(Turn *turn, int number, Record *out, uint8_t *played) noexcept nogil:
    cdef bint watch = turn.has_bans and may_wall(turn, number, number, 4)
    cdef bint depends = double_depends(turn)
    cdef int from_head = head_limit(turn, number, False)
    cdef Walk walk
    cdef Record *end
    cdef int64_t count
    cdef int numbers = turn.numbers
    start_walk(turn, &walk)
    while numbers:
        if depends:
            walk.from_head = from_head
            turn.most = 0
            count = descend(turn, number, &walk, numbers, out) - out
        else:
            count = double_plain(turn, number, numbers, from_head, out)
        if watch:
            count = keep_unbanned(turn, out, count)
        if count:
            played[0] = turn.most if turn.watches_mother else numbers
            if turn.rules.may_stop_bearing_off and depends:
                end = out + count
                double_stops(turn, number, &walk, numbers, watch, &end)
                count = end - out
            return count
        if from_head < head_limit(turn, number, True):
            from_head = head_limit(turn, number, True)
        else:
            numbers -= 1
    return 0


# ---------------------------------------------------------------- bearing off may stop (option)

cdef inline bint only_bears_off(const Turn *turn, uint32_t sources, int number) noexcept nogil:
    return sources != 0 and not sources & (turn.open << number)


cdef inline bint passes(const Turn *turn, bint watch, const Record *row) noexcept nogil:
    return not watch or not breaks_ban(turn, own_counts(turn, row))


cdef int64_t unplayed_stop(const Turn *turn, int high, int low, bint watch, Record *row) noexcept nogil:
    """The unchanged position, where neither number could do anything but bear off."""
    cdef uint32_t by_high = sources_of(turn, turn.own, high)
    cdef uint32_t by_low = sources_of(turn, turn.own, low)
    if turn.runner or not by_high | by_low:
        return 0
    if (turn.open << high & by_high) | (turn.open << low & by_low):
        return 0
    row[0] = turn.base
    return 1 if passes(turn, watch, row) else 0


cdef bint finishes(const Turn *turn, const Walk *first, int number, uint32_t seconds, bint watch) noexcept nogil:
    """Whether one of the second steps ends in a legal result."""
    cdef Record result
    cdef int point
    while seconds:
        point = lowest_bit(seconds)
        seconds &= seconds - 1
        emit_step(turn, first, number, point, &result)
        if passes(turn, watch, &result):
            return True
    return False


cdef int64_t mixed_stops(const Turn *turn, int high, int low, bint watch, Record *out) noexcept nogil:
    """Plays of one number or none, where the other could only bear off."""
    cdef Record *row = out
    cdef Walk start, then, low_first
    cdef uint32_t by_high, by_low, firsts, seconds, stopped = 0
    cdef int point
    if turn.runner:
        return 0
    start_walk(turn, &start)
    by_high = walk_sources(turn, &start, high)
    by_low = walk_sources(turn, &start, low)
    firsts = by_high
    while firsts:
        point = lowest_bit(firsts)
        firsts &= firsts - 1
        take_step(turn, &start, high, point, &then)
        seconds = walk_sources(turn, &then, low)
        if not only_bears_off(turn, seconds, low) or ends_game(turn, &then):
            continue
        if low < point <= high and by_low >> point & 1 and not (
            turn.rules.hits and turn.blots & landing(point, low)
        ):
            take_step(turn, &start, low, point, &low_first)
            if walk_sources(turn, &low_first, high) & landing(point, low):
                # Borne off by both numbers together already.
                continue
        if passes(turn, watch, &then.at) and finishes(turn, &then, low, seconds, watch):
            stopped |= bit(point)
            row[0] = then.at
            row += 1
    firsts = by_low
    while firsts:
        point = lowest_bit(firsts)
        firsts &= firsts - 1
        take_step(turn, &start, low, point, &then)
        seconds = walk_sources(turn, &then, high)
        if not only_bears_off(turn, seconds, high) or ends_game(turn, &then):
            continue
        if point <= low and stopped & bit(point):
            continue
        if passes(turn, watch, &then.at) and finishes(turn, &then, high, seconds, watch):
            row[0] = then.at
            row += 1
    return row - out + unplayed_stop(turn, high, low, watch, row)


cdef bint double_stops(const Turn *turn, int number, const Walk *walk, int left, bint watch, Record **row) noexcept nogil:
    """Plays of fewer numbers, where the rest could only bear off; tells if a full one is legal."""
    cdef uint32_t sources = walk_sources(turn, walk, number)
    cdef uint32_t rest = sources
    cdef bint finished = False
    cdef Walk then
    cdef int point
    if left == 0:
        return passes(turn, watch, &walk.at)
    while rest:
        point = highest_bit(rest)
        rest ^= bit(point)
        take_step(turn, walk, number, point, &then)
        if turn.watches_mother and ends_game(turn, &then):
            finished = True
        elif walk.below & bit(point):
            finished |= double_stops(turn, number, &then, left - 1, watch, row)
    if finished and only_bears_off(turn, sources, number) and passes(turn, watch, &walk.at):
        row[0][0] = walk.at
        row[0] += 1
    return finished


# ---------------------------------------------------------------- a turn

cdef void prepare_pins(Turn *turn) noexcept nogil:
    cdef uint32_t unused = 0, two
    cdef int point
    turn.still = pinned_mask(turn.own_side) & POINTS
    turn.over = pinned_mask(turn.opp_side) & POINTS
    mirror(turn.rules, &turn.over, &unused)
    turn.frees = turn.over & ~turn.made
    turn.keeps = turn.rules.pinned_bars_bearing_off and turn.still
    two = turn.over & turn.made
    while two:
        point = lowest_bit(two)
        two &= two - 1
        if turn.own_side[point] == 2:
            turn.leaves_two |= bit(point)


cdef bint mothers_decide(const Turn *turn) noexcept nogil:
    """Whether a pinned mother has ended the game already."""
    cdef bint his_pinned = (turn.over & MOTHER) != 0
    cdef bint mine_pinned = (turn.still & START_BIT) != 0
    if his_pinned and mine_pinned:
        return True
    if not turn.rules.mother_loses:
        return False
    if turn.rules.mother_is_mutual:
        return his_pinned and not turn.own & START_BIT or mine_pinned and not turn.his & START_BIT
    return his_pinned or mine_pinned


cdef bint sound_pins(const Turn *turn) noexcept nogil:
    """Every point both sides hold has one checker pinned, and there is no other pin."""
    cdef uint32_t own_pinned = pinned_mask(turn.own_side)
    cdef uint32_t opp_pinned = pinned_mask(turn.opp_side)
    cdef Side his
    side_of(turn.opp_side, &his)
    return not (
        (own_pinned | opp_pinned) & ~POINTS
        or own_pinned & turn.made
        or opp_pinned & his.made
        or turn.still & turn.over
        or (turn.still | turn.over) != turn.own & turn.his_held
    )


cdef void prepare(Turn *turn, const Record *record, const Rules *rules, int flip) noexcept nogil:
    """Everything about a position that its rolls share. Safe for any bytes."""
    cdef uint32_t closed, wall, behind
    cdef Side mine, his
    turn.rules = rules
    turn.flip = flip
    turn.own_at = SIDE if flip else 0
    turn.own_side = <const uint8_t *>&turn.base + turn.own_at
    turn.opp_side = <const uint8_t *>&turn.base + (SIDE - turn.own_at)
    take_record(<const uint8_t *>record, <uint8_t *>turn.own_side, <uint8_t *>turn.opp_side,
                &mine, &his)
    turn.own = mine.held & ON_BOARD
    turn.made = mine.made
    turn.his = his.held & ON_BOARD
    turn.his_held = turn.his
    mirror(rules, &turn.his_held, &his.made)
    closed = his.made if rules.hits else turn.his_held
    turn.still = turn.over = turn.frees = turn.leaves_two = 0
    turn.keeps = turn.watches_mother = False
    if rules.pins:
        prepare_pins(turn)
        closed = his.made | turn.still
    turn.blots = turn.his_held & ~closed & ~turn.over
    turn.open = ~closed & POINTS
    turn.runner = travelling(turn.own, turn.own_side[24], rules.checkers, rules.runner_exit)
    turn.borne_off = (
        turn.own_side[0] == rules.checkers or turn.opp_side[0] == rules.checkers
    )
    turn.finished = turn.borne_off
    if rules.pins:
        turn.watches_mother = rules.mother_loses and (turn.blots | turn.over) & MOTHER
        turn.finished |= mothers_decide(turn)
    turn.plays_on = rules.last_roll and turn.own_side[0] != rules.checkers
    turn.numbers = 4
    turn.bans_block = False
    turn.opens_block = False
    if rules.bans_total_block or rules.bans_one_point_block:
        turn.his_runner = travelling(
            turn.his, turn.opp_side[24], rules.checkers, rules.runner_exit
        )
        if not turn.his_runner:
            turn.his_runner = ANYWHERE
        wall = mirrored(rules, turn.own)
        turn.opens_block = totally_blocked(turn, wall, runs_of_six(wall))
        turn.bans_block = turn.opens_block or not rules.block_may_be_built
    turn.has_bans = turn.bans_block or rules.bans_walls
    behind = (mine.held | his.held) >> 26
    turn.unsound = (mine.total ^ rules.checkers) | (his.total ^ rules.checkers)
    if rules.pins:
        turn.unsound |= (behind & 3) | <uint32_t>(not sound_pins(turn))
    else:
        turn.unsound |= behind | turn.own & turn.his_held
    if not rules.hits:
        turn.unsound |= (turn.own | turn.his) & BAR_BIT


cdef int faults(const Turn *turn) noexcept nogil:
    """What keeps the prepared record from being a position of its game."""
    cdef const uint8_t *own = turn.own_side
    cdef const uint8_t *opp = turn.opp_side
    cdef int found = 0
    cdef int own_total = 0, opp_total = 0, point
    if not turn.unsound:
        return 0
    for point in range(26):
        own_total += own[point]
        opp_total += opp[point]
    if own[26] | own[27] | opp[26] | opp[27]:
        found |= SPARE_IN_USE
    if turn.rules.pins:
        if not sound_pins(turn):
            found |= PINNED
    elif pinned_mask(own) | pinned_mask(opp):
        found |= PINNED
    if own_total != turn.rules.checkers:
        found |= OWN_TOTAL
    if opp_total != turn.rules.checkers:
        found |= OPP_TOTAL
    if not turn.rules.pins and turn.own & turn.his_held:
        found |= SHARED_POINT
    if not turn.rules.hits and (turn.own | turn.his) & BAR_BIT:
        found |= BAR_IN_USE
    return found


cdef int64_t play(Turn *turn, int die, int other, Record *out, uint8_t *played) noexcept nogil:
    if die == other:
        return play_double(turn, die, out, played)
    if die > other:
        return play_mixed(turn, die, other, out, played)
    return play_mixed(turn, other, die, out, played)


cdef int64_t play_roll(Turn *turn, int die, int other, Record *out, uint8_t *played) noexcept nogil:
    """Every distinct result of one roll; the unchanged position where nothing can be played."""
    cdef int64_t count = 0
    if not turn.finished or turn.plays_on:
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


# ---------------------------------------------------------------- what the library calls

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

    Results go straight to the output while any result would fit, then through the scratch rows,
    so that nothing beyond the reported rows is ever touched.
    """
    cdef int64_t row = work.done // work.rolls_each
    cdef int64_t at = work.done - row * work.rolls_each
    # The last pair always goes by the scratch rows: it has none after it to cover its junk.
    cdef int64_t last = work.rows * work.rolls_each - 1
    cdef int64_t room, count
    cdef const uint8_t *dice
    cdef Record *target
    cdef Turn turn
    while row < work.rows:
        prepare(&turn, &work.records[row], work.rules, work.flip)
        work.fault = faults(&turn)
        if work.fault:
            return
        while at < work.rolls_each:
            dice = work.rolls + row * work.roll_stride + 2 * at
            if not (1 <= dice[0] <= 6 and 1 <= dice[1] <= 6):
                work.fault = BAD_DIE
                return
            room = work.capacity - work.used
            if room >= (MOST_DOUBLE if dice[0] == dice[1] else MOST_MIXED) and work.done < last:
                count = play_roll(&turn, dice[0], dice[1], work.out + work.used,
                                  &work.played[work.done])
            else:
                target = work.scratch
                count = play_roll(&turn, dice[0], dice[1], target, &work.played[work.done])
                if work.out:
                    if room < count:
                        return
                    memcpy(work.out + work.used, target, count * sizeof(Record))
            work.used += count
            work.done += 1
            work.offsets[work.done] = work.used
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
    if turn.finished:
        return 1
    for die in range(1, 7):
        for other in range(1, die + 1):
            count = play_roll(&turn, die, other, arena, &played)
            below = count
            if depth > 1:
                below = 0
                for at in range(count):
                    if stop[0]:
                        return 0
                    below += perft(&arena[at], depth - 1, weighted, rules, arena + MOST_DOUBLE,
                                   stop)
            total += below << 1 if weighted and die != other else below
    return total


cdef inline void resume(Walk *walk, const Freedom *freedom) noexcept nogil:
    walk.locked = freedom.locked
    if freedom.runner:
        walk.runner = freedom.runner
    # Up to two: the moves themselves say whether a second one was allowed.
    walk.from_head = max(walk.from_head + 1 - freedom.head_taken, 0)


cdef uint32_t sources(const Record *record, int number, const Rules *rules,
                      const Freedom *freedom) noexcept nogil:
    cdef Turn turn
    cdef Walk walk
    prepare(&turn, record, rules, 0)
    start_walk(&turn, &walk)
    resume(&walk, freedom)
    if turn.plays_on or not turn.finished:
        return walk_sources(&turn, &walk, number)
    # Without the mother rule, both mothers pinned end the game only when the turn is over.
    if not turn.borne_off and not rules.mother_loses:
        return walk_sources(&turn, &walk, number)
    return 0


cdef int step(Record *record, int point, int number, const Rules *rules, Freedom *freedom) noexcept nogil:
    """Play one step in place; returns whether it hits."""
    cdef Turn turn
    cdef Walk walk, then
    prepare(&turn, record, rules, 0)
    start_walk(&turn, &walk)
    resume(&walk, freedom)
    take_step(&turn, &walk, number, point, &then)
    record[0] = then.at
    freedom.locked = then.locked
    freedom.runner = then.runner if rules.runner_whole_turn else 0
    freedom.head_taken += point == 24
    return (walk.blots & landing(point, number)) != 0


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
KERNEL.abi = ABI
KERNEL.faults = record_faults
KERNEL.afterstates = afterstates
KERNEL.batch = batch
KERNEL.perft = perft
KERNEL.sources = sources
KERNEL.step = step

kernel = PyCapsule_New(&KERNEL, "tavli_fast.kernel", NULL)
