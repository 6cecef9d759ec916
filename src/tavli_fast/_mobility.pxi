"""How many of the 36 rolls play nothing, something or all, and bring one checker past a wall.

Nothing is made where masks tell: a step only ever opens further ones, so two that can be played
first can be played one after the other, and greedy play of a double plays as much as any. What
depends on more than where my checkers stand is searched, and the search ends with the first play
that settles the roll.
"""

cdef struct Aim:
    int rear              # where my rearmost checker stands
    int past              # it is to come below this point; 0: there is nothing to get past


cdef struct Outcome:
    int most              # numbers that can be played
    bint ends             # and then the game can be over
    bint escapes          # or the rearmost checker past the wall


cdef struct Search:
    # what has been found so far, by how many numbers were played: bit n for n of them
    int numbers           # of the roll
    bint ordered          # a double: sources need not rise
    bint watch            # bans are in reach
    int past
    uint32_t legal        # the turn can end so; an end of the game counts as having played all
    uint32_t over         # with the game over
    uint32_t escaped      # with the rearmost checker past the wall


cdef inline bint all_are_off(const Turn *turn, const Walk *walk) noexcept nogil:
    return own_counts(turn, &walk.at)[0] == turn.rules.checkers


cdef inline uint32_t followed(uint32_t where, int point, int number, uint32_t own) noexcept nogil:
    """Where a checker may stand after a step, if it may have stood at `where`: any of those there
    may have been the one to go. Bit 0: off."""
    cdef uint32_t moved = bit(max(point - number, 0)) if where >> point & 1 else 0
    return where & (own | 1) | moved


cdef void search(Search *of, const Turn *turn, const Walk *walk, const int *numbers, int left,
                 int pips, uint32_t where) noexcept nogil:
    """Play on by the next of `left` numbers, in all ways until the roll is settled."""
    cdef uint32_t sources = walk_sources(turn, walk, numbers[0])
    cdef uint32_t whole = bit(of.numbers), then_where
    cdef Walk then
    cdef bint ends
    cdef int point, played
    while sources:
        if of.legal & whole and (
            of.past == 0 or of.escaped & whole or lowest_bit(where) - pips >= of.past
        ):
            return
        point = highest_bit(sources)
        sources ^= bit(point)
        take_step(turn, walk, numbers[0], point, &then)
        ends = turn.watches_mother and ends_game(turn, &then)
        if not ends and of.ordered and not walk.below & bit(point):
            continue
        then_where = followed(where, point, numbers[0], then.own)
        if not of.watch or not breaks_ban(turn, own_counts(turn, &then.at)):
            played = of.numbers if ends else then.steps
            of.legal |= bit(played)
            if then_where & (bit(of.past) - 1):
                of.escaped |= bit(played)
            if all_are_off(turn, &then) or turn.still & START_BIT and then.over & MOTHER:
                of.over |= bit(played)
        if left > 1 and not ends:
            search(of, turn, &then, numbers + 1, left - 1, pips - numbers[0], then_where)


cdef void begin_search(Search *of, const Turn *turn, const int *numbers, int count, int from_head,
                       const Aim *aim) noexcept nogil:
    cdef Walk walk
    cdef int at, pips = 0
    start_walk(turn, &walk)
    walk.from_head = from_head
    for at in range(count):
        pips += numbers[at]
    of.numbers = count
    of.ordered = count > 2
    of.past = aim.past
    of.legal = of.over = of.escaped = 0
    search(of, turn, &walk, numbers, count, pips, bit(aim.rear))


cdef inline void conclude(const Search *of, Outcome *outcome) noexcept nogil:
    cdef uint32_t most
    outcome.most = highest_bit(of.legal) if of.legal else 0
    most = bit(outcome.most)
    outcome.ends = (of.over & most) != 0
    outcome.escapes = (of.escaped & most) != 0


cdef void search_double(const Turn *turn, int number, int from_head, bint watch, const Aim *aim, Outcome *outcome) noexcept nogil:
    cdef int[4] numbers
    cdef Search of
    numbers[0] = numbers[1] = numbers[2] = numbers[3] = number
    of.watch = watch
    begin_search(&of, turn, numbers, 4, from_head, aim)
    conclude(&of, outcome)


