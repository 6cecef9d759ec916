/* The few things Cython cannot say portably: bit scans and counts, and one side's counts turned into masks. */
#ifndef TAVLI_FAST_BITS_H
#define TAVLI_FAST_BITS_H

#include <stdint.h>
#include <string.h>

#include "_record.h"

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#include <stdlib.h>
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
static __forceinline int bits(uint32_t mask)
{
    /* As __popcnt would be an instruction that the oldest processors lack. */
    mask -= mask >> 1 & 0x55555555u;
    mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
    mask = (mask + (mask >> 4)) & 0x0F0F0F0Fu;
    return (int)(mask * 0x01010101u >> 24);
}
static __forceinline uint64_t swap_bytes(uint64_t word) { return _byteswap_uint64(word); }
#else
static inline int lowest_bit(uint32_t mask) { return __builtin_ctz(mask); }
static inline int highest_bit(uint32_t mask) { return 31 - __builtin_clz(mask); }
static inline int bits(uint32_t mask)
{
#if defined(__POPCNT__) || !defined(__x86_64__)
    return __builtin_popcount(mask);
#else
    /* In line: without the instruction, the compilers' own form is a call. */
    mask -= mask >> 1 & 0x55555555u;
    mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
    mask = (mask + (mask >> 4)) & 0x0F0F0F0Fu;
    return (int)(mask * 0x01010101u >> 24);
#endif
}
static inline uint64_t swap_bytes(uint64_t word) { return __builtin_bswap64(word); }
#endif

/* What a side's 32 bytes say. Bit p of `held`: it has checkers on point p; of `made`: two or more.
   Bits 26 and up are of the bytes behind the counts. `total`: all its checkers. */
typedef struct {
    uint32_t held, made, total;
} Side;

#define COUNTS 0x3FFFFFFu

/* `SideBytes` is a side in registers: what is read and what is copied are the same bytes, whatever
   another thread does to the record meanwhile. `read_once` keeps a compiler from reading it again. */
#if defined(_MSC_VER) && !defined(__clang__)
#define read_once() ((void)0)
#else
#define read_once() __asm__ __volatile__("" ::: "memory")
#endif
#if defined(__AVX2__)
#include <immintrin.h>
typedef __m256i SideBytes;

static inline SideBytes load_side(const uint8_t *side)
{
    return _mm256_loadu_si256((const __m256i *)side);
}
static inline void store_side(uint8_t *side, SideBytes bytes)
{
    _mm256_storeu_si256((__m256i *)side, bytes);
}
static inline void side_masks(SideBytes bytes, Side *side)
{
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi8(1);
    /* min(count, 1) == count for 0 and 1: unsigned, so that counts over 127 are right as well. */
    side->held = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, zero));
    side->made = ~(uint32_t)_mm256_movemask_epi8(
        _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, one), bytes));
}
static inline __m128i quarter_totals(SideBytes bytes)
{
    const __m256i counts = _mm256_setr_epi32(-1, -1, -1, -1, -1, -1, 0xFFFF, 0);
    const __m256i sums = _mm256_sad_epu8(
        _mm256_and_si256(bytes, counts), _mm256_setzero_si256());
    return _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
}
#elif defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
typedef struct {
    __m128i low, high;
} SideBytes;

static inline SideBytes load_side(const uint8_t *side)
{
    const SideBytes bytes = {_mm_loadu_si128((const __m128i *)side),
                             _mm_loadu_si128((const __m128i *)(side + 16))};
    return bytes;
}
static inline void store_side(uint8_t *side, SideBytes bytes)
{
    _mm_storeu_si128((__m128i *)side, bytes.low);
    _mm_storeu_si128((__m128i *)(side + 16), bytes.high);
}
static inline void side_masks(SideBytes bytes, Side *side)
{
    const __m128i zero = _mm_setzero_si128(), one = _mm_set1_epi8(1);
    /* min(count, 1) == count for 0 and 1: unsigned, so that counts over 127 are right as well. */
    const __m128i low = _mm_min_epu8(bytes.low, one), high = _mm_min_epu8(bytes.high, one);
    side->held = ~((uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes.low, zero))
        | (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes.high, zero)) << 16);
    side->made = ~((uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(low, bytes.low))
        | (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(high, bytes.high)) << 16);
}
static inline __m128i quarter_totals(SideBytes bytes)
{
    const __m128i zero = _mm_setzero_si128();
    /* The six bytes behind the counts are shifted out. */
    return _mm_add_epi64(_mm_sad_epu8(bytes.low, zero),
                         _mm_sad_epu8(_mm_slli_si128(bytes.high, 6), zero));
}
#else
typedef struct {
    uint64_t word[4];     /* byte i is bits 8 i and up, on any machine */
} SideBytes;

