"""A position as the input of a network."""

cdef enum:
    POINT_UNIT = 4        # units of a point
    SIDE_UNITS = 98       # of a side's 24 points, its bar and its off
    COMPACT_UNITS = 26    # of a side in the compact encoding
    PIN_UNITS = 24        # of a side, where checkers are pinned


# The units of a point with so many checkers, for any byte; filled at import.
cdef float POINT_UNITS[256][POINT_UNIT]


cdef void fill_units() noexcept nogil:
    cdef int checkers
    for checkers in range(256):
        POINT_UNITS[checkers][0] = checkers >= 1
        POINT_UNITS[checkers][1] = checkers >= 2
        POINT_UNITS[checkers][2] = checkers >= 3
        POINT_UNITS[checkers][3] = <float>0.5 * max(checkers - 3, 0)


cdef inline void side_units(const uint8_t *side, float each, float *out) noexcept nogil:
    cdef int point
    for point in range(1, 25):
        memcpy(out + POINT_UNIT * (point - 1), POINT_UNITS[side[point]], sizeof(POINT_UNITS[0]))
    out[96] = <float>0.5 * side[25]
    out[97] = each * side[0]


cdef inline void pin_units(const uint8_t *side, float *out) noexcept nogil:
    cdef uint32_t pinned = pinned_mask(side)
    cdef int point
    for point in range(1, 25):
        out[point - 1] = pinned >> point & 1


cdef int64_t features(const Record *records, int64_t rows, const Rules *rules, int compact,
                      int turned, float *out, int *fault) noexcept nogil:
    cdef float each = <float>1 / rules.checkers
    cdef const uint8_t *own
    cdef int64_t at
    cdef int byte
    cdef Turn turn
    set_rules(&turn, rules, 0)
    for at in range(rows):
        set_position(&turn, &records[at])
        fault[0] = faults(&turn)
        if fault[0]:
            return at
        own = <const uint8_t *>&records[at]
        if compact:
            for byte in range(COMPACT_UNITS):
                out[byte] = each * own[byte]
                out[COMPACT_UNITS + byte] = each * own[SIDE + byte]
            out += 2 * COMPACT_UNITS
        else:
            side_units(own, each, out)
            side_units(own + SIDE, each, out + SIDE_UNITS)
            out[2 * SIDE_UNITS] = not turned
            out[2 * SIDE_UNITS + 1] = turned
            out += 2 * SIDE_UNITS + 2
        if rules.pins:
            pin_units(own, out)
            pin_units(own + SIDE, out + PIN_UNITS)
            out += 2 * PIN_UNITS
    return rows
