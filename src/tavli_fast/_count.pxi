"""How many results a roll has, without making them where a closed form says it."""

cdef enum:
    UNKNOWN = -1          # no closed form: make them and see


cdef inline int64_t count_plain(const Turn *turn, bint hits, bint pins, int high, int low) noexcept nogil:
    """What `mixed_plain` makes: the rectangle, less what it skips, and the runs."""
    cdef Rectangle of
    cdef int64_t count
    lay_out(turn, hits, pins, high, low, &of)
    count = (
        bits(of.by_high) * bits(of.by_low) - bits(of.by_high & of.by_low & of.alone)
        - bits(of.twice) + bits(of.runs)
    )
    if hits:
        count += bits(of.runs_high) + bits(of.runs_low)
    if pins:
        count += (
            bits(of.leaves_two & of.by_high & of.by_low)
            - bits(of.frees & of.by_high & of.by_low >> low)
            - bits(of.by_high & (of.frees & of.by_low) << high)
        )
    return count


cdef int64_t count_from_bar(const Turn *turn, int high, int low) noexcept nogil:
    """What `mixed_from_bar` makes."""
    cdef uint32_t enters_high = turn.open << high & BAR_BIT
    cdef uint32_t enters_low = turn.open << low & BAR_BIT
    if turn.made & BAR_BIT:
        return enters_high != 0 and enters_low != 0
    return (
        (bits(seconds_from_bar(turn, high, low, False)) if enters_high else 0)
        + (bits(seconds_from_bar(turn, low, high, enters_high != 0)) if enters_low else 0)
    )


cdef int64_t count_mixed(Turn *turn, int high, int low, uint8_t *played) noexcept nogil:
    cdef int64_t count
    if turn.own & BAR_BIT:
        count = count_from_bar(turn, high, low)
    elif steps_depend(turn, high):
        if turn.rules.may_stop_bearing_off or not masks_say_all(turn):
            return UNKNOWN
        count = mixed_in_order(turn, True, False, high, low, NULL)
    elif turn.rules.hits:
        count = count_plain(turn, True, False, high, low)
    elif turn.rules.pins:
        count = count_plain(turn, False, True, high, low)
    else:
        count = count_plain(turn, False, False, high, low)
    if count == 0 and turn.rules.two_if_needed and head_limit(turn, 0, True) == 2:
        count = (turn.open << high & turn.open << low & START_BIT) != 0
    played[0] = 2
    if count == 0 and turn.rules.may_stop_bearing_off:
        return UNKNOWN
    if count == 0:
        played[0] = 1
        count = bits(sources_of(turn, turn.own, high))
    if count == 0:
        count = bits(sources_of(turn, turn.own, low))
    return count


# The ways to play a double are counted along its chains: a polynomial in 64 bits, whose coefficient
# of the i-th power, in the i-th 16 bits from 1 on, counts the ways to play i numbers. There is one
# way to play none, which is not written.

cdef inline uint64_t times(uint64_t ways, uint64_t others) noexcept nogil:
    """Every way of the one with every way of the other, up to four numbers."""
    cdef uint64_t a = ways & 0xFFFF, b = ways >> 16 & 0xFFFF, c = ways >> 32 & 0xFFFF
    return ways + others + a * (others << 16) + b * (others << 32) + c * (others << 48)


cdef inline uint64_t ways_along(const uint8_t *counts, uint32_t own, uint32_t free, int number,
                                int first, int from_head) noexcept nogil:
    """The ways to play a number along one chain, downwards from its first point.

    A point is left no more often than it has checkers, those it was fed by the one before included.
    """
    # before[4 + i]: the ways in which the point before was left i times or more; for i below 0 any.
    cdef uint64_t before[9]
    cdef uint64_t once, twice, thrice, four_times
    cdef const uint64_t *fed
    cdef int point = first, checkers
    before[0] = before[1] = before[2] = before[3] = before[4] = 0
    before[5] = before[6] = before[7] = before[8] = 0
    while point > 0:
        if free >> point & 1:
            checkers = min(<int>counts[point], from_head if point == 24 else 4, 4)
            checkers = checkers if own >> point & 1 else 0
            fed = &before[4 - checkers]
            once = fed[1] << 16 | <uint64_t>(checkers > 0)
            twice = fed[2] << 32 | <uint64_t>(checkers > 1) << 16
            thrice = fed[3] << 48 | <uint64_t>(checkers > 2) << 32
            four_times = <uint64_t>(checkers > 3) << 48
            thrice += four_times
            twice += thrice
            once += twice
        else:
            once = twice = thrice = four_times = 0
        before[0] = before[1] = before[2] = before[3] = before[4] = before[4] + once
        before[5] = once
        before[6] = twice
        before[7] = thrice
        before[8] = four_times
        point -= number
    return before[4]


cdef uint64_t ways_to_double(const uint8_t *counts, uint32_t own, uint32_t free, int number,
                             int from_head) noexcept nogil:
    cdef uint64_t ways = 0
    cdef int first
    for first in range(24, 24 - number, -1):
        ways = times(ways, ways_along(counts, own, free, number, first, from_head))
    return ways


cdef int64_t count_double(Turn *turn, int number, uint8_t *played) noexcept nogil:
    cdef uint32_t free = (turn.open << number) & ~turn.still
    cdef uint32_t own = turn.own
    cdef int numbers = turn.numbers, entering = 0
    cdef int from_head = head_limit(turn, number, False)
    cdef uint8_t counts[26]
    cdef uint64_t ways
    cdef int64_t count
    if double_depends(turn):
        if turn.rules.may_stop_bearing_off or not double_says_all(turn):
            return UNKNOWN
        for numbers in range(numbers, 0, -1):
            count = double_by_masks(turn, number, &turn.base, own, turn.blots, ANYWHERE, numbers,
                                    NULL)
            if count:
                played[0] = numbers
                return count
        return 0
    memcpy(counts, turn.own_side, sizeof(counts))
    if own & BAR_BIT:
        if not turn.open << number & BAR_BIT:
            return 0
        entering = min(<int>counts[25], numbers)
        counts[25 - number] = entering + (counts[25 - number] if own >> (25 - number) & 1 else 0)
        own |= BAR_BIT >> number
        numbers -= entering
    while True:
        ways = ways_to_double(counts, own, free, number, from_head)
        if numbers == 0 or ways >> 16 * (numbers - 1) & 0xFFFF:
            break
        if from_head < head_limit(turn, number, True):
            from_head = head_limit(turn, number, True)
        else:
            numbers -= 1
    played[0] = entering + numbers
    return ways >> 16 * (numbers - 1) & 0xFFFF if numbers else entering > 0


cdef int64_t count_roll(Turn *turn, int die, int other, Record *scratch, uint8_t *played) noexcept nogil:
    """How many results `play_roll` finds; `scratch` has room for them."""
    cdef int high = max(die, other), low = min(die, other)
    cdef int64_t count = UNKNOWN
    turn.watches_mother = turn.mother_at_stake and mother_in_reach(turn, high, low)
    if turn.finished and not turn.plays_on:
        count = 0
    elif not turn.has_bans or not may_wall(turn, high, low, 4 if high == low else 2):
        if high == low:
            count = count_double(turn, high, played)
        else:
            count = count_mixed(turn, high, low, played)
    if count == UNKNOWN:
        return play_roll(turn, die, other, scratch, played)
    if count == 0:
        played[0] = 0
        count = 1
    return count
