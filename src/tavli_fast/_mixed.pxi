"""Rolls of two different numbers."""

cdef inline void lay_out(const Turn *turn, bint hits, bint pins, int high, int low, Rectangle *of) noexcept nogil:
    cdef uint32_t free = turn.own & ~turn.still if pins else turn.own
    cdef uint32_t blots = turn.blots if hits or pins else 0
    cdef uint32_t ends_open = turn.open << (high + low)
    cdef uint32_t over_own_high, over_own_low, passed
    of.high, of.low = high, low
    of.frees = turn.frees if pins else 0
    of.leaves_two = turn.leaves_two if pins else 0
    of.by_high = free & (turn.open << high)
    of.by_low = free & (turn.open << low)
    of.hits_high = of.by_high & (blots << high)
    of.hits_low = of.by_low & (blots << low)
    # One checker over its own side's intermediate point is two steps of the rectangle already,
    # and twice in it where both intermediate points are own. A lone one that pins there would
    # be left or joined at the wrong moment, so that stays one run.
    passed = ~of.frees
    over_own_high = of.by_high & ((of.by_low & passed) << high)
    over_own_low = of.by_low & ((of.by_high & passed) << low)
    of.twice = over_own_high & over_own_low
    of.alone = ~turn.made | of.leaves_two
    if turn.rules.one_from_head:
        of.alone |= START_BIT
    of.runs_high = of.runs_low = 0
    if hits:
        of.runs = (of.by_high & ~of.hits_high) | (of.by_low & ~of.hits_low)
        of.runs_high = of.hits_high & ends_open
        of.runs_low = of.hits_low & ends_open
        if turn.rules.hitter_stays_home:
            of.runs_high &= ~(<uint32_t>HOME << high)
            of.runs_low &= ~(<uint32_t>HOME << low)
    else:
        of.runs = of.by_high | of.by_low
    of.runs &= ends_open & ~(over_own_high | over_own_low)


cdef inline Record *join_each(const Turn *turn, bint pins, const Rectangle *of, Record *row) noexcept nogil:
    """Every first step with every second one, but for those left out."""
    cdef const Record *seconds[26]
    cdef uint8_t second_points[26]
    cdef uint32_t rest = of.by_low, kept
    cdef int count = 0, point, at
    cdef AlignedRecord first
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        seconds[count] = delta(turn, pins, of.low, point, of.hits_low, of.frees)
        second_points[count] = point
        count += 1
    rest = of.by_high
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        kept = seconds_of(of, point)
        emit(&first, &turn.base, delta(turn, pins, of.high, point, of.hits_high, of.frees))
        for at in range(count):
            emit(row, &first, seconds[at])
            row = after_row(row, kept, second_points[at])
    return row


cdef inline Record *emit_runs(const Turn *turn, bint pins, int pips, uint32_t runs, uint32_t hits,
                              uint32_t frees, Record *row) noexcept nogil:
    """Each as a result by itself.

    Two are written in any case, for no processor can predict how many there are: where there is
    none, as if from the bar.
    """
    cdef int unasked
    for unasked in range(2):
        emit(row, &turn.base, delta(turn, pins, pips, lowest_bit(runs | BAR_BIT), hits, frees))
        row += runs != 0
        runs &= runs - 1
    while runs:
        emit(row, &turn.base, delta(turn, pins, pips, lowest_bit(runs), hits, frees))
        row += 1
        runs &= runs - 1
    return row


cdef inline Record *emit_hitting_runs(const Turn *turn, int number, int other, uint32_t runs,
                                      Record *row) noexcept nogil:
    """The same where the first number hits; one is written in any case."""
    cdef int point
    cdef AlignedRecord first
    while True:
        point = lowest_bit(runs | BAR_BIT)
        emit(&first, &turn.base, delta(turn, False, number, point, ANYWHERE, 0))
        emit(row, &first, delta(turn, False, other, point - number, turn.blots << other, 0))
        row += runs != 0
        runs &= runs - 1
        if not runs:
            return row


cdef inline int64_t mixed_plain(const Turn *turn, bint hits, bint pins, int high, int low, Record *out) noexcept nogil:
    cdef Record *row
    cdef uint32_t rest
    cdef int point
    cdef AlignedRecord first
    cdef Rectangle of
    lay_out(turn, hits, pins, high, low, &of)
    row = join_all(&of, turn.flip, pins, &turn.base, out)
    if row == NULL:
        row = join_each(turn, pins, &of, out)

    # The same blot hit by both, left out there: once hit, it is hit no more.
    rest = of.hits_high & (of.by_low << (high - low))
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        emit(&first, &turn.base, delta(turn, pins, high, point, of.hits_high, of.frees))
        emit(row, &first, delta(turn, pins, low, point - (high - low), 0, of.frees))
        row += 1

    rest = of.leaves_two & of.by_high & of.by_low
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        emit(&first, &turn.base, delta(turn, pins, high, point, of.hits_high, 0))
        emit(row, &first, delta(turn, pins, low, point, of.hits_low, ANYWHERE))
        row += 1

    row = emit_runs(turn, pins, high + low, of.runs,
                    turn.blots << (high + low) if hits or pins else 0, of.frees, row)
    if hits:
        row = emit_hitting_runs(turn, high, low, of.runs_high, row)
        row = emit_hitting_runs(turn, low, high, of.runs_low, row)
    return row - out


