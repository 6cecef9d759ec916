"""What a build of the kernel takes and gives.

One `Kernel` table a build, handed over in a capsule, is all that the rest of the library sees.
Every function is free of Python objects and safe for any bytes: whatever a record holds, no read
or write leaves the arrays given.
"""

from libc.stdint cimport int8_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef enum:
    ABI = 5               # raised whenever anything in this file changes
    MOST_LAWS = 16        # different games in one call
    MOST_MIXED = 1024     # rows a mixed roll may write, junk and banned results included
    MOST_DOUBLE = 20480   # the same for a double: non-increasing quadruples of 25 points, and slack


cdef extern from "_record.h":
    ctypedef struct Record:
        # design: 64 bytes; own counts 26, spare 2, pinned 4, then the same of the other side
        uint64_t lane[8]
    ctypedef Record AlignedRecord

cdef extern from "_dice.h":
    ctypedef struct Source:
        # a NumPy bit generator, as its capsule hands it over
        pass


ctypedef struct Rules:
    uint8_t checkers
    uint8_t hits                    # a lone opposing checker can be hit, or
    uint8_t pins                    # pinned; otherwise it holds its point
    uint8_t parallel
    uint8_t may_stop_bearing_off
    uint8_t hitter_stays_home       # a checker that hits on own 6..1 may not move on in that turn
    uint8_t runner_exit             # the runner is released at or below this point; 0: no such rule
    uint8_t runner_whole_turn       # released only when the turn ends
    uint8_t bans_start_quarter
    uint8_t bans_mother_prime
    uint8_t mother_must_be_there    # the mother prime is banned only while he has a checker on 24
    uint8_t bans_total_block        # by no playable number
    uint8_t bans_one_point_block    # only with all his checkers on the one point behind the wall
    uint8_t block_may_be_built      # but must be opened on the next turn
    uint8_t bans_six_prime          # any wall of six
    uint8_t one_ahead_is_enough     # that nobody of his is past
    uint8_t bans_walls              # any of the bans on walls, total block aside
    uint8_t one_from_head           # a turn may take one checker from own 24
    uint8_t two_on_first_doubles    # or two by 3-3, 4-4 and 6-6 while all are there
    uint8_t two_if_needed           # or two while all are there and one cannot play every number
    uint8_t pinned_bars_bearing_off # no bearing off while an own checker is pinned
    uint8_t mother_loses            # a pinned mother ends the game
    uint8_t mother_is_mutual        # unless the pinner has a checker on his own 24
    uint8_t last_roll               # a side may still play when the other has finished
    # what only whole games ask
    uint8_t start[26]               # the checkers of one side
    uint8_t opening_is_played       # the two dice thrown for who begins are the first roll
    uint8_t counts_triple
    uint8_t mother_points
    uint8_t cascade_from            # own turn from which a double is followed by those above; 0: none
    uint8_t cascade_single          # by one only
    uint8_t unfinished_is_his       # what is left of a double is the other's to play


ctypedef struct Freedom:
    # what the steps already played in this turn leave to the next one
    uint32_t locked       # points that hold a checker which may not move on
    uint32_t runner       # the point of the checker that travels alone for the whole turn; 0: none
    int head_taken        # checkers that have left own 24


cdef enum Refusal:
    # why a step cannot be made, in the order of law, which is that of `Reason`; 0: it can
    GAME_OVER = 1
    TURN_OVER
    NO_SUCH_NUMBER
    NO_CHECKER
    PINNED_CHECKER
    BAR_FIRST
    RUNNER_ALONE
    HEAD_USED
    HITTER_STAYS
    CLOSED_POINT
    NOT_ALL_HOME
    HIGHER_CHECKER
    PINNED_AT_HOME
    BANNED                # the first of four bans
    MOST_NUMBERS = BANNED + 4
    HIGHER_NUMBER


ctypedef struct Batch:
    const Record *records
    const uint8_t *rolls   # two dice a roll
    int64_t roll_stride    # bytes from one record's roll to the next one's; 0: the same for all
    int64_t rolls_each     # rolls played from each record
    int64_t rows           # records
    const Rules **rules    # up to MOST_LAWS
    const uint8_t *law     # of each record, its place in `rules`; NULL: the first for all
    const uint8_t *numbers # of a double, left to each record; 0 or NULL: all
    int flip
    Record *out            # NULL: count only
    int64_t capacity       # rows in out
    int stream             # past the caches: for rows larger than those, in memory long in use
    int64_t *offsets       # rows * rolls_each + 1, relative to `out`
    uint8_t *played        # rows * rolls_each
    Record *scratch
    int64_t scratch_rows   # MOST_DOUBLE, or MOST_MIXED where no roll is a double
    const Record *ready    # in and out: rows made before, to be sent past the caches
    Record *ready_to
    int64_t ready_rows
    int64_t done           # in and out: (record, roll) pairs finished
    int64_t used           # in and out: rows of out written, or counted
    int fault              # out: why the pair at `done` is refused; 0 with pairs left: out is full


