"""A position under its rules, as masks of points: all that its rolls share."""

cdef enum:
    SIDE = 32                      # bytes
    HOME = 0x7E                    # points 1..6
    POINTS = 0x1FFFFFE             # points 1..24
    BAR_BIT = 0x2000000
    START_BIT = 0x1000000          # point 24
    MOTHER = 2                     # his 24: my point 1
    ANYWHERE = 0x3FFFFFF
    ON_BOARD = 0x3FFFFFE           # the bar included
    START_QUARTER = 0x1F80000      # own 24..19
    MOTHER_PRIME_RUN = 0x40000     # his 18..23, right in front of his start point
    LONGEST = 11                   # pips of two different numbers played by one checker


cdef struct Turn:
    AlignedRecord base    # in the layout of the results
    const Rules *rules
    int flip
    int own_at            # byte offset of own counts in `base` and in every result
    const uint8_t *own_side
    const uint8_t *opp_side
    uint32_t own          # where I stand, bar included
    uint32_t made         # where I have two or more
    uint32_t open         # where I may land
    uint32_t still        # where my checker is pinned
    uint32_t over         # where mine stand on his pinned one
    uint32_t frees        # where a single one of mine does
    uint32_t leaves_two   # where two do
    uint32_t blots        # where landing hits or pins
    bint keeps            # nothing may be borne off: a pinned checker of mine bars it
    bint watchful         # these rules watch single steps
    bint mother_at_stake  # some step may pin the mother, or leave her pinned with no way out
    bint watches_mother   # and so may one of this roll
    bint hits_at_home     # this roll may hit where the hitter must stay
    int most              # numbers used by the longest result that ended the game
    uint32_t runner       # the only point that may be left while the runner travels; 0: any
    uint32_t his          # where he stands, as he numbers it
    uint32_t his_held     # the same, as I number it
    uint32_t his_runner
    bint plain            # nothing in `set_more` concerns these rules
    bint has_bans
    bint opens_block      # he is totally blocked already, so this turn must open
    bint bans_block       # ban 1 is in force for this turn
    bint decided          # by a pinned mother
    bint plays_on         # one last roll all the same
    int numbers           # of a double
    uint32_t unsound      # not zero: the record is no position of its game


cdef inline uint32_t bit(int point) noexcept nogil:
    return <uint32_t>1 << point


cdef inline uint32_t landing(int point, int number) noexcept nogil:
    """Where a step ends, as a mask; empty when it bears off."""
    return bit(point) >> number & POINTS


cdef inline const Record *delta(const Turn *turn, bint pins, int number, int point, uint32_t hits,
                                uint32_t frees) noexcept nogil:
    """What a step adds; the masks have the points from which it hits or pins, and frees."""
    return step_delta(turn.flip, pins, number, point, hits, frees)


cdef inline bint borne_off(const Turn *turn) noexcept nogil:
    """Whether either side has no checker left."""
    return not turn.own or not turn.his


cdef inline bint finished(const Turn *turn) noexcept nogil:
    return borne_off(turn) or turn.decided


cdef inline const uint8_t *own_counts(const Turn *turn, const Record *record) noexcept nogil:
    return <const uint8_t *>record + turn.own_at


cdef inline void emit(Record *out, const Record *base, const Record *change) noexcept nogil:
    add_delta(out.lane, base.lane, change.lane)


cdef void prepare_pins(Turn *turn) noexcept nogil:
    cdef uint32_t unused = 0, two
    cdef int point
    turn.leaves_two = 0
    turn.still = pinned_mask(turn.own_side) & POINTS
    turn.over = pinned_mask(turn.opp_side) & POINTS
    mirror(turn.rules, &turn.over, &unused)
    turn.frees = turn.over & ~turn.made
    turn.keeps = turn.rules.pinned_bars_bearing_off and turn.still
    two = turn.over & turn.made
    while two:
        point = lowest_bit(two)
        two &= two - 1
        if turn.own_side[point] == 2:
            turn.leaves_two |= bit(point)


cdef bint mothers_decide(const Turn *turn) noexcept nogil:
    """Whether a pinned mother has ended the game already."""
    cdef bint his_pinned = (turn.over & MOTHER) != 0
    cdef bint mine_pinned = (turn.still & START_BIT) != 0
    if his_pinned and mine_pinned:
        return True
    if not turn.rules.mother_loses:
        return False
    if turn.rules.mother_is_mutual:
        return his_pinned and not turn.own & START_BIT or mine_pinned and not turn.his & START_BIT
    return his_pinned or mine_pinned


cdef bint sound_pins(const Turn *turn) noexcept nogil:
    """Every point both sides hold has one checker pinned, and there is no other pin."""
    cdef uint32_t own_pinned = pinned_mask(turn.own_side)
    cdef uint32_t opp_pinned = pinned_mask(turn.opp_side)
    cdef Side his
    side_of(turn.opp_side, &his)
    return not (
        (own_pinned | opp_pinned) & ~POINTS
        or own_pinned & turn.made
        or opp_pinned & his.made
        or turn.still & turn.over
        or (turn.still | turn.over) != turn.own & turn.his_held
    )


