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
    SPARE_IN_USE, Batch, Freedom, Kernel, Record, Rules,
)

cdef extern from "_bits.h" nogil:
    int lowest_bit(uint32_t mask)
    int highest_bit(uint32_t mask)
    void side_masks(const uint8_t *counts, uint32_t *held, uint32_t *made)
    int side_total(const uint8_t *counts)
    uint64_t tail_bits(const uint8_t *counts)
    void contrary_masks(uint32_t *mask, uint32_t *other)
    uint32_t parallel_mask(uint32_t mask)
    void add_lanes(uint64_t *out, const uint64_t *base, const uint64_t *change)
    void add_delta(uint64_t *out, const uint64_t *base, const uint64_t *delta)

    # What a step of so many pips adds to a record: [own side first, or flipped][pips][the point it
    # leaves][whether it hits a blot]. More pips than the point has bear off. Filled at import.
    uint64_t DELTAS[2][12][26][2][8]

cdef enum:
    SIDE = 32                      # bytes
    HOME = 0x7E                    # points 1..6
    POINTS = 0x1FFFFFE             # points 1..24
    BAR_BIT = 0x2000000
    START_BIT = 0x1000000          # point 24
    ANYWHERE = 0x3FFFFFF
    START_QUARTER = 0x1F80000      # own 24..19
    MOTHER_PRIME_RUN = 1 << 18     # his 18..23, right in front of his start point

    MOST_PAIRS = 352               # of 25 sources: any two, one twice, one and the point it feeds
    LONGEST = 11                   # pips of two different numbers played by one checker


# Every sixth, fifth, ... point, from the bar's own chain on.
cdef uint32_t[7] CHAIN_OF
CHAIN_OF[:] = [0, 0x3FFFFFF, 0x1555555, 0x1249249, 0x1111111, 0x2108421, 0x1041041]


cdef struct Turn:
    const Rules *rules
    Record base           # in the layout of the results
    int flip
    int own_at            # byte offset of own counts in `base` and in every result
    const uint8_t *own_side
    const uint8_t *opp_side
    uint32_t own          # where I stand, bar included
    uint32_t made         # where I have two or more
    uint32_t open         # where I may land
    uint32_t blots        # where landing hits
    uint32_t runner       # the only point that may be left while the runner travels; 0: any
    uint32_t his          # where he stands, as he numbers it
    uint32_t his_held     # the same, as I number it
    uint32_t his_runner
    bint has_bans
    bint opens_block      # he is totally blocked already, so this turn must open
    bint bans_block       # ban 1 is in force for this turn
    bint finished


cdef inline uint32_t bit(int point) noexcept nogil:
    return <uint32_t>1 << point


cdef inline uint32_t landing(int point, int number) noexcept nogil:
    """Where a step ends, as a mask; empty when it bears off."""
    return bit(point) >> number & POINTS


cdef inline const Record *delta(const Turn *turn, int number, int point, uint32_t hits) noexcept nogil:
    """What a step adds; `hits` has the points from which this number hits."""
    return <const Record *>DELTAS[turn.flip][number][point][hits >> point & 1]


cdef inline const uint8_t *own_counts(const Turn *turn, const Record *record) noexcept nogil:
    return <const uint8_t *>record + turn.own_at


cdef inline void emit(Record *out, const Record *base, const Record *change) noexcept nogil:
    add_delta(out.lane, base.lane, change.lane)


# ---------------------------------------------------------------- what a single step may do

cdef inline uint32_t sources_of(uint32_t own, uint32_t open, int number) noexcept nogil:
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


cdef inline uint32_t travelling(uint32_t own, int on_start, int checkers, int exit) noexcept nogil:
    """The only point that may be left while the runner travels alone, as a mask; 0: no limit."""
    cdef uint32_t away = own & ~START_BIT
    if exit == 0 or on_start < checkers - 1:
        return 0
    if on_start == checkers:
        return START_BIT
    return away if away >> (exit + 1) else 0


