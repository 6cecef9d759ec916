"""Whole games: who is on roll with what, how a game ends, and what begins after it."""

cdef enum:
    BY_ROLL = 2           # who begins: neither player 0 nor 1, but the higher die


cdef int points_of(const Record *record, const Rules *rules, bint of_own) noexcept nogil:
    """What the side that has finished wins."""
    cdef const uint8_t *loser = <const uint8_t *>record + (SIDE if of_own else 0)
    # The winner's home is the loser's start quarter in contrary movement, and his own 13 to 18 in
    # parallel.
    cdef int first = 13 if rules.parallel else 19, point
    if loser[0]:
        return 1
    if rules.counts_triple:
        if loser[25]:
            return 3
        for point in range(first, first + 6):
            if loser[point]:
                return 3
    return 2


cdef int mothers_points(const Record *record, const Rules *rules) noexcept nogil:
    """What a pinned mother has decided for the player on roll."""
    cdef const uint8_t *own = <const uint8_t *>record
    cdef const uint8_t *opp = own + SIDE
    cdef bint own_pinned = (pinned_mask(own) & START_BIT) != 0
    cdef bint opp_pinned = (pinned_mask(opp) & START_BIT) != 0
    if own_pinned and opp_pinned:
        return 0
    # The pinner goes on while he has a checker on his own 24.
    if own_pinned and rules.mother_loses and not (rules.mother_is_mutual and opp[24]):
        return -<int>rules.mother_points
    if opp_pinned and rules.mother_loses and not (rules.mother_is_mutual and own[24]):
        return rules.mother_points
    return GAME_ON


cdef int points(const Record *record, const Rules *rules) noexcept nogil:
    cdef const uint8_t *own = <const uint8_t *>record
    cdef const uint8_t *opp = own + SIDE
    cdef int won = GAME_ON
    if rules.pins:
        won = mothers_points(record, rules)
    if won != GAME_ON:
        return won
    if own[0] == rules.checkers:
        return 0 if opp[0] == rules.checkers else points_of(record, rules, True)
    return -points_of(record, rules, False) if opp[0] == rules.checkers else GAME_ON


cdef inline void flip_record(Record *record) noexcept nogil:
    cdef Record seen = record[0]
    memcpy(&record.lane[0], &seen.lane[4], SIDE)
    memcpy(&record.lane[4], &seen.lane[0], SIDE)


