"""Doubles."""

cdef enum:
    MOST_PAIRS = 352               # of 25 sources: any two, one twice, one and the point it feeds


# Every sixth, fifth, ... point, from the bar's own chain on.
cdef uint32_t[7] CHAIN_OF
CHAIN_OF[:] = [0, 0x3FFFFFF, 0x1555555, 0x1249249, 0x1111111, 0x2108421, 0x1041041]


cdef struct Chains:
    # a double's sources, one chain of points `number` apart after another, each downwards, so
    # that the point a source feeds stands right behind it
    int number
    int count
    uint8_t points[26]
    uint8_t checkers[26]
    const Record *deltas[26]      # of the first checker to leave the point: only that one can hit
    const Record *steps           # of any checker: two or four variants a point
    uint32_t hits                 # points from which the first checker hits or pins
    uint32_t frees                # points whose last checker frees one as it leaves
    uint32_t feeds                # points whose next one was empty and can be left in turn
    # Two steps at once, in the order of their first source, from `pairs_from` each source on:
    # most results end in one of these, and a run of them needs no decision.
    int pairs_from[27]
    AlignedRecord pairs[MOST_PAIRS]


cdef inline const Record *step_from(const Chains *chains, bint pins, int point, bint first, bint last) noexcept nogil:
    """What a step adds: the first checker to leave may hit or pin, the last one may free."""
    cdef uint32_t hit = chains.hits >> point & 1 if first else 0
    if not pins:
        return chains.steps + (2 * point + hit)
    return chains.steps + (4 * point + hit + (2 if last and chains.frees >> point & 1 else 0))


cdef inline void link(const Turn *turn, bint pins, int number, const Record *at, uint32_t own,
                      uint32_t blots, int from_head, Chains *chains) noexcept nogil:
    cdef const uint8_t *counts = own_counts(turn, at)
    cdef uint32_t sources = own & ~turn.still & (turn.open << number)
    cdef uint32_t chain = CHAIN_OF[number], rest, found
    cdef int point, index = 0
    chains.number = number
    if pins:
        chains.steps = <const Record *>PIN_DELTAS[turn.flip][number]
    else:
        chains.steps = <const Record *>DELTAS[turn.flip][number]
    chains.hits = blots << number
    chains.frees = turn.over | blots
    chains.feeds = ((turn.open << number) & ~own) << number
    while sources:
        # No branch at the end of a chain, which nothing could predict.
        rest = sources & chain
        found = rest != 0
        point = highest_bit(rest | 1)
        sources &= ~(found << point)
        chain <<= 1 - found
        chains.points[index] = point
        chains.checkers[index] = counts[point]
        chains.deltas[index] = step_from(chains, pins, point, True, counts[point] == 1)
        if point == 24 and from_head < counts[24]:
            chains.checkers[index] = from_head
        index += found
    chains.count = index


cdef inline void pair_up(Chains *chains, bint pins) noexcept nogil:
    cdef Record *pair = chains.pairs
    cdef const Record *first
    cdef int index, second, point, fed, checkers
    for index in range(chains.count):
        chains.pairs_from[index] = pair - chains.pairs
        point = chains.points[index]
        fed = point - chains.number
        checkers = chains.checkers[index]
        first = chains.deltas[index]
        emit(pair, first, step_from(chains, pins, point, False, checkers == 2))
        pair += checkers > 1
        emit(pair, first, step_from(chains, pins, max(fed, 0), True, True))
        pair += chains.feeds >> point & 1
        second = index + 1
        if pins and second < chains.count and chains.points[second] == fed:
            # Joined before it is left.
            emit(pair, first, step_from(chains, pins, fed, True, False))
            pair += 1
            second += 1
        for second in range(second, chains.count):
            emit(pair, first, chains.deltas[second])
            pair += 1
    chains.pairs_from[chains.count] = pair - chains.pairs


# After `used` steps from `source`, which has `spare` checkers more, there may follow: the same
# source again, the point it feeds, and every source from index `ahead` on.

cdef inline Record *extend_by_one(const Chains *chains, bint pins, const Record *at, int source,
                                  int used, int spare, int ahead, Record *row) noexcept nogil:
    cdef Record base = at[0]
    cdef int fed = source - chains.number
    cdef int index
    # Written in any case, kept if legal: cheaper than a branch that nothing can predict.
    emit(row, &base, step_from(chains, pins, source, False, spare == 1))
    row += spare > 0
    emit(row, &base, step_from(chains, pins, max(fed, 0), True, used == 1))
    row += chains.feeds >> source & 1
    if pins and ahead < chains.count and chains.points[ahead] == fed:
        emit(row, &base, step_from(chains, pins, fed, True, False))
        row += 1
        ahead += 1
    for index in range(ahead, chains.count):
        emit(row, &base, chains.deltas[index])
        row += 1
    return row


