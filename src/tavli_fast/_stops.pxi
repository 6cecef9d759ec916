"""Where bearing off is optional: plays that stop before the numbers that could only bear off."""

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
