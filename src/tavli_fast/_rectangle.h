/* Mixed rolls in which no step changes what another may do: every source of one number goes with
   every source of the other, but for these exceptions. */
#ifndef TAVLI_FAST_RECTANGLE_H
#define TAVLI_FAST_RECTANGLE_H

#include "_rows.h"

typedef struct {
    int high, low;
    uint32_t by_high;
    uint32_t by_low;
    uint32_t hits_high;
    uint32_t hits_low;
    uint32_t alone;        /* not with itself */
    uint32_t twice;        /* over both own intermediate points: two steps give what two others give */
    uint32_t frees;        /* a lone pinning checker: not joined as it leaves */
    uint32_t leaves_two;   /* two that pin together, and free him when both leave */
    uint32_t runs;         /* one checker plays both numbers over a point not own, with no trace there */
    uint32_t runs_high;    /* or hits there, high first, */
    uint32_t runs_low;     /* or low first */
} Rectangle;

/* Which sources of the lower number go with this one of the higher. */
static inline uint32_t seconds_of(const Rectangle *of, int point)
{
    const uint32_t from = (uint32_t)1 << point;
    return of->by_low & ~((of->alone & from) | (of->twice & from << of->low)
        | (of->hits_high & from) >> (of->high - of->low)
        | (of->frees & from) << of->low | (of->frees & from >> of->high));
}

/* `join_all` makes a row of each first step with each second one and returns where the next row goes;
   NULL: there are not the registers for that. The second steps are held in registers, up to six or
   eight, and each first step writes so many rows, whatever there is of them and whichever are left
   out: the next rows go over those. */
#if defined(__AVX512F__) && (defined(__x86_64__) || defined(_M_X64))
/* For each choice among eight rows where each one goes, after those chosen before it; by 8 bytes. */
static LINE_ALIGNED uint8_t PLACES[256][8];

static void fill_places(void)
{
    for (int chosen = 0; chosen < 256; chosen++)
        for (int at = 0, place = 0; at < 8; place += (chosen >> at & 1) << 3, at++)
            PLACES[chosen][at] = (uint8_t)place;
}

/* Points as bits 2 * point and, where they hit, 2 * point + 1: the order of DELTAS. */
static inline uint64_t in_order(uint32_t points, uint32_t hits)
{
    return _pdep_u64(points & ~hits, 0x5555555555555555u) | _pdep_u64(points & hits, 0xAAAAAAAAAAAAAAAAu);
}

static inline Record *join_up_to(const Rectangle *of, int most, int flip, int pins, const Record *base, Record *row)
{
    const __m512i start = _mm512_load_si512(base);
    __m512i second[8];
    /* With none left the change is that of point 0, which is none. */
    if (pins) {
        uint32_t rest = of->by_low;
        for (int at = 0; at < most; at++, rest &= rest - 1)
            second[at] = _mm512_load_si512(
                step_delta(flip, pins, of->low, _tzcnt_u32(rest) & 31, of->hits_low, of->frees));
    } else {
        const Record *changes = (const Record *)DELTAS[flip][of->low];
        uint64_t rest = in_order(of->by_low, of->hits_low);
        for (int at = 0; at < most; at++, rest &= rest - 1)
            second[at] = _mm512_load_si512(changes + (_tzcnt_u64(rest) & 63));
    }
    for (uint32_t rest = of->by_high; rest; rest &= rest - 1) {
        const int point = lowest_bit(rest);
        const uint32_t chosen = _pext_u32(seconds_of(of, point), of->by_low);
        const __m512i first = _mm512_add_epi64(start, _mm512_load_si512(
            step_delta(flip, pins, of->high, point, of->hits_high, of->frees)));
        for (int at = 0; at < most; at++)
            _mm512_storeu_si512((uint64_t *)row + PLACES[chosen][at], _mm512_add_epi64(first, second[at]));
        row += bits(chosen);
    }
    return row;
}

static inline Record *join_all(const Rectangle *of, int flip, int pins, const Record *base, Record *row)
{
    const int count = bits(of->by_low);
    if (count <= 6) return join_up_to(of, 6, flip, pins, base, row);
    if (count <= 8) return join_up_to(of, 8, flip, pins, base, row);
    return NULL;
}
#else
static void fill_places(void) {}
static inline Record *join_all(const Rectangle *of, int flip, int pins, const Record *base, Record *row)
{
    return NULL;
}
#endif

#endif