cdef void search_mixed(const Turn *turn, int high, int low, int from_head, bint watch, const Aim *aim, Outcome *outcome) noexcept nogil:
    """Either number first. Of two that can each be played alone, it is the higher."""
    cdef int[3] numbers
    cdef Search of
    cdef Outcome other
    numbers[0] = numbers[2] = high
    numbers[1] = low
    of.watch = watch
    begin_search(&of, turn, numbers, 2, from_head, aim)
    conclude(&of, outcome)
    if outcome.most == 2 and (outcome.escapes or not aim.past):
        return
    begin_search(&of, turn, numbers + 1, 2, from_head, aim)
    conclude(&of, &other)
    if other.most > outcome.most:
        outcome[0] = other
    elif other.most == 2:
        outcome.escapes |= other.escapes


cdef void search_roll(Turn *turn, int high, int low, bint watch, const Aim *aim, Outcome *outcome) noexcept nogil:
    cdef bint double = high == low
    cdef int number = high if double else 0
    cdef int whole = 4 if double else 2
    cdef int needed
    turn.watches_mother = turn.mother_at_stake and mother_in_reach(turn, high, low)
    for needed in range(2):
        if double:
            search_double(turn, high, head_limit(turn, number, needed), watch, aim, outcome)
        else:
            search_mixed(turn, high, low, head_limit(turn, number, needed), watch, aim, outcome)
        if outcome.most == whole or head_limit(turn, number, True) == head_limit(
            turn, number, needed
        ):
            break
    if outcome.most == 0 and turn.opens_block and turn.bans_block:
        # No play opens the total block he stands in: that ban alone is waived.
        turn.bans_block = False
        search_roll(turn, high, low, watch, aim, outcome)
        turn.bans_block = True


cdef inline uint32_t own_after(const Turn *turn, int point, int number) noexcept nogil:
    return (turn.own & ~(bit(point) & ~turn.made)) | landing(point, number)


cdef inline uint32_t after_first(const Turn *turn, int number, int point, int other) noexcept nogil:
    """Where the other number can be played after this step."""
    cdef uint32_t sources = sources_of(turn, own_after(turn, point, number), other)
    if turn.rules.one_from_head and point == 24:
        sources &= ~START_BIT
    return sources


cdef inline bint is_followed(const Turn *turn, uint32_t firsts, int number, int other) noexcept nogil:
    cdef int point
    while firsts:
        point = highest_bit(firsts)
        firsts ^= bit(point)
        if after_first(turn, number, point, other):
            return True
    return False


cdef inline bint mixed_escapes(const Turn *turn, const uint32_t *by, int high, int low, int most,
                               const Aim *aim) noexcept nogil:
    """Whether the rearmost checker gets past, by either number or both, in a turn that plays all
    it must: any other checker that can play the second number can do so after the first."""
    cdef int rear = aim.rear
    cdef uint32_t seconds
    if rear - high - low >= aim.past:
        return False
    if by[high] >> rear & 1:
        seconds = after_first(turn, high, rear, low)
        if rear - high < aim.past:
            if seconds or most == 1:
                return True
        elif seconds >> (rear - high) & 1:
            return True
    if by[low] >> rear & 1:
        seconds = after_first(turn, low, rear, high)
        if rear - low < aim.past:
            return seconds or most == 1 and not by[high]
        return seconds >> (rear - low) & 1
    return False


cdef inline void mixed_by_rule(Turn *turn, const uint32_t *by, int high, int low, const Aim *aim, Outcome *outcome) noexcept nogil:
    """A roll of two numbers where a step changes nothing but where my checkers stand."""
    cdef uint32_t either = by[high] | by[low]
    cdef uint32_t twice = turn.made & ~START_BIT if turn.rules.one_from_head else turn.made
    outcome.ends = False
    if by[high] and by[low] and (either & (either - 1) or either & twice):
        outcome.most = 2
    elif is_followed(turn, by[high], high, low) or is_followed(turn, by[low], low, high):
        outcome.most = 2
    else:
        outcome.most = either != 0
        outcome.ends = (
            turn.own_side[0] == turn.rules.checkers - 1 and by[high] and not by[high] >> (high + 1)
        )
    outcome.escapes = aim.past and mixed_escapes(turn, by, high, low, outcome.most, aim)