ctypedef struct Course:
    # what a game remembers besides its position and its roll
    uint32_t plies
    uint16_t score[2]      # of the match before this game
    uint8_t law            # which game it is
    uint8_t player         # on roll
    uint8_t starter
    uint8_t numbers        # of a double left to him; 0: all
    uint8_t cascade_end    # the last double of the cascade under way; 0: none
    uint8_t leftover       # he plays what the other has left of it
    uint8_t last_roll      # the other has finished, and this roll can still make it a draw
    uint8_t throws[2]      # turns each player has begun with a roll of his own, up to 255
    uint8_t ended          # by the last ply: 0, or Ended
    int8_t points          # won by the player of the last ply, if it ended the game
    uint8_t turned         # the last ply ended its player's turn


ctypedef struct Lockstep:
    # many games, a ply of each at a time
    int64_t games
    const Rules **rules    # the games of a match in their order, or one
    int laws
    int target             # points that win a match; 0: every game for itself
    int winner_begins      # the next game of a match, without an opening roll
    uint32_t ply_cap       # 0: none
    Record *records
    uint8_t *rolls
    Course *courses
    const Record *after    # the afterstates of all, seen by the mover
    int flipped            # or by the other side
    const int64_t *chosen  # the row of each game's in `after`; below 0, it waits
    Source *source


ctypedef struct Playouts:
    # whole games from each of some records, the dice from one source
    const Record *records
    int64_t first          # of the games, `games` for each record
    int64_t last
    int64_t games
    const Rules *rules
    int greedy             # the most pips ahead, instead of any
    uint32_t ply_cap       # 0: none
    Source *source
    Record *scratch        # MOST_DOUBLE rows
    int64_t *points        # 7 for each record from that of `first` on: games won by -3 .. 3 points
    int64_t *plies         # and the plies of all its games
    int64_t *capped        # and how many had no end
    int fault
    int64_t done           # games


ctypedef struct Walls:
    uint8_t longest       # points of the longest
    uint8_t live          # of the longest with an opposing checker behind it
    uint8_t trapped       # opposing checkers behind a wall of six or more


ctypedef struct Mobility:
    # of the 36 rolls: those that play no number, some and all
    uint8_t pass_rolls
    uint8_t partial_rolls
    uint8_t full_rolls


ctypedef struct Blockade:
    Walls own             # the walls a side holds
    Walls opp
    Mobility rolls
    uint8_t escape_rolls  # that bring my rearmost checker past his longest live wall
    uint8_t forbidden     # blockades of mine that the rules forbid


cdef enum Ban:
    TOTAL_BLOCK = 1
    START_QUARTER = 2
    MOTHER_PRIME = 4
    SIX_PRIME = 8


cdef enum Ended:
    WON = 1               # or drawn by rule
    CAPPED = 2
    MATCH_WON = 4


cdef enum:
    GAME_ON = 127         # instead of points


cdef enum Fault:
    # why a pair is refused; several may be set
    OWN_TOTAL = 1
    OPP_TOTAL = 2
    SHARED_POINT = 4
    BAR_IN_USE = 8
    PINNED = 16           # pins where there can be none, or that do not fit the checkers
    SPARE_IN_USE = 32
    BAD_DIE = 64


ctypedef struct Kernel:
    int abi
    int (*faults)(const Record *record, const Rules *rules) noexcept nogil
    # `numbers` of a double, up to 4; of no meaning for a mixed roll
    int64_t (*afterstates)(const Record *record, int die, int other_die, int numbers, const Rules *rules,
                           int flip, Record *out, uint8_t *played) noexcept nogil
    void (*batch)(Batch *batch) noexcept nogil
    uint64_t (*perft)(const Record *record, int depth, int weighted, const Rules *rules,
                      Record *arena, const volatile int *stop) noexcept nogil
    uint32_t (*sources)(const Record *record, int number, const Rules *rules,
                        const Freedom *freedom) noexcept nogil
    int (*step)(Record *record, int point, int number, const Rules *rules,
                Freedom *freedom) noexcept nogil
    # A Refusal: what about a single step is in the way of this one, which is not among the sources.
    int (*obstacle)(const Record *record, int point, int number, const Rules *rules,
                    const Freedom *freedom) noexcept nogil
    int (*is_over)(const Record *record, const Rules *rules) noexcept nogil
    # Walls of own along the path of opp, by his numbers, and the other way round.
    void (*walls)(const Record *record, const Rules *rules, uint32_t *own,
                  uint32_t *opp) noexcept nogil
    # For so many records in a row; each returns how many are done, fewer if one has a fault.
    int64_t (*blockades)(const Record *records, int64_t rows, const Rules *rules, int with_rolls,
                         Blockade *out, int *fault) noexcept nogil
    int64_t (*mobility)(const Record *records, int64_t rows, const Rules *rules, Mobility *out,
                        int *fault) noexcept nogil
    int64_t (*in_contact)(const Record *records, int64_t rows, const Rules *rules, uint8_t *out,
                        int *fault) noexcept nogil
    # Points of the player on roll, negative if lost; GAME_ON.
    int (*points)(const Record *record, const Rules *rules) noexcept nogil
    void (*begin)(Lockstep *work) noexcept nogil
    void (*advance)(Lockstep *work) noexcept nogil
    void (*playouts)(Playouts *work) noexcept nogil
    # Units of so many records in a row; each returns how many are done, fewer if one has a fault.
    int64_t (*features)(const Record *records, int64_t rows, const Rules *rules, int compact,
                        int turned, float *out, int *fault) noexcept nogil