cdef int64_t mixed_with_hits(const Turn *turn, int high, int low, Record *out) noexcept nogil:
    return mixed_plain(turn, True, False, high, low, out)


cdef int64_t mixed_with_pins(const Turn *turn, int high, int low, Record *out) noexcept nogil:
    return mixed_plain(turn, False, True, high, low, out)


cdef int64_t mixed_with_holds(const Turn *turn, int high, int low, Record *out) noexcept nogil:
    return mixed_plain(turn, False, False, high, low, out)


cdef inline uint32_t seconds_from_bar(const Turn *turn, int number, int other, bint both_enter) noexcept nogil:
    """Where the other number can be played once the only checker on the bar has entered by this."""
    cdef uint32_t entered = BAR_BIT >> number
    cdef uint32_t seconds = ((turn.own ^ BAR_BIT) | entered) & (turn.open << other)
    if both_enter and not turn.blots & (entered | BAR_BIT >> other):
        # The checker that entered and ran on stands where it does the other way round.
        seconds &= ~entered
    return seconds


cdef inline Record *enter(const Turn *turn, int number, int other, uint32_t seconds, Record *row) noexcept nogil:
    """The checker on the bar by one number, then the other number."""
    cdef uint32_t entered = BAR_BIT >> number
    # A blot hit on entering is hit no more.
    cdef uint32_t hits = turn.blots << other & ~(entered << other)
    cdef AlignedRecord first
    cdef int point
    emit(&first, &turn.base, delta(turn, False, number, 25, turn.blots << number, 0))
    while seconds:
        point = lowest_bit(seconds)
        seconds &= seconds - 1
        emit(row, &first, delta(turn, False, other, point, hits, 0))
        row += 1
    return row


cdef inline int64_t mixed_from_bar(const Turn *turn, int high, int low, Record *out) noexcept nogil:
    """Both numbers, with a checker on the bar: one enters, then the other number."""
    cdef Record *row = out
    cdef uint32_t enters_high = turn.open << high & BAR_BIT
    cdef uint32_t enters_low = turn.open << low & BAR_BIT
    if turn.made & BAR_BIT:
        if enters_high and enters_low:
            row = enter(turn, high, low, BAR_BIT, row)
        return row - out
    if enters_high:
        row = enter(turn, high, low, seconds_from_bar(turn, high, low, False), row)
    if enters_low:
        row = enter(turn, low, high, seconds_from_bar(turn, low, high, enters_high != 0), row)
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
    emit(row, &walk.at,
         delta(turn, turn.rules.pins, number, point, walk.blots << number,
               freed_from(own_counts(turn, &walk.at), walk.over, point)))


cdef inline uint32_t sources_after(const Turn *turn, bint by_masks, const Walk *start, int number,
                                   int point, int other) noexcept nogil:
    """Where the other number can be played after this step."""
    cdef uint32_t seconds
    cdef Walk then
    if by_masks:
        seconds = sources_of(turn, own_after(turn, point, number), other)
        if turn.hits_at_home:
            # Only a checker that has hit there stands on his blot, and it stays.
            seconds &= ~(turn.blots & HOME)
        return seconds
    take_step(turn, start, number, point, &then)
    return walk_sources(turn, &then, other)


cdef inline Record *emit_alone(const Turn *turn, int number, uint32_t sources, Record *row) noexcept nogil:
    """Each of these steps as a result by itself."""
    cdef int point
    while sources:
        point = lowest_bit(sources)
        sources &= sources - 1
        emit(row, &turn.base,
             delta(turn, turn.rules.pins, number, point, turn.blots << number, turn.frees))
        row += 1
    return row


cdef inline Record *emit_by_masks(const Turn *turn, bint pins, int number, int point, int other,
                                  uint32_t seconds, Record *row) noexcept nogil:
    """The results of this step and each of the second ones."""
    # Where I do not stand yet, a lone checker of his can be hit or pinned; where I do, it is pinned.
    cdef uint32_t alone = turn.blots | turn.over if pins else turn.blots
    cdef uint32_t hits = (alone & ~own_after(turn, point, number)) << other
    cdef uint32_t freed = 0
    cdef AlignedRecord first
    cdef int second
    emit(&first, &turn.base, delta(turn, pins, number, point, turn.blots << number, turn.frees))
    while seconds:
        second = lowest_bit(seconds)
        seconds &= seconds - 1
        if pins:
            freed = freed_from(own_counts(turn, &first), alone, second)
        emit(row, &first, delta(turn, pins, other, second, hits, freed))
        row += 1
    return row