cdef inline bint double_escapes(const Turn *turn, uint32_t by, int number, const Aim *aim) noexcept nogil:
    """Whether the rearmost checker gets past, without being borne off, in at most four steps."""
    cdef int point = aim.rear, steps = 4
    if point == 25:
        # The others on the bar enter first.
        steps -= turn.own_side[25] - 1
    if not by >> point & 1:
        return False
    while point >= aim.past and steps > 0:
        point -= number
        steps -= 1
        if point < 1 or not turn.open >> point & 1:
            return False
    return point < aim.past


cdef inline void double_by_rule(const Turn *turn, uint32_t by, int number, const Aim *aim, Outcome *outcome) noexcept nogil:
    """A double where a step changes nothing but where my checkers stand."""
    cdef uint8_t counts[26]
    cdef uint32_t own = turn.own, sources = by
    cdef int from_head = head_limit(turn, number, False)
    cdef int point
    outcome.ends = False
    outcome.most = 4
    if bits(by) < 4:
        memcpy(counts, turn.own_side, sizeof(counts))
        outcome.most = 0
        while sources and outcome.most < 4:
            point = highest_bit(sources)
            outcome.most += 1
            counts[point] -= 1
            if counts[point] == 0:
                own ^= bit(point)
            from_head -= point == 24
            if point > number:
                counts[point - number] += 1
                own |= bit(point - number)
            sources = sources_of(turn, own, number)
            if from_head == 0:
                sources &= ~START_BIT
        outcome.ends = own == 0
    outcome.escapes = aim.past and double_escapes(turn, by, number, aim)


cdef inline bint rule_says_all(const Turn *turn) noexcept nogil:
    """Whether rolls depend on nothing but where my checkers stand, bans and mothers aside."""
    if turn.runner or may_hit_at_home(turn):
        return False
    return not turn.rules.two_if_needed or turn.own_side[24] != turn.rules.checkers


cdef inline bint may_end_by_mother(const Turn *turn, int high, int low) noexcept nogil:
    """Whether a step of this roll may win by a pinned mother or, with mine pinned, draw."""
    return (
        (turn.mother_at_stake or turn.still & START_BIT) and mother_in_reach(turn, high, low)
    )


cdef inline bint may_escape_off(const Turn *turn, int number, const Aim *aim) noexcept nogil:
    """Whether a double may bear the rearmost checker off past a wall, once others have come in."""
    return aim.past and aim.past <= number and aim.rear <= 4 * number and double_depends(turn)


cdef void all_rolls(Turn *turn, const Aim *aim, Mobility *mobility, uint8_t *escape_rolls) noexcept nogil:
    cdef bint by_rule = rule_says_all(turn)
    cdef uint32_t[7] by
    cdef int high, low, number, weight
    cdef bint watch
    cdef Outcome outcome
    mobility.pass_rolls = mobility.partial_rolls = mobility.full_rolls = 0
    escape_rolls[0] = 0
    if turn.finished and not turn.plays_on:
        mobility.pass_rolls = 36
        escape_rolls[0] = 0 if aim.past else 36
        return
    for number in range(1, 7):
        by[number] = sources_of(turn, turn.own, number)
    for high in range(1, 7):
        for low in range(1, high + 1):
            weight = 1 if high == low else 2
            watch = turn.has_bans and may_wall(turn, high, low, 4 if high == low else 2)
            if (
                watch or not by_rule or may_end_by_mother(turn, high, low)
                or high == low and may_escape_off(turn, high, aim)
            ):
                search_roll(turn, high, low, watch, aim, &outcome)
            elif high == low:
                double_by_rule(turn, by[high], high, aim, &outcome)
            else:
                mixed_by_rule(turn, by, high, low, aim, &outcome)
            if outcome.most == 0:
                mobility.pass_rolls += weight
            elif outcome.ends or outcome.most == (4 if high == low else 2):
                mobility.full_rolls += weight
            else:
                mobility.partial_rolls += weight
            if outcome.escapes or not aim.past:
                escape_rolls[0] += weight
