"""Doubles."""

cdef enum:
    MOST_CHECKERS = 15    # of a side, where plays are built point by point; with more, step by step
    # In how many ways so many play one number, two and three, and one row more that is written in
    # vain: most where each stands alone. Two move once each (105) or one twice (15); three once each
    # (455), one twice and one once (210), or one three times (15).
    MOST_ONE = 15 + 1
    MOST_TWO = 120 + 1
    MOST_THREE = 680 + 1


cdef struct Rows:
    # the position after so many numbers of a double, in every way
    const Record *begin
    Record *end
    const Record *left          # from here on the last point was left, once or more
    const Record *left_twice


cdef inline Rows rows_at(Record *begin, bint start, const Record *at) noexcept nogil:
    """None yet, or the start itself."""
    cdef Rows rows
    if start:
        begin[0] = at[0]
    rows.begin = begin
    rows.end = begin + start
    rows.left = rows.left_twice = begin
    return rows


cdef inline Rows fed_to(const Rows *rows, bint fed) noexcept nogil:
    """The same, `left` and `left_twice` being where the next point has been fed once and twice."""
    cdef Rows now = rows[0]
    if not fed:
        now.left = now.left_twice = now.end
    return now


cdef inline uint32_t fed_by(uint32_t sources, uint32_t free, int number, int numbers) noexcept nogil:
    """What can be left in the course of `numbers` of a double; `free` are points that lead somewhere."""
    if numbers > 1:
        sources |= sources >> number & free
    if numbers > 2:
        sources |= sources >> number & free
    if numbers > 3:
        sources |= sources >> number & free
    return sources


cdef inline Record *leave_after(Record *row, const Rows *rows, int lack, const Record *change,
                                const Record *last) noexcept nogil:
    """The change to each of `rows` in which the point has been fed as often as it lacks checkers.

    Where it is emptied, which frees his checker there, the change is `last`; NULL: there is none.
    """
    cdef const Record *start = rows.begin if lack <= 0 else rows.left if lack == 1 else rows.left_twice
    cdef const Record *more
    if last != NULL:
        more = (
            rows.begin if lack < 0 else rows.left if lack == 0 else rows.left_twice if lack == 1
            else rows.end
        )
        row = add_rows(row, start, more, last)
        start = more
    return add_rows(row, start, rows.end, change)


cdef inline void leave_first(Record *row, const Record *at, bint emptied, const Record *change,
                             const Record *last) noexcept nogil:
    """The same where nothing has been played before."""
    emit(row, at, last if last != NULL and emptied else change)