cdef inline Record *emit_stepwise(const Turn *turn, const Walk *start, int number, int point,
                                  int other, uint32_t seconds, Record *row) noexcept nogil:
    """The same."""
    cdef Walk then
    cdef int second
    take_step(turn, start, number, point, &then)
    while seconds:
        second = lowest_bit(seconds)
        seconds &= seconds - 1
        emit_step(turn, &then, other, second, row)
        row += 1
    return row


cdef inline Record *emit_seconds(const Turn *turn, bint by_masks, const Walk *start, int number,
                                 int point, int other, uint32_t seconds, Record *row) noexcept nogil:
    if not by_masks:
        return emit_stepwise(turn, start, number, point, other, seconds, row)
    if turn.rules.pins:
        return emit_by_masks(turn, True, number, point, other, seconds, row)
    return emit_by_masks(turn, False, number, point, other, seconds, row)


cdef inline int64_t mixed_in_order(Turn *turn, bint by_masks, bint make, int high, int low, Record *out) noexcept nogil:
    """Both numbers, where the first step decides what the second may do.

    All orders with the higher number first, then those the other way round that give something
    new. Where a step changes nothing but where my checkers stand, masks say all about it.
    """
    cdef Record *row = out
    cdef Orders orders
    cdef Walk start
    cdef uint32_t by_low, firsts, seconds, rest, ending = 0
    cdef int64_t count = 0
    cdef int point, second
    if not by_masks:
        start_walk(turn, &start)
        orders.by_high = walk_sources(turn, &start, high)
        by_low = walk_sources(turn, &start, low)
    else:
        orders.by_high = sources_of(turn, turn.own, high)
        by_low = sources_of(turn, turn.own, low)
    orders.traces = turn.blots if turn.rules.hits else 0
    if turn.watches_mother:
        ending = by_low & ending_steps(turn, turn.own_side, turn.own, turn.over, low)
        by_low ^= ending
        if make:
            row = emit_alone(turn, low, ending, row)
        count = bits(ending)
        ending = orders.by_high & ending_steps(turn, turn.own_side, turn.own, turn.over, high)
        if make:
            row = emit_alone(turn, high, ending, row)
        count += bits(ending)
    turn.most = count != 0

    firsts = orders.by_high
    while firsts:
        point = highest_bit(firsts)
        firsts ^= bit(point)
        seconds = 0
        if not ending >> point & 1:
            seconds = sources_after(turn, by_masks, &start, high, point, low)
        orders.low_after[point] = seconds
        if point + low <= 25 and runs_high_first(&orders, point + low, high):
            # The checker on point + low would only take this one's place.
            seconds &= ~bit(point + low)
        if not seconds:
            continue
        turn.most = 2
        count += bits(seconds)
        if make:
            row = emit_seconds(turn, by_masks, &start, high, point, low, seconds, row)

    firsts = by_low
    while firsts:
        point = lowest_bit(firsts)
        firsts &= firsts - 1
        seconds = sources_after(turn, by_masks, &start, low, point, high)
        if not landing(point, low) & orders.traces and runs_high_first(&orders, point, high):
            seconds &= ~landing(point, low)
        if point <= low:
            # Two checkers borne off, each by either number: the higher one went by the higher.
            seconds &= ~(bit(point) - 1)
        rest = seconds & orders.by_high
        while rest:
            second = lowest_bit(rest)
            rest &= rest - 1
            if orders.low_after[second] >> point & 1:
                seconds &= ~bit(second)
        if turn.watches_mother and seconds >> (point + high) & 1:
            second = point + high
            if second > low and goes_high_first(&orders, second - low, second):
                # The last one to leave the start, over either own point: no run, as it ends the
                # game.
                seconds &= ~bit(second)
        if not seconds:
            continue
        turn.most = 2
        count += bits(seconds)
        if make:
            row = emit_seconds(turn, by_masks, &start, low, point, high, seconds, row)
    return row - out if make else count


cdef int64_t mixed_by_masks(Turn *turn, int high, int low, Record *out) noexcept nogil:
    return mixed_in_order(turn, True, True, high, low, out)


cdef int64_t mixed_stepwise(Turn *turn, int high, int low, Record *out) noexcept nogil:
    return mixed_in_order(turn, False, True, high, low, out)


cdef int64_t one_number(const Turn *turn, int number, Record *out) noexcept nogil:
    cdef uint32_t sources = sources_of(turn, turn.own, number)
    if turn.runner:
        sources &= turn.runner
    return emit_alone(turn, number, sources, out) - out


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
    cdef AlignedRecord first
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
        if turn.runner:
            count = mixed_stepwise(turn, high, low, out)
        else:
            count = mixed_by_masks(turn, high, low, out)
    else:
        if turn.rules.hits:
            count = mixed_with_hits(turn, high, low, out)
        elif turn.rules.pins:
            count = mixed_with_pins(turn, high, low, out)
        else:
            count = mixed_with_holds(turn, high, low, out)
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
