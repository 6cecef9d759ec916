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
        if turn.rules.may_stop_bearing_off or turn.runner:
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
    played[0] = turn.most if turn.watches_mother else 2
    if count == 0 and turn.rules.may_stop_bearing_off:
        return UNKNOWN
    if count == 0:
        played[0] = 1
        count = bits(sources_of(turn, turn.own, high))
    if count == 0:
        count = bits(sources_of(turn, turn.own, low))
    return count


cdef uint64_t ways_to_double(const uint8_t *counts, uint32_t own, uint32_t free, int number,
                             int from_head) noexcept nogil:
    """The ways to play a double, as a polynomial.

    In 64 bits: the coefficient of the i-th power, in the i-th 16 bits from 1 on, counts the ways to
    play i numbers; the one way to play none is not written. Points are taken along the chains, and
    none is left more often than it has checkers, those fed to it by the one before included.
    """
    cdef uint64_t ways = 0
    # Of these, the ways in which the point before was left so often or more.
    cdef uint64_t once = 0, twice = 0, thrice = 0, fed_once, fed_twice, four_times
    cdef uint32_t rest = fed_by(own & free & POINTS, free, number, 4)
    cdef int point = 0, checkers
    cdef bint fed
    while rest:
        fed = (rest & landing(point, number)) != 0
        point = point - number if fed else highest_bit(rest)
        rest ^= bit(point)
        checkers = counts[point] if own >> point & 1 else 0
        if point == 24:
            checkers = min(checkers, from_head)
        fed_once = once if fed else 0
        fed_twice = twice if fed else 0
        four_times = <uint64_t>(checkers > 3) << 48
        thrice = four_times + (
            ways << 48 | <uint64_t>1 << 32 if checkers > 2 else fed_once << 48 if checkers == 2
            else 0
        )
        twice = thrice + (
            ways << 32 | <uint64_t>1 << 16 if checkers > 1 else fed_once << 32 if checkers == 1
            else fed_twice << 32
        )
        once = twice + (ways << 16 | 1 if checkers > 0 else fed_once << 16)
        ways += once
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
        if turn.rules.may_stop_bearing_off or not masks_say_all(turn):
            return UNKNOWN
        for numbers in range(numbers, 0, -1):
            count = double_by_masks(turn, False, turn.hits_at_home, number, &turn.base, own,
                                    ANYWHERE, numbers, NULL)
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
    look_out(turn, high, low)
    if finished(turn) and not turn.plays_on:
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
