"""How many of the 36 rolls play nothing, something or all, and bring one checker past a wall.

Nothing is made where masks tell: a step only ever opens further ones, so two that can be played
first can be played one after the other, and greedy play of a double plays as much as any. A play
that builds no wall is witness enough where bans are in reach. All else is searched, and the search
ends with the first play that settles the roll.
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


cdef struct Stand:
    # a turn under way: where my checkers stand, and what that leaves to the next step
    uint8_t counts[26]
    uint32_t own
    uint32_t blots
    uint32_t over         # where mine stand on his pinned one
    uint32_t locked       # points that hold a checker which hit there and stays
    uint32_t runner       # the only point that may be left; 0: any
    uint32_t below        # points a further number of a double may leave
    int from_head         # checkers that may still leave own 24
    int played


cdef inline void start_stand(const Turn *turn, int from_head, Stand *at) noexcept nogil:
    memcpy(at.counts, turn.own_side, sizeof(at.counts))
    at.own = turn.own
    at.blots = turn.blots
    at.over = turn.over
    at.locked = 0
    at.runner = turn.runner
    at.below = ANYWHERE
    at.from_head = from_head
    at.played = 0


cdef inline uint32_t stand_sources(const Turn *turn, const Stand *at, int number) noexcept nogil:
    """Where `number` can be played from now, whatever was played before."""
    cdef uint32_t sources = sources_of(turn, at.own, number)
    cdef uint32_t locked = at.locked & sources
    cdef int point
    if at.runner:
        sources &= at.runner
    if at.from_head == 0:
        sources &= ~START_BIT
    while locked:
        point = lowest_bit(locked)
        locked &= locked - 1
        if at.counts[point] == 1:
            sources &= ~bit(point)
    return sources


cdef inline void step_on(const Turn *turn, Stand *at, int point, int number) noexcept nogil:
    cdef uint32_t from_ = bit(point)
    cdef uint32_t landed = landing(point, number)
    cdef uint32_t touched = at.blots & landed
    at.played += 1
    at.from_head -= point == 24
    at.below = (from_ << 1) - 1
    at.counts[point] -= 1
    at.own |= landed
    at.blots ^= touched
    if at.counts[point] == 0:
        at.own ^= from_
        at.blots |= at.over & from_
        at.over &= ~from_
    if landed:
        at.counts[point - number] += 1
    if turn.rules.pins:
        at.over |= touched
    if turn.rules.hitter_stays_home:
        at.locked |= touched & HOME
    if at.runner:
        at.runner = 0
        if turn.rules.runner_whole_turn or point - number > turn.rules.runner_exit:
            at.runner = landed
        else:
            at.below = ANYWHERE


cdef inline bint is_banned(const Turn *turn, uint32_t own) noexcept nogil:
    """Whether a turn may not end with my checkers there."""
    cdef uint32_t wall = mirrored(turn.rules, own & POINTS)
    cdef uint32_t runs = runs_of_six(wall)
    if not runs:
        return False
    if fills_start_quarter(turn.rules, own) or fills_mother_prime(turn, runs):
        return True
    return walls_in(turn, runs) or turn.bans_block and totally_blocked(turn, wall, runs)


cdef inline bint wins_by_mother(const Turn *turn, const Stand *at) noexcept nogil:
    """Whether his mother is pinned for good, which ends the turn where it stands."""
    if not turn.watches_mother or not at.over & MOTHER or not turn.rules.mother_loses:
        return False
    return not start_saves(turn, at.own)


cdef inline uint32_t followed(uint32_t where, int point, int number, uint32_t own) noexcept nogil:
    """Where a checker may stand after a step, if it may have stood at `where`: any of those there
    may have been the one to go. Bit 0: off."""
    cdef uint32_t moved = bit(max(point - number, 0)) if where >> point & 1 else 0
    return where & (own | 1) | moved


cdef void search(Search *of, const Turn *turn, const Stand *at, const int *numbers, int left,
                 int pips, uint32_t where) noexcept nogil:
    """Play on by the next of `left` numbers, in all ways until the roll is settled."""
    cdef uint32_t sources = stand_sources(turn, at, numbers[0])
    cdef uint32_t whole = bit(of.numbers), then_where
    cdef Stand then
    cdef bint ends
    cdef int point, played
    while sources:
        if of.legal & whole and (
            of.past == 0 or of.escaped & whole or lowest_bit(where) - pips >= of.past
        ):
            return
        point = highest_bit(sources)
        sources ^= bit(point)
        then = at[0]
        step_on(turn, &then, point, numbers[0])
        ends = wins_by_mother(turn, &then)
        if not ends and of.ordered and not at.below & bit(point):
            continue
        then_where = followed(where, point, numbers[0], then.own)
        if not of.watch or not is_banned(turn, then.own):
            played = of.numbers if ends else then.played
            of.legal |= bit(played)
            if then_where & (bit(of.past) - 1):
                of.escaped |= bit(played)
            if not then.own or turn.still & START_BIT and then.over & MOTHER:
                of.over |= bit(played)
        if left > 1 and not ends:
            search(of, turn, &then, numbers + 1, left - 1, pips - numbers[0], then_where)


cdef void begin_search(Search *of, const Turn *turn, const int *numbers, int count, int from_head,
                       const Aim *aim) noexcept nogil:
    cdef Stand at
    cdef int each, pips = 0
    start_stand(turn, from_head, &at)
    for each in range(count):
        pips += numbers[each]
    of.numbers = count
    of.ordered = count > 2
    of.past = aim.past
    of.legal = of.over = of.escaped = 0
    search(of, turn, &at, numbers, count, pips, bit(aim.rear))


cdef inline void conclude(const Search *of, Outcome *outcome) noexcept nogil:
    cdef uint32_t most
    outcome.most = highest_bit(of.legal) if of.legal else 0
    most = bit(outcome.most)
    outcome.ends = (of.over & most) != 0
    outcome.escapes = (of.escaped & most) != 0


cdef void search_double(const Turn *turn, int number, int from_head, bint watch, const Aim *aim,
                        Outcome *outcome) noexcept nogil:
    cdef int[4] numbers
    cdef Search of
    numbers[0] = numbers[1] = numbers[2] = numbers[3] = number
    of.watch = watch
    begin_search(&of, turn, numbers, 4, from_head, aim)
    conclude(&of, outcome)


cdef void search_mixed(const Turn *turn, int high, int low, int from_head, bint watch,
                       const Aim *aim, Outcome *outcome) noexcept nogil:
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


cdef void search_roll(Turn *turn, int high, int low, bint watch, const Aim *aim,
                      Outcome *outcome) noexcept nogil:
    cdef bint double = high == low
    cdef int number = high if double else 0
    cdef int whole = 4 if double else 2
    cdef int needed
    look_out(turn, high, low)
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


cdef struct Ways:
    # what each number can do
    uint32_t by[7]        # points from which it can be played first
    uint32_t rest[7]      # and after a step of the rearmost checker, from where that landed aside
    uint32_t goes[7]      # 1 if the rearmost checker can be moved by it first
    uint32_t past[7]      # 1 if that brings it past the wall
    uint32_t watch        # bans are in reach of four steps,
    uint32_t watch_mixed  # or of two
    uint32_t twice        # points two checkers can leave in one turn
    uint32_t runs         # 1 if the rearmost checker can be moved twice


cdef inline void find_watch(const Turn *turn, Ways *ways) noexcept nogil:
    """Where he stands no wall can be, and two steps fill but two points."""
    cdef uint32_t wall = turn.own & POINTS, may_be = wall | turn.open
    ways.watch = ways.watch_mixed = 0
    if turn.has_bans:
        mirror(turn.rules, &wall, &may_be)
        ways.watch = runs_of_six(may_be) & banned_runs(turn, 4)
        if ways.watch:
            ways.watch_mixed = ways.watch & lacks_two_at_most(wall) & banned_runs(turn, 2)


cdef inline void find_ways(const Turn *turn, const Aim *aim, Ways *ways) noexcept nogil:
    cdef uint32_t rear = bit(aim.rear), stays
    cdef int number
    find_watch(turn, ways)
    ways.twice = turn.made & ~START_BIT if turn.rules.one_from_head else turn.made
    ways.runs = not rear & ways.twice & BAR_BIT
    stays = rear & ways.twice
    for number in range(1, 7):
        ways.by[number] = sources_of(turn, turn.own, number)
        ways.goes[number] = ways.by[number] >> aim.rear & 1
        ways.past[number] = ways.goes[number] & (aim.rear - number < aim.past)
        if rear & BAR_BIT and not stays:
            ways.rest[number] = turn.own & turn.open << number & ~BAR_BIT
        else:
            ways.rest[number] = ways.by[number] & ~(rear ^ stays)


cdef inline uint32_t after_first(const Turn *turn, int number, int point, int other) noexcept nogil:
    """Where the other number can be played after this step."""
    cdef uint32_t sources = sources_of(turn, own_after(turn, point, number), other)
    if turn.rules.one_from_head and point == 24:
        sources &= ~START_BIT
    if turn.rules.hitter_stays_home:
        sources &= ~(landing(point, number) & turn.blots & HOME)
    return sources


cdef inline bint is_followed(const Turn *turn, uint32_t firsts, int number,
                             int other) noexcept nogil:
    cdef int point
    while firsts:
        point = highest_bit(firsts)
        firsts ^= bit(point)
        if after_first(turn, number, point, other):
            return True
    return False


cdef inline bint is_witness(const Turn *turn, int number, int point, int other,
                            uint32_t seconds) noexcept nogil:
    """Whether this step and the rearmost of the second ones break no ban."""
    return seconds and not is_banned(
        turn, own_after(turn, point, number) | landing(highest_bit(seconds), other)
    )


cdef inline uint32_t pairs_up(const Ways *ways, int high, int low) noexcept nogil:
    """1 if two checkers can play a number each."""
    cdef uint32_t either = ways.by[high] | ways.by[low]
    return (
        (ways.by[high] != 0) & (ways.by[low] != 0)
        & ((either & (either - 1) | either & ways.twice) != 0)
    )


cdef inline bint mixed_by_rule(const Turn *turn, const Ways *ways, int high, int low, bint watch,
                               const Aim *aim, Outcome *outcome) noexcept nogil:
    """A roll of two numbers, without a branch, if it can be played whole and nothing borne off.

    Tells whether it is settled: the rearmost checker must still be outside after either number.
    """
    cdef uint32_t run, high_first, low_first, run_past
    if aim.rear <= 12:
        return False
    run = turn.open >> (aim.rear - high - low) & ways.runs
    high_first = run | (ways.rest[low] != 0)
    low_first = run | (ways.rest[high] != 0)
    if not (
        pairs_up(ways, high, low) | ways.goes[high] & high_first | ways.goes[low] & low_first
    ):
        return False
    run &= ways.goes[high] | ways.goes[low]
    run_past = run & (aim.rear - high - low < aim.past)
    high_first &= ways.past[high]
    low_first &= ways.past[low]
    outcome.most = 2
    outcome.ends = False
    outcome.escapes = high_first | low_first | run_past
    if not watch:
        return True
    if outcome.escapes:
        return (
            high_first and is_witness(turn, high, aim.rear, low, ways.rest[low])
            or low_first and is_witness(turn, low, aim.rear, high, ways.rest[high])
            or run_past and not is_banned(
                turn, own_after(turn, aim.rear, high) | bit(aim.rear - high - low)
            ) and ways.goes[high]
        )
    if not ways.by[high]:
        return False
    return is_witness(
        turn, high, highest_bit(ways.by[high]), low,
        after_first(turn, high, highest_bit(ways.by[high]), low),
    )


cdef inline bint mixed_escapes(const Turn *turn, const Ways *ways, int high, int low, int most,
                               const Aim *aim) noexcept nogil:
    """Whether the rearmost checker gets past, by either number or both, in a turn that plays all
    it must: any other checker that can play the second number can do so after the first."""
    cdef uint32_t seconds
    if aim.rear - high - low >= aim.past:
        return False
    if ways.goes[high]:
        seconds = after_first(turn, high, aim.rear, low)
        if ways.past[high]:
            if seconds or most == 1:
                return True
        elif seconds >> (aim.rear - high) & 1:
            return True
    if ways.goes[low]:
        seconds = after_first(turn, low, aim.rear, high)
        if ways.past[low]:
            return seconds or most == 1 and not ways.by[high]
        return seconds >> (aim.rear - low) & 1
    return False


cdef inline void mixed_in_steps(const Turn *turn, const Ways *ways, int high, int low,
                                const Aim *aim, Outcome *outcome) noexcept nogil:
    """The same with all that bearing off and missing numbers bring."""
    outcome.ends = False
    if pairs_up(ways, high, low) or is_followed(turn, ways.by[high], high, low) or is_followed(
        turn, ways.by[low], low, high
    ):
        outcome.most = 2
    else:
        outcome.most = (ways.by[high] | ways.by[low]) != 0
        outcome.ends = (
            turn.own_side[0] == turn.rules.checkers - 1
            and ways.by[high] and not ways.by[high] >> (high + 1)
        )
    outcome.escapes = aim.past and mixed_escapes(turn, ways, high, low, outcome.most, aim)


cdef inline void play_out(const Turn *turn, int number, Stand *at) noexcept nogil:
    """The rearmost checker that can, until the double is played or nothing can be."""
    cdef uint32_t sources
    while at.played < 4:
        sources = stand_sources(turn, at, number)
        if not sources:
            return
        step_on(turn, at, highest_bit(sources), number)


cdef inline uint32_t is_open(const Turn *turn, int point) noexcept nogil:
    """1 if a point of the board is open; there is none at 0 and below."""
    return (<uint64_t>turn.open << 32) >> (point + 32) & 1


cdef inline bint may_lock(const Turn *turn, uint32_t firsts, int number) noexcept nogil:
    """Whether a checker may hit at home with numbers of a double to come, where it must stay."""
    cdef uint32_t landed = firsts >> number
    if not turn.rules.hitter_stays_home or not turn.blots & HOME:
        return False
    if turn.own & BAR_BIT:
        landed |= turn.own >> number
    landed |= (landed | turn.own) >> number & turn.open
    landed |= (landed | turn.own) >> number & turn.open
    return (turn.blots & HOME & landed) != 0


cdef inline bint double_by_rule(const Turn *turn, const Ways *ways, int number, bint watch,
                                const Aim *aim, Outcome *outcome) noexcept nogil:
    """A double of which no step starts or ends a rule for the next; tells if it is settled."""
    cdef uint32_t by = ways.by[number]
    cdef uint32_t others
    cdef bint locks = may_lock(turn, by, number)
    # Of one checker: it enters, but all on the bar must before it goes on.
    cdef int steps = 4 if aim.rear < 25 else max(5 - turn.own_side[25], 1)
    cdef int point = aim.rear, at_least
    cdef int goes, second, third, fourth
    cdef Stand at
    # Each of these checkers once, and once more where another stands or the same can go on.
    at_least = bits(by) + bits(by & ways.twice)
    if not locks:
        at_least += bits(by & turn.open << 2 * number)
    outcome.most = 4
    outcome.ends = False
    if at_least < 4 or watch:
        start_stand(turn, head_limit(turn, number, False), &at)
        play_out(turn, number, &at)
        outcome.most = at.played
        outcome.ends = at.own == 0
        if (watch or locks) and (at.played < 4 or is_banned(turn, at.own)):
            return False
    goes = ways.goes[number]
    second = goes & is_open(turn, point - 2 * number) & (steps > 1)
    third = second & is_open(turn, point - 3 * number) & (steps > 2)
    fourth = third & is_open(turn, point - 4 * number) & (steps > 3)
    steps -= goes + second + third + fourth
    point -= number * (goes + second + third + fourth)
    outcome.escapes = point < aim.past
    if not aim.past:
        return True
    if not outcome.escapes:
        # Unless it is borne off past the wall, which takes a step of every other checker still
        # outside or, for a number too high, above it.
        others = turn.own & ~(bit(aim.rear) & ~turn.made)
        return (
            not goes or steps == 0 or point > number
            or bits(others >> ((point if point < number else 6) + 1)) >= steps
        )
    if watch or locks:
        start_stand(turn, head_limit(turn, number, False), &at)
        point = aim.rear
        while point >= aim.past:
            if not stand_sources(turn, &at, number) >> point & 1:
                return False
            step_on(turn, &at, point, number)
            point -= number
        play_out(turn, number, &at)
        return at.played == outcome.most and not (watch and is_banned(turn, at.own))
    return True


cdef inline bint goes_by_runner(const Turn *turn) noexcept nogil:
    """Whether the runner is all that a step depends on; nothing is borne off while it travels."""
    return turn.runner and turn.own_side[24] > 1 and not (
        turn.rules.hits or turn.rules.pins or turn.rules.one_from_head
    )


cdef inline void runner_in_order(const Turn *turn, int first, int second, const Aim *aim,
                                 Outcome *outcome) noexcept nogil:
    """Two numbers in this order with a runner that travels alone until it arrives or is off."""
    cdef int point = highest_bit(turn.runner), landed = point - first, next_point
    cdef uint32_t own, seconds, movers
    outcome.most = 0
    outcome.ends = outcome.escapes = False
    if not turn.open >> landed & 1:
        return
    own = own_after(turn, point, first)
    seconds = sources_of(turn, own, second)
    if turn.rules.runner_whole_turn or landed > turn.rules.runner_exit:
        seconds &= bit(landed)
    outcome.most = 1 + (seconds != 0)
    movers = followed(bit(aim.rear), point, first, own)
    outcome.escapes = (movers & (bit(aim.past) - 1)) != 0
    movers &= seconds
    while movers:
        next_point = lowest_bit(movers)
        movers &= movers - 1
        outcome.escapes |= next_point - second < aim.past


cdef inline void runner_mixed(const Turn *turn, int high, int low, const Aim *aim,
                              Outcome *outcome) noexcept nogil:
    cdef Outcome other
    runner_in_order(turn, high, low, aim, outcome)
    runner_in_order(turn, low, high, aim, &other)
    if other.most > outcome.most:
        outcome[0] = other
    elif other.most == 2:
        outcome.escapes |= other.escapes


cdef inline bint runner_double(const Turn *turn, int number, const Aim *aim,
                               Outcome *outcome) noexcept nogil:
    """A double with such a runner; tells if it is settled.

    Nothing comes further than the rearmost checker that moves whenever the runner lets it.
    """
    cdef uint32_t sources
    cdef int rear = aim.rear
    cdef Stand at
    start_stand(turn, head_limit(turn, number, False), &at)
    play_out(turn, number, &at)
    outcome.most = at.played
    outcome.ends = outcome.escapes = False
    if not aim.past:
        return True
    start_stand(turn, head_limit(turn, number, False), &at)
    while at.played < 4 and rear >= aim.past:
        sources = stand_sources(turn, &at, number)
        if sources >> rear & 1:
            step_on(turn, &at, rear, number)
            rear -= number
        elif at.runner and sources:
            step_on(turn, &at, highest_bit(sources), number)
        else:
            return True
    if rear >= aim.past:
        return True
    play_out(turn, number, &at)
    outcome.escapes = True
    return at.played == outcome.most


cdef inline bint depends_on_steps(const Turn *turn) noexcept nogil:
    """Whether a step may change more for the next one than where my checkers stand."""
    return turn.runner or turn.rules.two_if_needed and turn.own_side[24] == turn.rules.checkers


cdef inline bint may_end_by_mother(const Turn *turn, int high, int low) noexcept nogil:
    """Whether a step of this roll may win by a pinned mother or, with mine pinned, draw."""
    return (
        turn.mother_at_stake or turn.still & START_BIT and turn.blots & MOTHER
    ) and mother_in_reach(turn, high, low)


cdef inline void play_any(Turn *turn, const Ways *ways, int high, int low, const Aim *aim,
                          Outcome *outcome) noexcept nogil:
    cdef bint watch = False
    if depends_on_steps(turn) or may_end_by_mother(turn, high, low):
        if ways.watch if high == low else ways.watch_mixed:
            watch = may_wall(turn, high, low, 4 if high == low else 2)
        if goes_by_runner(turn) and not watch:
            if high != low:
                runner_mixed(turn, high, low, aim, outcome)
                return
            if runner_double(turn, high, aim, outcome):
                return
    elif high == low:
        watch = ways.watch and may_wall(turn, high, low, 4)
        if double_by_rule(turn, ways, high, watch, aim, outcome):
            return
    else:
        # A witness costs less than the question whether one is needed.
        if mixed_by_rule(turn, ways, high, low, ways.watch_mixed != 0, aim, outcome):
            return
        if ways.watch_mixed:
            watch = may_wall(turn, high, low, 2)
            if not watch and mixed_by_rule(turn, ways, high, low, False, aim, outcome):
                return
        if not watch:
            mixed_in_steps(turn, ways, high, low, aim, outcome)
            return
    search_roll(turn, high, low, watch, aim, outcome)


cdef void all_rolls(Turn *turn, const Aim *wanted, Mobility *mobility,
                    uint8_t *escape_rolls) noexcept nogil:
    cdef int high, low, weight, lost = 0, whole = 0, escaping = 0
    cdef Aim aim = wanted[0]
    cdef Outcome outcome
    cdef Ways ways
    if finished(turn) and not turn.plays_on:
        mobility.pass_rolls = 36
        mobility.partial_rolls = mobility.full_rolls = 0
        escape_rolls[0] = 0 if aim.past else 36
        return
    if turn.still >> aim.rear & 1:
        # No roll brings it anywhere.
        aim.past = 0
    find_ways(turn, &aim, &ways)
    for high in range(1, 7):
        for low in range(1, high + 1):
            weight = 1 + (high != low)
            play_any(turn, &ways, high, low, &aim, &outcome)
            lost += weight * (outcome.most == 0)
            whole += weight * (
                (outcome.most == (4 if high == low else 2)) | (outcome.ends & (outcome.most > 0))
            )
            escaping += weight * (outcome.escapes | (wanted.past == 0))
    mobility.pass_rolls = lost
    mobility.partial_rolls = 36 - lost - whole
    mobility.full_rolls = whole
    escape_rolls[0] = escaping