cdef void set_rules(Turn *turn, const Rules *rules, int flip) noexcept nogil:
    """What all positions under these rules share, and what stays so in most games."""
    turn.rules = rules
    turn.flip = flip
    turn.own_at = SIDE if flip else 0
    turn.own_side = <const uint8_t *>&turn.base + turn.own_at
    turn.opp_side = <const uint8_t *>&turn.base + (SIDE - turn.own_at)
    turn.still = turn.over = turn.frees = turn.leaves_two = 0
    turn.keeps = turn.mother_at_stake = turn.watches_mother = turn.hits_at_home = False
    turn.runner = 0
    turn.decided = turn.plays_on = turn.opens_block = turn.bans_block = False
    turn.has_bans = rules.bans_walls
    turn.watchful = rules.hitter_stays_home or rules.mother_loses
    turn.plain = not (
        rules.pins or rules.runner_exit or rules.last_roll
        or rules.bans_total_block or rules.bans_one_point_block
    )


cdef void set_more(Turn *turn) noexcept nogil:
    """The rest about a position, in games that ask for it."""
    cdef const Rules *rules = turn.rules
    cdef uint32_t wall
    turn.runner = travelling(turn.own, turn.own_side[24], rules.checkers, rules.runner_exit)
    if rules.pins:
        turn.mother_at_stake = rules.mother_loses and (turn.blots | turn.over) & MOTHER
        turn.decided = mothers_decide(turn)
    turn.plays_on = rules.last_roll and turn.own_side[0] != rules.checkers
    if rules.bans_total_block or rules.bans_one_point_block:
        turn.his_runner = travelling(
            turn.his, turn.opp_side[24], rules.checkers, rules.runner_exit
        )
        if not turn.his_runner:
            turn.his_runner = ANYWHERE
        wall = mirrored(rules, turn.own)
        turn.opens_block = totally_blocked(turn, wall, runs_of_six(wall))
        turn.bans_block = turn.opens_block or not rules.block_may_be_built
    turn.has_bans = turn.bans_block or rules.bans_walls


cdef inline void set_position(Turn *turn, const Record *record) noexcept nogil:
    """Everything about a position that its rolls share. Safe for any bytes."""
    cdef const Rules *rules = turn.rules
    cdef uint32_t closed, behind, his_made
    cdef Side mine, his, contrary
    take_record(<const uint8_t *>record, <uint8_t *>turn.own_side, <uint8_t *>turn.opp_side,
                &mine, &his, &contrary)
    behind = (mine.held | his.held) >> 26
    turn.unsound = (mine.total ^ rules.checkers) | (his.total ^ rules.checkers)
    turn.own = mine.held & ON_BOARD
    turn.made = mine.made & COUNTS
    turn.his = his.held & ON_BOARD
    if rules.parallel:
        turn.his_held = parallel_mask(his.held)
        his_made = parallel_mask(his.made)
    else:
        turn.his_held = contrary.held & POINTS
        his_made = contrary.made
    turn.numbers = 4
    closed = his_made if rules.hits else turn.his_held
    if rules.pins:
        prepare_pins(turn)
        closed = his_made | turn.still
        turn.unsound |= (behind & 3) | <uint32_t>(not sound_pins(turn))
    else:
        turn.unsound |= behind | turn.own & turn.his_held
    if not rules.hits:
        turn.unsound |= (turn.own | turn.his) & BAR_BIT
    turn.blots = turn.his_held & ~closed & ~turn.over
    turn.open = ~closed & POINTS
    if not turn.plain:
        set_more(turn)


cdef void prepare(Turn *turn, const Record *record, const Rules *rules, int flip) noexcept nogil:
    set_rules(turn, rules, flip)
    set_position(turn, record)


cdef int faults(const Turn *turn) noexcept nogil:
    """What keeps the prepared record from being a position of its game."""
    cdef const uint8_t *own = turn.own_side
    cdef const uint8_t *opp = turn.opp_side
    cdef int found = 0
    cdef int own_total = 0, opp_total = 0, point
    if not turn.unsound:
        return 0
    for point in range(26):
        own_total += own[point]
        opp_total += opp[point]
    if own[26] | own[27] | opp[26] | opp[27]:
        found |= SPARE_IN_USE
    if turn.rules.pins:
        if not sound_pins(turn):
            found |= PINNED
    elif pinned_mask(own) | pinned_mask(opp):
        found |= PINNED
    if own_total != turn.rules.checkers:
        found |= OWN_TOTAL
    if opp_total != turn.rules.checkers:
        found |= OPP_TOTAL
    if not turn.rules.pins and turn.own & turn.his_held:
        found |= SHARED_POINT
    if not turn.rules.hits and (turn.own | turn.his) & BAR_BIT:
        found |= BAR_IN_USE
    return found
