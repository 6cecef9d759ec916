/* How the kernel makes its rows, and what it asks of its compiler. */
#ifndef TAVLI_FAST_ROWS_H
#define TAVLI_FAST_ROWS_H

#include <stdint.h>
#include <string.h>

#include "_bits.h"
#include "_record.h"

/* What the kernel calls inline is inlined, whatever a compiler's estimate says: the mechanics of a
   game are constants to those functions, and most of each vanishes. */
#undef CYTHON_INLINE
#if defined(_MSC_VER) && !defined(__clang__)
#define CYTHON_INLINE __forceinline
#else
#define CYTHON_INLINE inline __attribute__((always_inline))
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define assume_aligned(pointer) (pointer)
#else
#define assume_aligned(pointer) __builtin_assume_aligned(pointer, 64)
#endif

static LINE_ALIGNED uint64_t DELTAS[2][12][26][2][8];
static LINE_ALIGNED uint64_t PIN_DELTAS[2][12][26][4][8];

/* What a step adds; the masks have the points from which it hits or pins a blot, and frees. */
static inline const Record *step_delta(int flip, int pins, int number, int point, uint32_t hits, uint32_t frees)
{
    if (pins) return (const Record *)PIN_DELTAS[flip][number][point][(hits >> point & 1) | (frees >> point & 1) << 1];
    return (const Record *)DELTAS[flip][number][point][hits >> point & 1];
}

/* out = base + change in eight lanes. All is read before anything is written, so out and base may
   be one and a compiler needs no alias test to use its widest registers. */
static inline void add_lanes(uint64_t *out, const uint64_t *base, const uint64_t *change)
{
#if defined(__AVX512F__)
    _mm512_storeu_si512(out, _mm512_add_epi64(_mm512_loadu_si512(base), _mm512_loadu_si512(change)));
#else
    const uint64_t *a = base, *b = change;
    const uint64_t s0 = a[0] + b[0], s1 = a[1] + b[1], s2 = a[2] + b[2], s3 = a[3] + b[3];
    const uint64_t s4 = a[4] + b[4], s5 = a[5] + b[5], s6 = a[6] + b[6], s7 = a[7] + b[7];
    out[0] = s0; out[1] = s1; out[2] = s2; out[3] = s3;
    out[4] = s4; out[5] = s5; out[6] = s6; out[7] = s7;
#endif
}

/* The same with a change out of DELTAS, whose alignment saves the loads. */
static inline void add_delta(uint64_t *out, const uint64_t *base, const uint64_t *delta)
{
    add_lanes(out, base, assume_aligned(delta));
}

/* Where the next row goes if this one is kept: written in any case, for no branch could be predicted.
   A shift and a mask make 0 or the 64 bytes of a row. */
static inline Record *after_row(Record *row, uint32_t kept, int point)
{
    return (Record *)((char *)row + ((uint64_t)kept << 6 >> point & sizeof(Record)));
}

/* A row for each of those from `begin` up to `end`; returns where the next one goes. One more may be
   read and written in vain. */
static inline Record *add_rows(Record *to, const Record *begin, const Record *end, const Record *change)
{
    /* Once for all, as a row written might be the change for all that a compiler knows. */
    const Record held = *change;
#if defined(__AVX512F__)
    for (; begin < end; begin += 2, to += 2) {
        add_lanes(to[0].lane, begin[0].lane, held.lane);
        add_lanes(to[1].lane, begin[1].lane, held.lane);
    }
    return to - (begin - end);
#else
    for (; begin < end; begin++, to++) add_lanes(to->lane, begin->lane, held.lane);
    return to;
#endif
}

/* Rows on their way to memory, past the caches: no line is read first only to be overwritten. */
#if defined(__SSE2__) || defined(_M_X64)
static inline int can_stream(const Record *to) { return ((uintptr_t)to & 15) == 0; }
static inline void stream_rows(Record *to, const Record *rows, int64_t count)
{
    const Record *end = rows + count;
#if defined(__AVX512F__)
    if (((uintptr_t)to & 63) == 0) {
        for (; rows < end; rows++, to++) _mm512_stream_si512((__m512i *)to, _mm512_loadu_si512(rows));
        return;
    }
#endif
    for (; rows < end; rows++, to++) {
        const __m128i *in = (const __m128i *)rows;
        __m128i *out = (__m128i *)to;
        const __m128i a = _mm_loadu_si128(in), b = _mm_loadu_si128(in + 1);
        const __m128i c = _mm_loadu_si128(in + 2), d = _mm_loadu_si128(in + 3);
        _mm_stream_si128(out, a);
        _mm_stream_si128(out + 1, b);
        _mm_stream_si128(out + 2, c);
        _mm_stream_si128(out + 3, d);
    }
}
static inline void end_stream(void) { _mm_sfence(); }
#else
static inline int can_stream(const Record *to) { return 0; }
static inline void stream_rows(Record *to, const Record *rows, int64_t count)
{
    memcpy(to, rows, count * sizeof(Record));
}
static inline void end_stream(void) {}
#endif

#endif
