"""Games played to their end by a simple player, as fast as they can be."""

cdef inline int pips_behind(const Record *record) noexcept nogil:
    """How many pips more the second side of a record has to travel than the first."""
    cdef const uint8_t *first = <const uint8_t *>record
    cdef int point, behind = 0
    for point in range(1, 26):
        behind += point * (<int>first[SIDE + point] - <int>first[point])
    return behind


cdef int64_t greedy_choice(const Record *rows, int64_t count, Source *source) noexcept nogil:
    """Any of those results, seen by the next player, that leave the mover least behind."""
    cdef int64_t at, chosen = 0
    cdef int behind, least = pips_behind(&rows[0])
    cdef uint32_t equal = 1
    for at in range(1, count):
        behind = pips_behind(&rows[at])
        if behind < least:
            least = behind
            equal = 1
            chosen = at
        elif behind == least:
            equal += 1
            if any_below(source, equal) == 0:
                chosen = at
    return chosen


cdef int play_to_end(Playouts *work, const Record *start, uint32_t *plies) noexcept nogil:
    """One game from a position on; the points of the player who begins, GAME_ON if it has no end."""
    cdef Record record = start[0], after
    cdef Course course
    cdef Turn turn
    cdef uint8_t roll[2]
    cdef uint8_t played
    cdef int64_t count, chosen
    cdef int won = points(start, work.rules)
    plies[0] = 0
    if won != GAME_ON:
        return won
    memset(&course, 0, sizeof(Course))
    throw_dice(work.source, roll)
    # Results are seen by the next player, so that his turn begins with a plain copy.
    set_rules(&turn, work.rules, 1)
    while True:
        set_position(&turn, &record)
        if course.numbers:
            turn.numbers = course.numbers
        count = play_roll(&turn, roll[0], roll[1], work.scratch, &played)
        if count == 1:
            chosen = 0
        elif work.greedy:
            chosen = greedy_choice(work.scratch, count, work.source)
        else:
            chosen = any_below(work.source, <uint32_t>count)
        after = work.scratch[chosen]
        flip_record(&after)
        play_ply(&record, roll, &course, work.rules, &after, work.ply_cap, work.source)
        if course.ended:
            break
    plies[0] = course.plies
    if course.ended == CAPPED:
        return GAME_ON
    # The last ply was that of the player who is not on roll now.
    return -course.points if course.player == 0 else course.points


cdef void playouts(Playouts *work) noexcept nogil:
    """All games of the part, or those before a bad record."""
    cdef int64_t game, row, first_row = work.first // work.games
    cdef uint32_t plies
    cdef int won
    cdef Record start
    for game in range(work.first, work.last):
        row = game // work.games
        # Copied and then judged, whatever another thread does to the record meanwhile.
        memcpy(&start, &work.records[row], sizeof(Record))
        read_once()
        work.fault = record_faults(&start, work.rules)
        if work.fault:
            return
        won = play_to_end(work, &start, &plies)
        row -= first_row
        work.plies[row] += plies
        if won == GAME_ON:
            work.capped[row] += 1
        else:
            work.points[7 * row + 3 + won] += 1
        work.done += 1