cdef inline Record *extend_by_two(const Chains *chains, bint pins, const Record *at, int source,
                                  int used, int spare, int ahead, Record *row) noexcept nogil:
    cdef Record base = at[0]
    cdef Record then
    cdef int fed = source - chains.number
    cdef int index
    if spare:
        emit(&then, &base, step_from(chains, pins, source, False, spare == 1))
        row = extend_by_one(chains, pins, &then, source, used + 1, spare - 1, ahead, row)
    if chains.feeds >> source & 1:
        emit(&then, &base, step_from(chains, pins, fed, True, used == 1))
        row = extend_by_one(chains, pins, &then, fed, 1, used - 1, ahead, row)
    if ahead < chains.count and chains.points[ahead] == fed:
        # What arrived there can move on as well.
        emit(&then, &base, step_from(chains, pins, fed, True, False))
        row = extend_by_one(
            chains, pins, &then, fed, 1, chains.checkers[ahead] - 1 + used, ahead + 1, row
        )
        ahead += 1
    for index in range(chains.pairs_from[ahead], chains.pairs_from[chains.count]):
        add_lanes(row.lane, base.lane, chains.pairs[index].lane)
        row += 1
    return row


cdef inline Record *extend_by_more(const Chains *chains, bint pins, const Record *at, int source,
                                   int used, int spare, int ahead, int left,
                                   Record *row) noexcept nogil:
    """Every way to play `left` numbers, more than two."""
    cdef int fed = source - chains.number
    cdef int index, more
    cdef Record then
    if spare:
        emit(&then, at, step_from(chains, pins, source, False, spare == 1))
        row = extend(chains, pins, &then, source, used + 1, spare - 1, ahead, left - 1, row)
    if chains.feeds >> source & 1:
        emit(&then, at, step_from(chains, pins, fed, True, used == 1))
        row = extend(chains, pins, &then, fed, 1, used - 1, ahead, left - 1, row)
    for index in range(ahead, chains.count):
        more = chains.checkers[index] - 1
        if chains.points[index] == fed:
            more += used
            emit(&then, at, step_from(chains, pins, fed, True, False))
        else:
            emit(&then, at, chains.deltas[index])
        row = extend(
            chains, pins, &then, chains.points[index], 1, more, index + 1, left - 1, row
        )
    return row


cdef Record *pin_three(const Chains *chains, const Record *at, int source, int used, int spare,
                       int ahead, Record *row) noexcept nogil:
    return extend_by_more(chains, True, at, source, used, spare, ahead, 3, row)


cdef Record *play_three(const Chains *chains, const Record *at, int source, int used, int spare,
                        int ahead, Record *row) noexcept nogil:
    return extend_by_more(chains, False, at, source, used, spare, ahead, 3, row)


cdef inline Record *extend(const Chains *chains, bint pins, const Record *at, int source, int used,
                           int spare, int ahead, int left, Record *row) noexcept nogil:
    """Every way to play `left` more numbers, up to three."""
    if left == 1:
        return extend_by_one(chains, pins, at, source, used, spare, ahead, row)
    if left == 2:
        return extend_by_two(chains, pins, at, source, used, spare, ahead, row)
    if pins:
        return pin_three(chains, at, source, used, spare, ahead, row)
    return play_three(chains, at, source, used, spare, ahead, row)


cdef inline Record *along_chains(const Chains *chains, bint pins, const Record *at, int numbers,
                                 Record *row) noexcept nogil:
    """Every way to play `numbers`, up to four."""
    if numbers == 4:
        return extend_by_more(chains, pins, at, 0, 0, 0, 0, 4, row)
    return extend(chains, pins, at, 0, 0, 0, 0, numbers, row)


cdef int64_t double_plain(const Turn *turn, int number, int numbers, int from_head, Record *out) noexcept nogil:
    """`numbers` of a double, where steps change nothing for later ones but what they feed."""
    cdef Record at = turn.base
    cdef uint32_t own = turn.own, blots = turn.blots
    cdef int entering
    cdef Chains chains
    if turn.rules.pins:
        link(turn, True, number, &at, own, blots, from_head, &chains)
        if numbers > 1:
            pair_up(&chains, True)
        return along_chains(&chains, True, &at, numbers, out) - out
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
    link(turn, False, number, &at, own, blots, from_head, &chains)
    if numbers > 1:
        pair_up(&chains, False)
    return along_chains(&chains, False, &at, numbers, out) - out


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
