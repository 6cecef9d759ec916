"""Walls: runs of points that one side holds, along the path of the other, and who is behind them.

A wall is a mask of points by the numbers of the player it stops, so that his 1 and 24 are no
neighbours and those of a parallel holder are.
"""

cdef inline uint32_t held_by_me(const Turn *turn) noexcept nogil:
    """Points on which he may not land, as he numbers them."""
    cdef uint32_t held = turn.own
    if turn.rules.hits:
        held = turn.made
    elif turn.rules.pins:
        held = turn.made | turn.over
    return mirrored(turn.rules, held & POINTS)


cdef inline int rearmost(uint32_t side) noexcept nogil:
    """The highest point of a side; 0: all are off."""
    return highest_bit(side | 1)


cdef inline uint32_t ahead_of(uint32_t wall, int rear) noexcept nogil:
    """The runs that have a checker behind them: all below the rearmost one."""
    cdef uint32_t ahead = wall & (bit(rear) - 1)
    if wall >> rear & 1:
        # Pinned on the wall itself, so it is not behind that part.
        ahead &= bit(highest_bit(~wall & (bit(rear) - 1))) - 1
    return ahead


cdef inline int longest_run(uint32_t wall, uint32_t *ends) noexcept nogil:
    """Points of the longest run; `ends`: the last points of those that are so long.

    Up to seven without a branch, by four, two and one point more.
    """
    cdef uint32_t pairs = wall & wall >> 1
    cdef uint32_t fours = pairs & pairs >> 2
    cdef uint32_t more = fours != 0
    cdef uint32_t length = more << 2, longer
    cdef uint32_t found = fours | -<uint32_t>(fours == 0)
    longer = found & pairs >> length
    more = longer != 0
    length += more << 1
    found ^= (found ^ longer) & -more
    longer = found & wall >> length
    more = longer != 0
    length += more
    found ^= (found ^ longer) & -more
    if length == 7:
        longer = found & wall >> length
        while longer:
            found = longer
            length += 1
            longer &= wall >> length
    ends[0] = found & -<uint32_t>(length != 0)
    return length


cdef int trapped_by(uint32_t wall, uint32_t runs, const uint8_t *counts) noexcept nogil:
    """Checkers behind the foremost wall of six or more."""
    cdef int last = lowest_bit(runs), count = 0, point
    for point in range(last + lowest_bit(~(wall >> last)), 26):
        count += counts[point]
    return count


cdef inline void measure(uint32_t wall, uint32_t stopped, const uint8_t *counts, Walls *found,
                         Aim *aim) noexcept nogil:
    """The measures of one side's walls, and which of them the other is to get past."""
    cdef uint32_t runs = runs_of_six(wall), ends, ahead
    aim.rear = rearmost(stopped)
    ahead = ahead_of(wall, aim.rear)
    found.longest = longest_run(wall, &ends)
    found.live = longest_run(ahead, &ends)
    aim.past = highest_bit(ends | 1)
    found.trapped = trapped_by(wall, runs, counts) if runs else 0


cdef uint8_t forbidden(const Turn *turn, uint32_t wall) noexcept nogil:
    cdef uint32_t runs = runs_of_six(wall)
    cdef uint8_t broken = 0
    if not runs:
        return 0
    if (turn.rules.bans_total_block or turn.rules.bans_one_point_block) and totally_blocked(
        turn, wall, runs
    ):
        broken |= Ban.TOTAL_BLOCK
    if fills_start_quarter(turn.rules, turn.own):
        broken |= Ban.START_QUARTER
    if fills_mother_prime(turn, runs):
        broken |= Ban.MOTHER_PRIME
    if walls_in(turn, runs):
        broken |= Ban.SIX_PRIME
    return broken


cdef void walls(const Record *record, const Rules *rules, uint32_t *own,
                uint32_t *opp) noexcept nogil:
    cdef Turn turn
    prepare(&turn, record, rules, 0)
    own[0] = held_by_me(&turn)
    opp[0] = ~turn.open & POINTS


cdef int64_t blockades(const Record *records, int64_t rows, const Rules *rules, int with_rolls,
                       Blockade *out, int *fault) noexcept nogil:
    cdef int64_t row
    cdef uint32_t mine
    cdef Turn turn
    cdef Aim his_aim, aim
    set_rules(&turn, rules, 0)
    for row in range(rows):
        set_position(&turn, &records[row])
        fault[0] = faults(&turn)
        if fault[0]:
            return row
        mine = held_by_me(&turn)
        measure(mine, turn.his, turn.opp_side, &out[row].own, &his_aim)
        measure(~turn.open & POINTS, turn.own, turn.own_side, &out[row].opp, &aim)
        out[row].forbidden = forbidden(&turn, mine)
        if with_rolls:
            all_rolls(&turn, &aim, &out[row].rolls, &out[row].escape_rolls)
        else:
            memset(&out[row].rolls, 0, sizeof(Mobility))
            out[row].escape_rolls = 0
    return rows


cdef int64_t mobility(const Record *records, int64_t rows, const Rules *rules, Mobility *out,
                      int *fault) noexcept nogil:
    cdef int64_t row
    cdef Turn turn
    cdef Aim nowhere
    cdef uint8_t unused
    nowhere.past = 0
    set_rules(&turn, rules, 0)
    for row in range(rows):
        set_position(&turn, &records[row])
        fault[0] = faults(&turn)
        if fault[0]:
            return row
        nowhere.rear = rearmost(turn.own)
        all_rolls(&turn, &nowhere, &out[row], &unused)
    return rows


cdef int64_t in_contact(const Record *records, int64_t rows, const Rules *rules, uint8_t *out,
                      int *fault) noexcept nogil:
    """Whether there is a point that both sides stand on or may come to."""
    cdef int64_t row
    cdef Turn turn
    cdef uint32_t mine, his
    set_rules(&turn, rules, 0)
    for row in range(rows):
        set_position(&turn, &records[row])
        fault[0] = faults(&turn)
        if fault[0]:
            return row
        mine = (bit(rearmost(turn.own) + 1) - 1) & POINTS
        his = (bit(rearmost(turn.his) + 1) - 1) & POINTS
        out[row] = (mine & mirrored(rules, his)) != 0
    return rows