cdef inline uint32_t next_sources(const Turn *turn, int point, int played, int number) noexcept nogil:
    """Where `number` can be played from once the checker on `point` has played `played`."""
    cdef uint32_t landed = landing(point, played)
    cdef uint32_t own = turn.own | landed
    if not turn.made >> point & 1:
        own ^= bit(point)
    cdef uint32_t sources = sources_of(own, turn.open, number)
    if turn.runner and (turn.rules.runner_whole_turn or point - played > turn.rules.runner_exit):
        sources &= landed
    if turn.rules.hitter_stays_home:
        sources &= ~(turn.blots & landed & HOME)
    return sources


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
        if sources_of(his, open, number) & turn.his_runner:
            return False
    return True


cdef inline bint breaks_ban(const Turn *turn, const uint8_t *counts) noexcept nogil:
    cdef uint32_t held, made
    side_masks(counts, &held, &made)
    cdef uint32_t wall = mirrored(turn.rules, held)
    cdef uint32_t runs = runs_of_six(wall)
    if not runs:
        return False
    if turn.rules.bans_start_quarter and held & START_QUARTER == START_QUARTER:
        return True
    if turn.rules.bans_mother_prime and runs & MOTHER_PRIME_RUN and (
        not turn.rules.mother_must_be_there or turn.his & START_BIT
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


# ---------------------------------------------------------------- mixed rolls

cdef int64_t mixed_plain(const Turn *turn, int high, int low, Record *out) noexcept nogil:
    """Both numbers, where no checker is on the bar, bears off or is held back.

    Every source of one number goes with every source of the other, so the results are a
    rectangle, and the exceptions are masks.
    """
    cdef Record *row = out
    cdef const Record *seconds[26]
    cdef uint8_t second_points[26]
    cdef uint32_t by_high = turn.own & (turn.open << high)
    cdef uint32_t by_low = turn.own & (turn.open << low)
    cdef uint32_t ends_open = turn.open << (high + low)
    cdef uint32_t hits_high = by_high & (turn.blots << high)
    cdef uint32_t hits_low = by_low & (turn.blots << low)
    # One checker over its own side's intermediate point is two steps of the rectangle already,
    # and twice in it where both intermediate points are own.
    cdef uint32_t over_own_high = by_high & (by_low << high)
    cdef uint32_t over_own_low = by_low & (by_high << low)
    cdef uint32_t twice = over_own_high & over_own_low
    cdef uint32_t lone = ~turn.made
    cdef uint32_t rest, from_, skip
    cdef int seconds_count = 0, point, at
    cdef Record first

    rest = by_low
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        seconds[seconds_count] = delta(turn, low, point, hits_low)
        second_points[seconds_count] = point
        seconds_count += 1
    rest = by_high
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        from_ = bit(point)
        # Not with itself when alone; not the second of two equal runs; not a blot hit twice.
        skip = (lone & from_) | (twice & from_ << low) | (hits_high & from_) >> (high - low)
        emit(&first, &turn.base, delta(turn, high, point, hits_high))
        for at in range(seconds_count):
            emit(row, &first, seconds[at])
            row += 1 - (skip >> second_points[at] & 1)

    # The same blot hit by both: once hit, it is hit no more.
    rest = hits_high & (by_low << (high - low))
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        emit(&first, &turn.base, delta(turn, high, point, hits_high))
        emit(row, &first, delta(turn, low, point - (high - low), 0))
        row += 1

    # One checker plays both numbers over a point that is not own.
    rest = ((by_high & ~hits_high) | (by_low & ~hits_low)) & ends_open
    rest &= ~(over_own_high | over_own_low)
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        emit(row, &turn.base, delta(turn, high + low, point, turn.blots << (high + low)))
        row += 1
    if turn.rules.hitter_stays_home:
        hits_high &= ~(<uint32_t>HOME << high)
        hits_low &= ~(<uint32_t>HOME << low)
    rest = hits_high & ends_open
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        emit(&first, &turn.base, delta(turn, high, point, hits_high))
        emit(row, &first, delta(turn, low, point - high, turn.blots << low))
        row += 1
    rest = hits_low & ends_open
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        emit(&first, &turn.base, delta(turn, low, point, hits_low))
        emit(row, &first, delta(turn, high, point - low, turn.blots << high))
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
            emit(&first, &turn.base, delta(turn, high, 25, hits_high))
            emit(row, &first, delta(turn, low, 25, hits_low))
            row += 1
        return row - out
    if enters_high:
        entered = BAR_BIT >> high
        rest = ((turn.own ^ BAR_BIT) | entered) & (turn.open << low)
        emit(&first, &turn.base, delta(turn, high, 25, hits_high))
        while rest:
            point = lowest_bit(rest)
            rest &= rest - 1
            # A blot hit on entering is hit no more.
            emit(row, &first, delta(turn, low, point, hits_low & ~(entered << low)))
            row += 1
    if enters_low:
        entered = BAR_BIT >> low
        rest = ((turn.own ^ BAR_BIT) | entered) & (turn.open << high)
        if enters_high and not turn.blots & (entered | BAR_BIT >> high):
            # The checker that entered and ran on stands where it does the other way round.
            rest &= ~entered
        emit(&first, &turn.base, delta(turn, low, 25, hits_low))
        while rest:
            point = lowest_bit(rest)
            rest &= rest - 1
            emit(row, &first, delta(turn, high, point, hits_high & ~(entered << high)))
            row += 1
    return row - out


cdef struct Orders:
    # the higher number first: what can be left by it, and by the lower number after it
    uint32_t by_high
    uint32_t low_after[26]


cdef inline bint runs_high_first(const Turn *turn, const Orders *orders, int point, int high) noexcept nogil:
    """Whether the checker on `point` plays high, then low, hitting nothing on the way."""
    return (
        point > high
        and orders.by_high >> point & 1
        and not turn.blots >> (point - high) & 1
        and orders.low_after[point] >> (point - high) & 1
    )


cdef int64_t mixed_stepwise(const Turn *turn, int high, int low, Record *out) noexcept nogil:
    """Both numbers, where the first step decides what the second may do.

    All orders with the higher number first, then those the other way round that give something
    new.
    """
    cdef Record *row = out
    cdef Orders orders
    cdef Record first
    cdef uint32_t by_low = sources_of(turn.own, turn.open, low)
    cdef uint32_t hits_high = turn.blots << high
    cdef uint32_t hits_low = turn.blots << low
    cdef uint32_t firsts, seconds, landed
    cdef int point, second
    orders.by_high = sources_of(turn.own, turn.open, high)
    if turn.runner:
        orders.by_high &= turn.runner
        by_low &= turn.runner

    firsts = orders.by_high
    while firsts:
        point = lowest_bit(firsts)
        firsts &= firsts - 1
        orders.low_after[point] = next_sources(turn, point, high, low)
    firsts = orders.by_high
    while firsts:
        point = lowest_bit(firsts)
        firsts &= firsts - 1
        seconds = orders.low_after[point]
        if runs_high_first(turn, &orders, point + low, high):
            # The checker on point + low would only take this one's place.
            seconds &= ~bit(point + low)
        landed = landing(point, high)
        emit(&first, &turn.base, delta(turn, high, point, hits_high))
        while seconds:
            second = lowest_bit(seconds)
            seconds &= seconds - 1
            emit(row, &first, delta(turn, low, second, hits_low & ~(landed << low)))
            row += 1

    firsts = by_low
    while firsts:
        point = lowest_bit(firsts)
        firsts &= firsts - 1
        seconds = next_sources(turn, point, low, high)
        landed = landing(point, low)
        if not landed & turn.blots and runs_high_first(turn, &orders, point, high):
            seconds &= ~landed
        if point <= low:
            # Two checkers borne off, each by either number: the higher one went by the higher.
            seconds &= ~(bit(point) - 1)
        emit(&first, &turn.base, delta(turn, low, point, hits_low))
        while seconds:
            second = lowest_bit(seconds)
            seconds &= seconds - 1
            if orders.by_high >> second & 1 and orders.low_after[second] >> point & 1:
                continue
            emit(row, &first, delta(turn, high, second, hits_high & ~(landed << high)))
            row += 1
    return row - out


cdef int64_t one_number(const Turn *turn, int number, Record *out) noexcept nogil:
    cdef uint32_t sources = sources_of(turn.own, turn.open, number)
    cdef int64_t count = 0
    cdef int point
    if turn.runner:
        sources &= turn.runner
    while sources:
        point = lowest_bit(sources)
        sources &= sources - 1
        emit(&out[count], &turn.base, delta(turn, number, point, turn.blots << number))
        count += 1
    return count


cdef bint steps_depend(const Turn *turn, int high) noexcept nogil:
    """Whether a first step can change what a second one may do: bearing off, or the runner."""
    cdef uint32_t outside = turn.own >> 7
    if turn.runner:
        return True
    if outside & (outside - 1) or turn.made >> 7:
        return False
    return not outside or highest_bit(turn.own) - high <= 6


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
        count = mixed_plain(turn, high, low, out)
    if watch:
        count = keep_unbanned(turn, out, count)
    if count:
        played[0] = 2
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


# ---------------------------------------------------------------- step by step

cdef struct Walk:
    # a turn under way: the position reached, and what it leaves to the next step
    Record at
    uint32_t own
    uint32_t blots
    uint32_t locked       # points that hold a checker which hit there and stays
    uint32_t runner       # the only point that may be left; 0: any
    uint32_t below        # points a further number of a double may leave


cdef inline void start_walk(const Turn *turn, Walk *walk) noexcept nogil:
    walk.at = turn.base
    walk.own = turn.own
    walk.blots = turn.blots
    walk.locked = 0
    walk.runner = turn.runner
    walk.below = ANYWHERE


cdef inline uint32_t walk_sources(const Turn *turn, const Walk *walk, int number) noexcept nogil:
    """Where `number` can be played from now, whatever was played before."""
    cdef const uint8_t *counts = own_counts(turn, &walk.at)
    cdef uint32_t sources = sources_of(walk.own, turn.open, number)
    cdef uint32_t locked = walk.locked & sources
    cdef int point
    if walk.runner:
        sources &= walk.runner
    while locked:
        point = lowest_bit(locked)
        locked &= locked - 1
        if counts[point] == 1:
            sources &= ~bit(point)
    return sources


cdef inline void take_step(const Turn *turn, const Walk *walk, int number, int point, Walk *then) noexcept nogil:
    cdef uint32_t landed = landing(point, number)
    cdef uint32_t hit = walk.blots & landed
    cdef uint32_t own = walk.own | landed
    if own_counts(turn, &walk.at)[point] == 1:
        own ^= bit(point)
    emit(&then.at, &walk.at, delta(turn, number, point, walk.blots << number))
    then.own = own
    then.blots = walk.blots ^ hit
    then.locked = walk.locked | (hit & HOME if turn.rules.hitter_stays_home else 0)
    then.runner = 0
    then.below = (bit(point) << 1) - 1
    if walk.runner:
        if turn.rules.runner_whole_turn or point - number > turn.rules.runner_exit:
            then.runner = landed
        else:
            then.below = ANYWHERE


# ---------------------------------------------------------------- doubles

cdef struct Chains:
    # a double's sources, one chain of points `number` apart after another, each downwards, so
    # that the point a source feeds stands right behind it
    int number
    int count
    uint8_t points[26]
    uint8_t checkers[26]
    const Record *deltas[26]      # of the first checker to leave the point: only that one can hit
    const Record *steps           # of any checker: two a point, the second with a hit
    uint32_t hits                 # points from which the first checker hits
    uint32_t feeds                # points whose next one was empty and can be left in turn
    # Two steps at once, in the order of their first source, from `pairs_from` each source on:
    # most results end in one of these, and a run of them needs no decision.
    int pairs_from[27]
    Record pairs[MOST_PAIRS]


cdef void link(const Turn *turn, int number, const Record *at, uint32_t own, uint32_t blots, Chains *chains) noexcept nogil:
    cdef const uint8_t *counts = own_counts(turn, at)
    cdef uint32_t sources = own & (turn.open << number)
    cdef uint32_t rest
    cdef int point, start, index = 0
    chains.number = number
    chains.steps = <const Record *>DELTAS[turn.flip][number]
    chains.hits = blots << number
    chains.feeds = ((turn.open << number) & ~own) << number
    for start in range(number):
        rest = sources & (CHAIN_OF[number] << start)
        while rest:
            point = highest_bit(rest)
            rest ^= bit(point)
            chains.points[index] = point
            chains.checkers[index] = counts[point]
            chains.deltas[index] = delta(turn, number, point, chains.hits)
            index += 1
    chains.count = index


cdef void pair_up(Chains *chains) noexcept nogil:
    cdef Record *pair = chains.pairs
    cdef const Record *first
    cdef int index, second, point
    for index in range(chains.count):
        chains.pairs_from[index] = pair - chains.pairs
        point = chains.points[index]
        first = chains.deltas[index]
        emit(pair, first, chains.steps + 2 * point)
        pair += chains.checkers[index] > 1
        emit(pair, first, first_step(chains, max(point - chains.number, 0)))
        pair += chains.feeds >> point & 1
        for second in range(index + 1, chains.count):
            emit(pair, first, chains.deltas[second])
            pair += 1
    chains.pairs_from[chains.count] = pair - chains.pairs


cdef inline const Record *first_step(const Chains *chains, int point) noexcept nogil:
    return chains.steps + 2 * point + (chains.hits >> point & 1)


# After `used` steps from `source`, which has `spare` checkers more, there may follow: the same
# source again, the point it feeds, and every source from index `ahead` on.

cdef inline Record *extend_by_one(const Chains *chains, const Record *at, int source, int spare,
                                  int ahead, Record *row) noexcept nogil:
    cdef Record base = at[0]
    cdef int index
    # Written in any case, kept if legal: cheaper than a branch that nothing can predict.
    emit(row, &base, chains.steps + 2 * source)
    row += spare > 0
    emit(row, &base, first_step(chains, max(source - chains.number, 0)))
    row += chains.feeds >> source & 1
    for index in range(ahead, chains.count):
        emit(row, &base, chains.deltas[index])
        row += 1
    return row


cdef Record *extend_by_two(const Chains *chains, const Record *at, int source, int used, int spare,
                           int ahead, Record *row) noexcept nogil:
    cdef Record base = at[0]
    cdef Record then
    cdef int fed = source - chains.number
    cdef int index
    if spare:
        emit(&then, &base, chains.steps + 2 * source)
        row = extend_by_one(chains, &then, source, spare - 1, ahead, row)
    if chains.feeds >> source & 1:
        emit(&then, &base, first_step(chains, fed))
        row = extend_by_one(chains, &then, fed, used - 1, ahead, row)
    if ahead < chains.count and chains.points[ahead] == fed:
        # What arrived there can move on as well.
        emit(&then, &base, chains.deltas[ahead])
        row = extend_by_one(chains, &then, fed, chains.checkers[ahead] - 1 + used, ahead + 1, row)
        ahead += 1
    for index in range(chains.pairs_from[ahead], chains.pairs_from[chains.count]):
        add_lanes(row.lane, base.lane, chains.pairs[index].lane)
        row += 1
    return row


cdef Record *extend(const Chains *chains, const Record *at, int source, int used, int spare,
                    int ahead, int left, Record *row) noexcept nogil:
    cdef int fed = source - chains.number
    cdef int index, more
    cdef Record then
    if left == 1:
        return extend_by_one(chains, at, source, spare, ahead, row)
    if left == 2:
        return extend_by_two(chains, at, source, used, spare, ahead, row)
    if spare:
        emit(&then, at, chains.steps + 2 * source)
        row = extend(chains, &then, source, used + 1, spare - 1, ahead, left - 1, row)
    if chains.feeds >> source & 1:
        emit(&then, at, first_step(chains, fed))
        row = extend(chains, &then, fed, 1, used - 1, ahead, left - 1, row)
    for index in range(ahead, chains.count):
        emit(&then, at, chains.deltas[index])
        more = chains.checkers[index] - 1 + (used if chains.points[index] == fed else 0)
        row = extend(chains, &then, chains.points[index], 1, more, index + 1, left - 1, row)
    return row


cdef int64_t double_plain(const Turn *turn, int number, int numbers, bint enters, Record *out) noexcept nogil:
    """`numbers` of a double, where steps change nothing for later ones but what they feed."""
    cdef Record at = turn.base
    cdef uint32_t own = turn.own, blots = turn.blots
    cdef int entering
    cdef Chains chains
    if enters:
        # All on the bar come first, and no other way.
        if not own & turn.open << number & BAR_BIT:
            return 0
        entering = min(<int>turn.own_side[25], numbers)
        numbers -= entering
        emit(&at, &at, delta(turn, number, 25, blots << number))
        while entering > 1:
            emit(&at, &at, delta(turn, number, 25, 0))
            entering -= 1
        own = own ^ BAR_BIT | BAR_BIT >> number
        blots &= ~(BAR_BIT >> number)
        if numbers == 0:
            out[0] = at
            return 1
    link(turn, number, &at, own, blots, &chains)
    if numbers > 1:
        pair_up(&chains)
    return extend(&chains, &at, 0, 0, 0, 0, numbers, out) - out


cdef Record *descend(const Turn *turn, int number, const Walk *walk, int left, Record *row) noexcept nogil:
    """Every way to play `left` more numbers, whatever a step may change: sources never rise.

    Only the runner's release starts the order anew: until then nothing else could move.
    """
    cdef uint32_t sources = walk_sources(turn, walk, number) & walk.below
    cdef Walk then
    cdef int point
    while sources:
        point = highest_bit(sources)
        sources ^= bit(point)
        if left == 1:
            emit(row, &walk.at, delta(turn, number, point, walk.blots << number))
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
    return outside < 4 or turn.runner or turn.rules.hitter_stays_home


cdef int64_t play_double(Turn *turn, int number, Record *out, uint8_t *played) noexcept nogil:
    cdef bint watch = turn.has_bans and may_wall(turn, number, number, 4)
    cdef bint depends = double_depends(turn)
    cdef bint enters = turn.own & BAR_BIT
    cdef Walk walk
    cdef Record *end
    cdef int64_t count
    cdef int numbers
    if depends:
        start_walk(turn, &walk)
    for numbers in range(4, 0, -1):
        if depends:
            count = descend(turn, number, &walk, numbers, out) - out
        else:
            count = double_plain(turn, number, numbers, enters, out)
        if watch:
            count = keep_unbanned(turn, out, count)
        if count:
            played[0] = numbers
            if turn.rules.may_stop_bearing_off and depends:
                end = out + count
                double_stops(turn, number, &walk, numbers, watch, &end)
                count = end - out
            return count
    return 0


# ---------------------------------------------------------------- bearing off may stop (option)

cdef inline bint only_bears_off(const Turn *turn, uint32_t sources, int number) noexcept nogil:
    return sources != 0 and not sources & (turn.open << number)


cdef inline bint passes(const Turn *turn, bint watch, const Record *row) noexcept nogil:
    return not watch or not breaks_ban(turn, own_counts(turn, row))


cdef int64_t unplayed_stop(const Turn *turn, int high, int low, bint watch, Record *row) noexcept nogil:
    """The unchanged position, where neither number could do anything but bear off."""
    cdef uint32_t by_high = sources_of(turn.own, turn.open, high)
    cdef uint32_t by_low = sources_of(turn.own, turn.open, low)
    if turn.runner or not by_high | by_low:
        return 0
    if (by_high | by_low) & ((turn.open << high & by_high) | (turn.open << low & by_low)):
        return 0
    row[0] = turn.base
    return 1 if passes(turn, watch, row) else 0


cdef bint finishes(const Turn *turn, const Record *first, int number, uint32_t seconds, bint watch) noexcept nogil:
    """Whether one of the second steps ends in a legal result."""
    cdef Record result
    cdef int point
    while seconds:
        point = lowest_bit(seconds)
        seconds &= seconds - 1
        emit(&result, first, delta(turn, number, point, turn.blots << number))
        if passes(turn, watch, &result):
            return True
    return False


cdef int64_t mixed_stops(const Turn *turn, int high, int low, bint watch, Record *out) noexcept nogil:
    """Plays of one number or none, where the other could only bear off."""
    cdef Record *row = out
    cdef uint32_t by_high = sources_of(turn.own, turn.open, high)
    cdef uint32_t by_low = sources_of(turn.own, turn.open, low)
    cdef uint32_t firsts, seconds, stopped = 0
    cdef int point
    if turn.runner:
        return 0
    firsts = by_high
    while firsts:
        point = lowest_bit(firsts)
        firsts &= firsts - 1
        seconds = next_sources(turn, point, high, low)
        if not only_bears_off(turn, seconds, low):
            continue
        if (
            low < point <= high
            and by_low >> point & 1
            and not turn.blots & landing(point, low)
            and next_sources(turn, point, low, high) & landing(point, low)
        ):
            # Borne off by both numbers together already.
            continue
        emit(row, &turn.base, delta(turn, high, point, turn.blots << high))
        if passes(turn, watch, row) and finishes(turn, row, low, seconds, watch):
            stopped |= bit(point)
            row += 1
    firsts = by_low
    while firsts:
        point = lowest_bit(firsts)
        firsts &= firsts - 1
        seconds = next_sources(turn, point, low, high)
        if not only_bears_off(turn, seconds, high) or (point <= low and stopped & bit(point)):
            continue
        emit(row, &turn.base, delta(turn, low, point, turn.blots << low))
        if passes(turn, watch, row) and finishes(turn, row, high, seconds, watch):
            row += 1
    return row - out + unplayed_stop(turn, high, low, watch, row)


cdef bint double_stops(const Turn *turn, int number, const Walk *walk, int left, bint watch, Record **row) noexcept nogil:
    """Plays of fewer numbers, where the rest could only bear off; tells if a full one is legal."""
    cdef uint32_t sources = walk_sources(turn, walk, number)
    cdef uint32_t rest = sources & walk.below
    cdef bint finished = False
    cdef Walk then
    cdef int point
    if left == 0:
        return passes(turn, watch, &walk.at)
    while rest:
        point = highest_bit(rest)
        rest ^= bit(point)
        take_step(turn, walk, number, point, &then)
        finished |= double_stops(turn, number, &then, left - 1, watch, row)
    if finished and only_bears_off(turn, sources, number) and passes(turn, watch, &walk.at):
        row[0][0] = walk.at
        row[0] += 1
    return finished


# ---------------------------------------------------------------- a turn

cdef void prepare(Turn *turn, const Record *record, const Rules *rules, int flip) noexcept nogil:
    """Everything about a position that its rolls share. Safe for any bytes."""
    cdef uint32_t his_made, closed, wall
    turn.rules = rules
    turn.flip = flip
    turn.own_at = SIDE if flip else 0
    # A private copy: what another thread does to the record from now on cannot matter.
    memcpy(<uint8_t *>&turn.base + turn.own_at, record, SIDE)
    memcpy(<uint8_t *>&turn.base + (SIDE - turn.own_at), <const uint8_t *>record + SIDE, SIDE)
    turn.own_side = <const uint8_t *>&turn.base + turn.own_at
    turn.opp_side = <const uint8_t *>&turn.base + (SIDE - turn.own_at)
    side_masks(turn.own_side, &turn.own, &turn.made)
    side_masks(turn.opp_side, &turn.his, &his_made)
    turn.own &= ~1
    turn.his &= ~1
    turn.his_held = turn.his
    mirror(rules, &turn.his_held, &his_made)
    closed = his_made if rules.hits else turn.his_held
    turn.blots = turn.his_held & ~closed
    turn.open = ~closed & POINTS
    turn.runner = travelling(turn.own, turn.own_side[24], rules.checkers, rules.runner_exit)
    turn.finished = (
        turn.own_side[0] == rules.checkers or turn.opp_side[0] == rules.checkers
    )
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
    turn.has_bans = turn.bans_block or rules.bans_start_quarter or rules.bans_mother_prime


cdef int faults(const Turn *turn) noexcept nogil:
    """What keeps the prepared record from being a position of its game."""
    cdef const uint8_t *own = turn.own_side
    cdef const uint8_t *opp = turn.opp_side
    cdef int found = 0
    cdef bint shared = (turn.own & turn.his_held) != 0
    cdef bint bar = not turn.rules.hits and (turn.own | turn.his) & BAR_BIT
    # One branch for the sound record.
    if not (
        tail_bits(own) | tail_bits(opp)
        | <uint64_t>(side_total(own) ^ turn.rules.checkers)
        | <uint64_t>(side_total(opp) ^ turn.rules.checkers)
        | <uint64_t>shared | <uint64_t>bar
    ):
        return 0
    if own[26] | own[27] | opp[26] | opp[27]:
        found |= SPARE_IN_USE
    if own[28] | own[29] | own[30] | own[31] | opp[28] | opp[29] | opp[30] | opp[31]:
        found |= PINNED
    if side_total(own) != turn.rules.checkers:
        found |= OWN_TOTAL
    if side_total(opp) != turn.rules.checkers:
        found |= OPP_TOTAL
    if shared:
        found |= SHARED_POINT
    if bar:
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
    if not turn.finished:
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


cdef int64_t afterstates(const Record *record, int die, int other_die, const Rules *rules, int flip,
                         Record *out, uint8_t *played) noexcept nogil:
    cdef Turn turn
    prepare(&turn, record, rules, flip)
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


cdef uint32_t sources(const Record *record, int number, const Rules *rules,
                      const Freedom *freedom) noexcept nogil:
    cdef Turn turn
    cdef Walk walk
    prepare(&turn, record, rules, 0)
    start_walk(&turn, &walk)
    walk.locked = freedom.locked
    if freedom.runner:
        walk.runner = freedom.runner
    return 0 if turn.finished else walk_sources(&turn, &walk, number)


cdef int step(Record *record, int point, int number, const Rules *rules, Freedom *freedom) noexcept nogil:
    """Play one step in place; returns whether it hits."""
    cdef Turn turn
    cdef Walk walk, then
    prepare(&turn, record, rules, 0)
    start_walk(&turn, &walk)
    walk.locked = freedom.locked
    if freedom.runner:
        walk.runner = freedom.runner
    take_step(&turn, &walk, number, point, &then)
    record[0] = then.at
    freedom.locked = then.locked
    freedom.runner = then.runner if rules.runner_whole_turn else 0
    return walk.blots != then.blots


cdef void add_checker(uint64_t *lanes, bint second_side, int point, bint more) noexcept nogil:
    cdef Record one
    cdef int lane
    memset(&one, 0, sizeof(one))
    (<uint8_t *>&one)[(SIDE if second_side else 0) + point] = 1
    # By lanes, not bytes: the borrow must run through the lane to be undone by the addition.
    for lane in range(8):
        lanes[lane] += one.lane[lane] if more else -one.lane[lane]


cdef void fill_deltas() noexcept nogil:
    cdef int flip, pips, hit, point
    memset(DELTAS, 0, sizeof(DELTAS))
    for flip in range(2):
        for pips in range(1, LONGEST + 1):
            for point in range(1, 26):
                for hit in range(2):
                    add_checker(DELTAS[flip][pips][point][hit], flip, point, False)
                    add_checker(DELTAS[flip][pips][point][hit], flip, max(point - pips, 0), True)
                    if hit and point > pips:
                        add_checker(DELTAS[flip][pips][point][hit], not flip, 25 - (point - pips),
                                    False)
                        add_checker(DELTAS[flip][pips][point][hit], not flip, 25, True)


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
