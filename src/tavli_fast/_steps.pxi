"""What a single step may do, first in a turn or after others."""

cdef inline uint32_t playable(uint32_t own, uint32_t open, int number) noexcept nogil:
    """Points from which `number` can be played, by bar, landing and bearing-off rules."""
    cdef uint32_t sources = own & (open << number)
    if own & BAR_BIT:
        return sources & BAR_BIT
    if own and not own >> 7:
        if own >> number & 1:
            sources |= bit(number)
        elif not own >> number:
            sources |= bit(highest_bit(own))
    return sources


cdef inline uint32_t sources_of(const Turn *turn, uint32_t own, int number) noexcept nogil:
    """The same for me: a pinned checker counts where it stands, but cannot leave."""
    cdef uint32_t sources = playable(own, turn.open, number)
    if turn.keeps:
        sources &= turn.open << number
    return sources & ~turn.still


cdef inline uint32_t own_after(const Turn *turn, int point, int number) noexcept nogil:
    """Where I stand after a first step."""
    return (turn.own & ~(bit(point) & ~turn.made)) | landing(point, number)


cdef inline uint32_t travelling(uint32_t own, int on_start, int checkers, int exit) noexcept nogil:
    """The only point that may be left while the runner travels alone, as a mask; 0: no limit."""
    cdef uint32_t away = own & ~START_BIT
    if exit == 0 or on_start < checkers - 1:
        return 0
    if on_start == checkers:
        return START_BIT
    return away if away >> (exit + 1) else 0


cdef struct Walk:
    # a turn under way: the position reached, and what it leaves to the next step
    Record at
    uint32_t own
    uint32_t blots
    uint32_t over         # where mine stand on his pinned one
    uint32_t locked       # points that hold a checker which hit there and stays
    uint32_t runner       # the only point that may be left; 0: any
    uint32_t below        # points a further number of a double may leave
    int from_head         # checkers that may still leave own 24
    int steps


cdef inline void start_walk(const Turn *turn, Walk *walk) noexcept nogil:
    walk.at = turn.base
    walk.own = turn.own
    walk.blots = turn.blots
    walk.over = turn.over
    walk.locked = 0
    walk.runner = turn.runner
    walk.below = ANYWHERE
    walk.from_head = head_limit(turn, 0, False)
    walk.steps = 0


cdef inline int head_limit(const Turn *turn, int double_number, bint needed) noexcept nogil:
    """How many checkers a turn may take from own 24."""
    if not turn.rules.one_from_head:
        return turn.rules.checkers
    if turn.own_side[24] == turn.rules.checkers:
        if turn.rules.two_on_first_doubles and double_number in (3, 4, 6):
            return 2
        if turn.rules.two_if_needed and needed:
            return 2
    return 1


cdef inline uint32_t held_by_one(const uint8_t *counts, uint32_t held) noexcept nogil:
    """Of these points, those with a single checker of mine."""
    cdef uint32_t rest = held
    cdef int point
    while rest:
        point = lowest_bit(rest)
        rest &= rest - 1
        if counts[point] != 1:
            held ^= bit(point)
    return held


cdef inline uint32_t walk_sources(const Turn *turn, const Walk *walk, int number) noexcept nogil:
    """Where `number` can be played from now, whatever was played before."""
    cdef const uint8_t *counts = own_counts(turn, &walk.at)
    cdef uint32_t sources = sources_of(turn, walk.own, number)
    if walk.runner:
        sources &= walk.runner
    if walk.from_head == 0:
        sources &= ~START_BIT
    return sources & ~held_by_one(counts, walk.locked & sources)


cdef inline uint32_t freed_from(const uint8_t *counts, uint32_t over, int point) noexcept nogil:
    """These points, if the checker that leaves this one is the last there: it frees what it is over."""
    return over if counts[point] == 1 else 0


cdef inline void take_step(const Turn *turn, const Walk *walk, int number, int point, Walk *then) noexcept nogil:
    cdef uint32_t from_ = bit(point)
    cdef uint32_t landed = landing(point, number)
    cdef uint32_t touched = walk.blots & landed
    cdef uint32_t freed = 0
    cdef uint32_t own = walk.own | landed
    if own_counts(turn, &walk.at)[point] == 1:
        own ^= from_
        freed = walk.over & from_
    emit(&then.at, &walk.at,
         delta(turn, turn.rules.pins, number, point, walk.blots << number, freed))
    then.own = own
    then.blots = (walk.blots ^ touched) | freed
    then.over = (walk.over | (touched if turn.rules.pins else 0)) ^ freed
    then.locked = walk.locked | (touched & HOME if turn.rules.hitter_stays_home else 0)
    then.runner = 0
    then.below = (from_ << 1) - 1
    then.from_head = walk.from_head - (point == 24)
    then.steps = walk.steps + 1
    if walk.runner:
        if turn.rules.runner_whole_turn or point - number > turn.rules.runner_exit:
            then.runner = landed
        else:
            then.below = ANYWHERE


cdef inline uint32_t points_in_reach(const Turn *turn, int high, int low) noexcept nogil:
    """Where a checker of mine might land with this roll before its last number."""
    cdef uint32_t own = turn.own & ~turn.still
    cdef uint32_t reach = (own >> high | own >> low) & turn.open
    if high == low:
        reach |= reach >> high & turn.open
        reach |= reach >> high & turn.open
    return reach


cdef inline bint mother_in_reach(const Turn *turn, int high, int low) noexcept nogil:
    """Whether this roll can pin the mother, or take the last checker off own 24 with her pinned.

    By its last number it may: what follows would be the same.
    """
    if turn.over & MOTHER:
        return turn.own_side[24] <= (3 if high == low else 1)
    return (points_in_reach(turn, high, low) & MOTHER) != 0


cdef inline bint may_hit_at_home(const Turn *turn, int high, int low) noexcept nogil:
    """Whether a checker may hit where it must stay."""
    return (
        turn.rules.hitter_stays_home
        and (turn.blots & HOME & points_in_reach(turn, high, low)) != 0
    )


cdef inline void look_out(Turn *turn, int high, int low) noexcept nogil:
    """What this roll can do to the rules that watch single steps."""
    if not turn.watchful:
        return
    turn.hits_at_home = may_hit_at_home(turn, high, low)
    turn.watches_mother = turn.mother_at_stake and mother_in_reach(turn, high, low)


cdef inline bint start_saves(const Turn *turn, uint32_t own) noexcept nogil:
    """Whether his mother, if pinned, has not lost yet as mine is still there, and free."""
    return (
        turn.rules.mother_is_mutual and own & START_BIT and not turn.still & START_BIT
    )


cdef inline uint32_t ending_steps(const Turn *turn, const uint8_t *counts, uint32_t own,
                                  uint32_t over, int number) noexcept nogil:
    """Points that cannot be left by this number without his mother being pinned for good."""
    cdef bint saved = start_saves(turn, own)
    if not over & MOTHER:
        return 0 if saved else MOTHER << number
    if saved:
        return START_BIT if counts[24] == 1 else 0
    # A last roll after the game: she has been pinned for good before.
    return ~MOTHER if counts[1] == 1 else ANYWHERE


cdef inline bint ends_game(const Turn *turn, const Walk *walk) noexcept nogil:
    """Whether his mother is pinned for good, which ends the turn where it stands."""
    if not walk.over & MOTHER or not turn.rules.mother_loses:
        return False
    return not start_saves(turn, walk.own)