cdef inline int64_t play_chains(const Turn *turn, bint pins, int number, int numbers,
                                const Record *at, uint32_t own, uint32_t blots, int from_head,
                                Record *out) noexcept nogil:
    """Every way to play `numbers`, up to four, by how often each point is left.

    Points are taken along chains of points `number` apart, downwards, so that each follows the one
    that feeds it, and the rows in which that one was left are the last.
    """
    cdef AlignedRecord ones[MOST_ONE]
    cdef AlignedRecord twos[MOST_TWO]
    cdef AlignedRecord threes[MOST_THREE]
    # Where fewer than four are to play, the others have been.
    cdef Rows one = rows_at(ones, numbers == 3, at)
    cdef Rows two = rows_at(twos, numbers == 2, at)
    cdef Rows three = rows_at(threes, numbers == 1, at)
    cdef Rows one_before, two_before, three_before
    cdef Record *row = out
    cdef const uint8_t *counts = own_counts(turn, at)
    cdef uint32_t free = turn.open << number & ~turn.still
    cdef uint32_t rest = fed_by(own & free, free, number, numbers)
    cdef uint32_t hits = blots << number, frees = turn.over | blots
    cdef int point = 0, checkers
    cdef bint fed
    cdef const Record *once
    cdef const Record *more
    cdef const Record *last
    cdef const Record *last_more
    cdef AlignedRecord twice, thrice, four_times, last_twice, last_thrice
    while rest:
        fed = (rest & landing(point, number)) != 0
        point = point - number if fed else highest_bit(rest)
        rest ^= bit(point)
        checkers = counts[point]
        if point == 24:
            checkers = min(checkers, from_head)
        once = delta(turn, pins, number, point, hits, 0)
        more = delta(turn, pins, number, point, 0, 0)
        last = last_more = NULL
        if pins and frees >> point & 1:
            last = delta(turn, pins, number, point, hits, frees)
            last_more = delta(turn, pins, number, point, 0, frees)
        one_before = fed_to(&one, fed)
        two_before = fed_to(&two, fed)
        three_before = fed_to(&three, fed)
        one.left = one.end
        two.left = two.end
        three.left = three.end

        row = leave_after(row, &three_before, 1 - checkers, once, last)
        three.end = leave_after(three.end, &two_before, 1 - checkers, once, last)
        two.end = leave_after(two.end, &one_before, 1 - checkers, once, last)
        if numbers == 4:
            leave_first(one.end, at, checkers == 1, once, last)
            one.end += checkers > 0
        one.left_twice = one.end
        two.left_twice = two.end
        three.left_twice = three.end
        if not (fed or checkers > 1):
            continue
        emit(&twice, once, more)
        if last != NULL:
            emit(&last_twice, once, last_more)
            last = &last_twice
        row = leave_after(row, &two_before, 2 - checkers, &twice, last)
        if checkers == 0:
            continue
        three.end = leave_after(three.end, &one_before, 2 - checkers, &twice, last)
        if checkers == 1:
            continue
        if numbers == 4:
            leave_first(two.end, at, checkers == 2, &twice, last)
            two.end += 1
        emit(&thrice, &twice, more)
        if last != NULL:
            emit(&last_thrice, &twice, last_more)
            last = &last_thrice
        row = leave_after(row, &one_before, 3 - checkers, &thrice, last)
        if numbers < 4 or checkers == 2:
            continue
        leave_first(three.end, at, checkers == 3, &thrice, last)
        three.end += 1
        if checkers == 3:
            continue
        leave_first(&four_times, &thrice, checkers == 4, more, last_more)
        emit(row, at, &four_times)
        row += 1
    return row - out


cdef int64_t pin_chains(const Turn *turn, int number, int numbers, int from_head, Record *out) noexcept nogil:
    return play_chains(turn, True, number, numbers, &turn.base, turn.own, turn.blots, from_head, out)


cdef int64_t free_chains(const Turn *turn, int number, int numbers, const Record *at, uint32_t own,
                         uint32_t blots, int from_head, Record *out) noexcept nogil:
    # The number is a constant to each, so that what it does not need vanishes.
    if numbers == 4:
        return play_chains(turn, False, number, 4, at, own, blots, from_head, out)
    if numbers == 3:
        return play_chains(turn, False, number, 3, at, own, blots, from_head, out)
    if numbers == 2:
        return play_chains(turn, False, number, 2, at, own, blots, from_head, out)
    return play_chains(turn, False, number, 1, at, own, blots, from_head, out)


cdef int64_t double_plain(const Turn *turn, int number, int numbers, int from_head, Record *out) noexcept nogil:
    """`numbers` of a double, where steps change nothing for later ones but what they feed."""
    cdef Record at = turn.base
    cdef uint32_t own = turn.own, blots = turn.blots
    cdef int entering
    if turn.rules.pins:
        return pin_chains(turn, number, numbers, from_head, out)
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
    return free_chains(turn, number, numbers, &at, own, blots, from_head, out)