cdef inline void throw_dice(Source *source, uint8_t *roll) noexcept nogil:
    cdef uint32_t thrown = any_below(source, 36)
    roll[0] = <uint8_t>(thrown % 6 + 1)
    roll[1] = <uint8_t>(thrown // 6 + 1)


cdef void begin_game(Record *record, uint8_t *roll, Course *course, const Rules *rules, int starter,
                     Source *source) noexcept nogil:
    """Set up the start position and throw the first roll; `starter` is 0, 1 or BY_ROLL."""
    cdef uint8_t high
    memset(record, 0, sizeof(Record))
    memcpy(&record.lane[0], rules.start, sizeof(rules.start))
    memcpy(&record.lane[4], rules.start, sizeof(rules.start))
    roll[0] = roll[1] = 0
    if starter == BY_ROLL:
        while roll[0] == roll[1]:
            throw_dice(source, roll)
        starter = roll[1] > roll[0]
        if rules.opening_is_played:
            high = max(roll[0], roll[1])
            roll[1] = min(roll[0], roll[1])
            roll[0] = high
        else:
            throw_dice(source, roll)
    else:
        throw_dice(source, roll)
    course.plies = 0
    course.player = course.starter = starter
    course.numbers = course.cascade_end = course.leftover = course.last_roll = 0
    course.throws[0] = course.throws[1] = 0


cdef int numbers_between(const Record *before, const Record *after, int number) noexcept nogil:
    """How many numbers of a double lie between two positions, both seen by the mover.

    A checker on point p needs p / number steps, rounded up, to bear off; each step is one less.
    """
    cdef const uint8_t *then = <const uint8_t *>before
    cdef const uint8_t *now = <const uint8_t *>after
    cdef int point, between = 0
    for point in range(1, 26):
        between += (point + number - 1) // number * (<int>then[point] - <int>now[point])
    return between


cdef int cascade_from(const uint8_t *roll, const Rules *rules, int own_turn) noexcept nogil:
    """The last double of the cascade that a roll begins, 0 if it begins none."""
    if roll[0] != roll[1] or not 0 < rules.cascade_from <= own_turn:
        return 0
    return min(roll[0] + 1, 6) if rules.cascade_single else 6


cdef bint goes_on(const Record *before, const Record *after, uint8_t *roll, Course *course,
                  const Rules *rules) noexcept nogil:
    """Whether a double leads to another stage of a cascade, whose turn it is then settled here.

    Returns whether the dice are settled as well; if not, they are thrown.
    """
    cdef int end = course.cascade_end, numbers = course.numbers if course.numbers else 4
    cdef int left
    if not end:
        end = cascade_from(roll, rules, course.throws[course.player])
    course.numbers = course.cascade_end = 0
    if not end:
        course.player ^= 1
        return False
    # None are left where somebody has put other positions into the results.
    left = max(numbers - numbers_between(before, after, roll[0]), 0)
    if not left and roll[0] < end:
        roll[0] = roll[1] = roll[0] + 1
        course.cascade_end = end
        return True
    if course.leftover:
        course.leftover = 0
        return False
    course.player ^= 1
    if left and rules.unfinished_is_his:
        course.numbers = left if left < 4 else 0
        course.cascade_end = end
        course.leftover = 1
        return True
    return False


cdef void play_ply(Record *record, uint8_t *roll, Course *course, const Rules *rules,
                   const Record *after, uint32_t ply_cap, Source *source) noexcept nogil:
    """Take a game one ply further, to the position `after` of the mover's view."""
    cdef int mover = course.player, won = points(after, rules)
    cdef bint settled = False, in_cascade = course.cascade_end != 0
    course.plies += 1
    course.ended = 0
    course.points = 0
    if not in_cascade and course.throws[mover] < 255:
        course.throws[mover] += 1
    if won != GAME_ON:
        course.player ^= 1
        course.numbers = course.cascade_end = course.leftover = 0
        course.last_roll = (
            rules.last_roll and mover == course.starter
            and (<const uint8_t *>after)[0] == rules.checkers
        )
        if not course.last_roll:
            course.ended = WON
            course.points = won
    else:
        if rules.cascade_from:
            settled = goes_on(record, after, roll, course, rules)
        else:
            course.player ^= 1
        if ply_cap and course.plies >= ply_cap:
            course.ended = CAPPED
    course.turned = course.player != mover
    record[0] = after[0]
    if course.turned:
        flip_record(record)
    if not settled and not course.ended:
        throw_dice(source, roll)


cdef void begin_next(Lockstep *work, Record *record, uint8_t *roll, Course *course, int mover) noexcept nogil:
    """The game after one that has ended: of the same match, or of a new one."""
    cdef int starter = BY_ROLL
    if work.target:
        if course.points > 0:
            course.score[mover] += course.points
        else:
            course.score[1 - mover] -= course.points
        if max(course.score[0], course.score[1]) >= work.target:
            course.ended |= MATCH_WON
            course.score[0] = course.score[1] = 0
            course.law = 0
        else:
            course.law = (course.law + 1) % work.laws
            if work.winner_begins and course.points:
                starter = mover if course.points > 0 else 1 - mover
    begin_game(record, roll, course, work.rules[course.law], starter, work.source)


cdef void begin(Lockstep *work) noexcept nogil:
    cdef int64_t at
    for at in range(work.games):
        memset(&work.courses[at], 0, sizeof(Course))
        begin_game(&work.records[at], work.rolls + 2 * at, &work.courses[at], work.rules[0], BY_ROLL,
                   work.source)


cdef void advance(Lockstep *work) noexcept nogil:
    cdef int64_t at
    cdef int mover
    cdef Course *course
    cdef Record after
    for at in range(work.games):
        course = &work.courses[at]
        if work.chosen[at] < 0:
            course.points = 0
            course.ended = course.turned = 0
            continue
        mover = course.player
        after = work.after[work.chosen[at]]
        if work.flipped:
            flip_record(&after)
        play_ply(&work.records[at], work.rolls + 2 * at, course, work.rules[course.law], &after,
                 work.ply_cap, work.source)
        if course.ended:
            begin_next(work, &work.records[at], work.rolls + 2 * at, course, mover)