static inline uint64_t first_byte_lowest(uint64_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return swap_bytes(word);
#else
    return word;
#endif
}
static inline SideBytes load_side(const uint8_t *side)
{
    SideBytes bytes;
    memcpy(bytes.word, side, 32);
    for (int at = 0; at < 4; at++) bytes.word[at] = first_byte_lowest(bytes.word[at]);
    return bytes;
}
static inline void store_side(uint8_t *side, SideBytes bytes)
{
    for (int at = 0; at < 4; at++) bytes.word[at] = first_byte_lowest(bytes.word[at]);
    memcpy(side, bytes.word, 32);
}
/* Bit i: byte i is not zero. */
static inline uint32_t bytes_in_use(uint64_t word)
{
    word |= (word & 0x7F7F7F7F7F7F7F7Fu) + 0x7F7F7F7F7F7F7F7Fu;
    return (uint32_t)((word >> 7 & 0x0101010101010101u) * 0x0102040810204080u >> 56);
}
static inline void side_masks(SideBytes bytes, Side *side)
{
    uint32_t held = 0, made = 0;
    for (int at = 0; at < 4; at++) {
        held |= bytes_in_use(bytes.word[at]) << 8 * at;
        made |= bytes_in_use(bytes.word[at] & 0xFEFEFEFEFEFEFEFEu) << 8 * at;
    }
    side->held = held;
    side->made = made;
}
static inline uint32_t total(SideBytes bytes)
{
    uint64_t sums = 0;
    bytes.word[3] &= 0xFFFF;
    for (int at = 0; at < 4; at++) {
        sums += bytes.word[at] & 0x00FF00FF00FF00FFu;
        sums += bytes.word[at] >> 8 & 0x00FF00FF00FF00FFu;
    }
    return (uint32_t)(sums * 0x0001000100010001u >> 48);
}
#endif

/* Two sides that lie next to each other in a line. */
static inline void store_sides(uint8_t *own_copy, SideBytes ours, uint8_t *opp_copy, SideBytes his)
{
#if defined(__AVX512F__)
    /* Written at once, as they are read at once: else each reading waits until both are in the cache. */
    if (own_copy < opp_copy)
        _mm512_store_si512(own_copy, _mm512_inserti64x4(_mm512_castsi256_si512(ours), his, 1));
    else
        _mm512_store_si512(opp_copy, _mm512_inserti64x4(_mm512_castsi256_si512(his), ours, 1));
#else
    store_side(own_copy, ours);
    store_side(opp_copy, his);
#endif
}

static inline void side_of(const uint8_t *bytes, Side *side)
{
    side_masks(load_side(bytes), side);
}

/* Bit p becomes bit 25 - p: a point of one side as the other numbers it, in contrary movement. */
static inline void contrary_masks(uint32_t *mask, uint32_t *other)
{
    uint64_t both = (uint64_t)*mask << 32 | *other;
    both = (both >> 1 & 0x5555555555555555u) | (both & 0x5555555555555555u) << 1;
    both = (both >> 2 & 0x3333333333333333u) | (both & 0x3333333333333333u) << 2;
    both = (both >> 4 & 0x0F0F0F0F0F0F0F0Fu) | (both & 0x0F0F0F0F0F0F0F0Fu) << 4;
    both = swap_bytes(both);
    *mask = (uint32_t)both >> 6;
    *other = (uint32_t)(both >> 32) >> 6;
}

/* The same for a side as the other one numbers its points in contrary movement; without a total. */
static inline void contrary_side(SideBytes bytes, const Side *same, Side *contrary)
{
#if defined(__AVX2__)
    const __m256i backwards = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
    side_masks(_mm256_permute4x64_epi64(_mm256_shuffle_epi8(bytes, backwards), 0x4E), contrary);
    contrary->held >>= 6;
    contrary->made >>= 6;
#else
    (void)bytes;
    contrary->held = same->held & COUNTS;
    contrary->made = same->made & COUNTS;
    contrary_masks(&contrary->held, &contrary->made);
#endif
}

/* Copies a record side by side, and reads both, the other one's also in own numbers. */
static inline void take_record(const uint8_t *record, uint8_t *own_copy, uint8_t *opp_copy,
                               Side *own, Side *opp, Side *contrary)
{
    const SideBytes ours = load_side(record), his = load_side(record + 32);
    read_once();
    store_sides(own_copy, ours, opp_copy, his);
    side_masks(ours, own);
    side_masks(his, opp);
    contrary_side(his, opp, contrary);
#if defined(__SSE2__) || defined(_M_X64)
    {
        const __m128i a = quarter_totals(ours), b = quarter_totals(his);
        const __m128i both = _mm_add_epi64(_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b));
        own->total = (uint32_t)_mm_cvtsi128_si32(both);
        opp->total = (uint32_t)_mm_cvtsi128_si32(_mm_srli_si128(both, 8));
    }
#else
    own->total = total(ours);
    opp->total = total(his);
#endif
}

/* Bit p becomes bit p + 12 or p - 12: the same in parallel movement. Off and bar are dropped. */
static inline uint32_t parallel_mask(uint32_t mask)
{
    return (mask >> 12 & 0x1FFEu) | (mask & 0x1FFEu) << 12;
}

/* A side's pinned points: bit p of a little-endian word, on any machine. */
static inline uint32_t pinned_mask(const uint8_t *side)
{
    return (uint32_t)side[28] | (uint32_t)side[29] << 8 | (uint32_t)side[30] << 16
        | (uint32_t)side[31] << 24;
}

#endif