cdef inline int64_t leave_below(const Turn *turn, bint pins, bint stays, int number,
                                const Record *at, uint32_t own, uint32_t below, int left,
                                Record *out) noexcept nogil:
    """`left` more numbers from points in `below`, where steps change only where checkers stand.

    Sources never rise, so that nobody lands where a checker has landed and gone on. With no `out`
    the results are counted.
    """
    # Where I do not stand, a lone checker of his can be hit or pinned; where I do, it has been.
    cdef uint32_t alone = turn.blots | turn.over
    cdef uint32_t hits = (alone & ~own) << number
    cdef const uint8_t *counts = own_counts(turn, at)
    cdef uint32_t sources = sources_of(turn, own, number) & below
    cdef uint32_t from_, own_then, freed = 0
    cdef int64_t count = 0
    cdef int point
    cdef Record then
    if stays:
        sources &= ~held_by_one(counts, sources & alone & HOME)
    if left == 1 and out == NULL:
        return bits(sources)
    while sources:
        point = highest_bit(sources)
        from_ = bit(point)
        sources ^= from_
        if pins:
            freed = freed_from(counts, alone, point)
        if left == 1:
            emit(&out[count], at, delta(turn, pins, number, point, hits, freed))
            count += 1
            continue
        emit(&then, at, delta(turn, pins, number, point, hits, freed))
        own_then = (own & ~from_ if counts[point] == 1 else own) | landing(point, number)
        count += double_by_masks(turn, pins, stays, number, &then, own_then, (from_ << 1) - 1,
                                 left - 1, out + count if out else NULL)
    return count


cdef int64_t leave_freely(const Turn *turn, int number, const Record *at, uint32_t own,
                          uint32_t below, int left, Record *out) noexcept nogil:
    return leave_below(turn, False, False, number, at, own, below, left, out)


cdef int64_t leave_with_pins(const Turn *turn, int number, const Record *at, uint32_t own,
                             uint32_t below, int left, Record *out) noexcept nogil:
    return leave_below(turn, True, False, number, at, own, below, left, out)


cdef int64_t leave_but_hitters(const Turn *turn, int number, const Record *at, uint32_t own,
                               uint32_t below, int left, Record *out) noexcept nogil:
    return leave_below(turn, False, True, number, at, own, below, left, out)


cdef inline int64_t double_by_masks(const Turn *turn, bint pins, bint stays, int number,
                                    const Record *at, uint32_t own, uint32_t below, int left,
                                    Record *out) noexcept nogil:
    if pins:
        return leave_with_pins(turn, number, at, own, below, left, out)
    if stays:
        return leave_but_hitters(turn, number, at, own, below, left, out)
    return leave_freely(turn, number, at, own, below, left, out)


cdef Record *descend(Turn *turn, int number, const Walk *walk, int left, Record *row) noexcept nogil:
    """Every way to play `left` more numbers, whatever a step may change: sources never rise.

    Only the runner's release starts the order anew: until then nothing else could move. Steps
    that end the game come last, after any others.
    """
    cdef uint32_t all_sources = walk_sources(turn, walk, number)
    cdef uint32_t sources = all_sources & walk.below
    cdef uint32_t ending = 0
    cdef Walk then
    cdef int point
    if turn.watches_mother:
        ending = all_sources & ending_steps(
            turn, own_counts(turn, &walk.at), walk.own, walk.over, number
        )
        sources &= ~ending
    while ending:
        point = highest_bit(ending)
        ending ^= bit(point)
        take_step(turn, walk, number, point, &then)
        # The step that pinned her in this turn could come last instead: the same position.
        if turn.over & MOTHER or own_counts(turn, &walk.at)[1] != 1:
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
        outside < 4 or turn.runner or turn.watches_mother or turn.hits_at_home
        or turn.rules.checkers > MOST_CHECKERS
    )


cdef inline bint masks_say_all(const Turn *turn) noexcept nogil:
    """Whether what a step may do depends on where checkers stand, and on nothing done before."""
    return not (
        turn.runner or turn.watches_mother or turn.rules.one_from_head and turn.own & START_BIT
    )


cdef int64_t play_double(Turn *turn, int number, Record *out, uint8_t *played) noexcept nogil:
    cdef bint watch = turn.has_bans and may_wall(turn, number, number, 4)
    cdef bint depends = double_depends(turn)
    cdef bint by_masks = depends and masks_say_all(turn)
    cdef int from_head = head_limit(turn, number, False)
    cdef Walk walk
    cdef Record *end
    cdef int64_t count
    cdef int numbers = turn.numbers
    if depends:
        start_walk(turn, &walk)
    while numbers:
        if by_masks:
            count = double_by_masks(turn, turn.rules.pins, turn.hits_at_home, number, &turn.base,
                                    turn.own, ANYWHERE, numbers, out)
        elif depends:
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
