"""What a finished turn may not leave."""

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


cdef inline bint fills_start_quarter(const Rules *rules, uint32_t held) noexcept nogil:
    return rules.bans_start_quarter and held & START_QUARTER == START_QUARTER


cdef inline bint fills_mother_prime(const Turn *turn, uint32_t runs) noexcept nogil:
    return turn.rules.bans_mother_prime and runs & MOTHER_PRIME_RUN and (
        not turn.rules.mother_must_be_there or turn.his & START_BIT
    )


cdef inline bint walls_in(const Turn *turn, uint32_t runs) noexcept nogil:
    """Whether one of these walls of six, of which there are some, may not stand."""
    return turn.rules.bans_six_prime and not (
        turn.rules.one_ahead_is_enough
        and (turn.opp_side[0] or turn.his & (bit(lowest_bit(runs)) - 1))
    )


cdef inline bint breaks_ban(const Turn *turn, const uint8_t *counts) noexcept nogil:
    cdef Side mine
    side_of(counts, &mine)
    cdef uint32_t wall = mirrored(turn.rules, mine.held)
    cdef uint32_t runs = runs_of_six(wall)
    if not runs:
        return False
    if fills_start_quarter(turn.rules, mine.held) or fills_mother_prime(turn, runs):
        return True
    return walls_in(turn, runs) or turn.bans_block and totally_blocked(turn, wall, runs)


cdef int64_t keep_unbanned(const Turn *turn, Record *out, int64_t count) noexcept nogil:
    cdef int64_t at, kept = 0
    for at in range(count):
        if not breaks_ban(turn, own_counts(turn, &out[at])):
            if kept != at:
                out[kept] = out[at]
            kept += 1
    return kept


cdef uint32_t may_be_blocked(const Turn *turn, int numbers) noexcept nogil:
    """All points if he may have no playable number after so many steps of mine, else none.

    Each step of mine can close one point to him, so more than that must not be open to him now.
    """
    cdef uint32_t his = turn.his & turn.his_runner
    cdef uint32_t targets = his >> 1 | his >> 2 | his >> 3 | his >> 4 | his >> 5 | his >> 6
    targets &= ~mirrored(turn.rules, turn.own) & POINTS
    return POINTS if bits(targets) <= numbers else 0


cdef uint32_t banned_runs(const Turn *turn, int numbers) noexcept nogil:
    """Where a wall of six could break a ban after so many steps: its first points, in his numbers."""
    cdef const Rules *rules = turn.rules
    cdef uint32_t runs = may_be_blocked(turn, numbers) if turn.bans_block else 0
    if rules.bans_start_quarter:
        runs |= bit(7) if rules.parallel else bit(1)
    if rules.bans_mother_prime:
        runs |= MOTHER_PRIME_RUN
    if rules.bans_six_prime and not rules.one_ahead_is_enough:
        runs |= POINTS
    elif rules.bans_six_prime and not turn.opp_side[0]:
        # Not those that a checker of his has passed.
        runs |= ((turn.his & -turn.his) << 1) - 1
    return runs


cdef inline uint32_t lacks_two_at_most(uint32_t wall) noexcept nogil:
    """Bit p: of the points p to p + 5 at least four are in the wall."""
    cdef uint32_t once = 0, twice = 0, thrice = 0, lacking
    cdef int at
    for at in range(6):
        lacking = ~wall >> at
        thrice |= twice & lacking
        twice |= once & lacking
        once |= lacking
    return ~thrice


cdef bint may_wall(const Turn *turn, int number, int other, int numbers) noexcept nogil:
    """Whether a play of this roll could leave six points in a row that break a ban.

    The cheapest tests first.
    """
    cdef uint32_t reach = turn.own & POINTS, runs
    for _ in range(numbers):
        reach |= (reach >> number | reach >> other) & turn.open
    runs = runs_of_six(mirrored(turn.rules, reach))
    if not runs:
        return False
    if numbers == 2:
        runs &= lacks_two_at_most(mirrored(turn.rules, turn.own))
    return runs != 0 and (runs & banned_runs(turn, numbers)) != 0
