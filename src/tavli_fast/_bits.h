/* The few things Cython cannot say portably: bit scans, and one side's counts turned into masks. */
#ifndef TAVLI_FAST_BITS_H
#define TAVLI_FAST_BITS_H

#include <stdint.h>
#include <string.h>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
static __forceinline int lowest_bit(uint32_t mask)
{
    unsigned long at;
    _BitScanForward(&at, mask);
    return (int)at;
}
static __forceinline int highest_bit(uint32_t mask)
{
    unsigned long at;
    _BitScanReverse(&at, mask);
    return (int)at;
}
#else
static inline int lowest_bit(uint32_t mask) { return __builtin_ctz(mask); }
static inline int highest_bit(uint32_t mask) { return 31 - __builtin_clz(mask); }
#endif

/* What the kernel calls inline is inlined, whatever a compiler's estimate says: the mechanics of a
   game are constants to those functions, and most of each vanishes. */
#undef CYTHON_INLINE
#if defined(_MSC_VER) && !defined(__clang__)
#define CYTHON_INLINE __forceinline
#else
#define CYTHON_INLINE inline __attribute__((always_inline))
#endif

/* Bit p of `held`: the side has checkers on point p; of `made`: it has two or more. */
#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
static inline void side_masks(const uint8_t *counts, uint32_t *held, uint32_t *made)
{
    const __m128i low = _mm_loadu_si128((const __m128i *)counts);
    const __m128i high = _mm_loadu_si128((const __m128i *)(counts + 16));
    const __m128i zero = _mm_setzero_si128();
    /* min(count, 1) == count for 0 and 1: unsigned, so that counts over 127 are right as well. */
    const __m128i one = _mm_set1_epi8(1);
    const uint32_t none = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(low, zero))
        | (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(high, zero)) << 16;
    const uint32_t few = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(low, one), low))
        | (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(high, one), high)) << 16;
    *held = ~none & 0x3FFFFFFu;
    *made = ~few & 0x3FFFFFFu;
}
/* All 26 counts of a side. */
static inline int side_total(const uint8_t *counts)
{
    const __m128i zero = _mm_setzero_si128();
    const __m128i tail = _mm_slli_si128(_mm_loadu_si128((const __m128i *)(counts + 16)), 6);
    const __m128i sums = _mm_add_epi64(
        _mm_sad_epu8(_mm_loadu_si128((const __m128i *)counts), zero), _mm_sad_epu8(tail, zero));
    return _mm_cvtsi128_si32(sums) + _mm_cvtsi128_si32(_mm_srli_si128(sums, 8));
}
#else
static inline void side_masks(const uint8_t *counts, uint32_t *held, uint32_t *made)
{
    uint32_t some = 0, more = 0;
    for (int point = 0; point < 26; point++) {
        some |= (uint32_t)(counts[point] > 0) << point;
        more |= (uint32_t)(counts[point] > 1) << point;
    }
    *held = some;
    *made = more;
}
static inline int side_total(const uint8_t *counts)
{
    int total = 0;
    for (int point = 0; point < 26; point++) total += counts[point];
    return total;
}
#endif

/* Bit p becomes bit 25 - p: a point of one side as the other numbers it, in contrary movement. */
static inline void contrary_masks(uint32_t *mask, uint32_t *other)
{
    uint64_t both = (uint64_t)*mask << 32 | *other;
    both = (both >> 1 & 0x5555555555555555u) | (both & 0x5555555555555555u) << 1;
    both = (both >> 2 & 0x3333333333333333u) | (both & 0x3333333333333333u) << 2;
    both = (both >> 4 & 0x0F0F0F0F0F0F0F0Fu) | (both & 0x0F0F0F0F0F0F0F0Fu) << 4;
    both = (both >> 8 & 0x00FF00FF00FF00FFu) | (both & 0x00FF00FF00FF00FFu) << 8;
    both = (both >> 16 & 0x0000FFFF0000FFFFu) | (both & 0x0000FFFF0000FFFFu) << 16;
    *mask = (uint32_t)(both >> 32) >> 6;
    *other = (uint32_t)both >> 6;
}

/* Bit p becomes bit p + 12 or p - 12: the same in parallel movement. Off and bar are dropped. */
static inline uint32_t parallel_mask(uint32_t mask)
{
    return (mask >> 12 & 0x1FFEu) | (mask & 0x1FFEu) << 12;
}

#if defined(_MSC_VER) && !defined(__clang__)
#define LINE_ALIGNED __declspec(align(64))
#define assume_aligned(pointer) (pointer)
#else
#define LINE_ALIGNED __attribute__((aligned(64)))
#define assume_aligned(pointer) __builtin_assume_aligned(pointer, 64)
#endif

static LINE_ALIGNED uint64_t DELTAS[2][12][26][2][8];
static LINE_ALIGNED uint64_t PIN_DELTAS[2][12][26][4][8];

/* A side's pinned points: bit p of a little-endian word, on any machine. */
static inline uint32_t pinned_mask(const uint8_t *side)
{
    return (uint32_t)side[28] | (uint32_t)side[29] << 8 | (uint32_t)side[30] << 16
        | (uint32_t)side[31] << 24;
}

/* out = base + change in eight lanes. All is read before anything is written, so out and base may
   be one and a compiler needs no alias test to use its widest registers. */
static inline void add_lanes(uint64_t *out, const uint64_t *base, const uint64_t *change)
{
    const uint64_t *a = base, *b = change;
    const uint64_t s0 = a[0] + b[0], s1 = a[1] + b[1], s2 = a[2] + b[2], s3 = a[3] + b[3];
    const uint64_t s4 = a[4] + b[4], s5 = a[5] + b[5], s6 = a[6] + b[6], s7 = a[7] + b[7];
    out[0] = s0; out[1] = s1; out[2] = s2; out[3] = s3;
    out[4] = s4; out[5] = s5; out[6] = s6; out[7] = s7;
}

/* The same with a change out of DELTAS, whose alignment saves the loads. */
static inline void add_delta(uint64_t *out, const uint64_t *base, const uint64_t *delta)
{
    add_lanes(out, base, assume_aligned(delta));
}

#endif
