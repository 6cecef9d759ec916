/* The 64 bytes of a position, and the same in a cache line of their own. */
#ifndef TAVLI_FAST_RECORD_H
#define TAVLI_FAST_RECORD_H

#include <stdint.h>

#if defined(_MSC_VER) && !defined(__clang__)
#define LINE_ALIGNED __declspec(align(64))
#else
#define LINE_ALIGNED __attribute__((aligned(64)))
#endif

/* Counts of the own side 26, spare 2, pinned 4; then the same of the other side. */
typedef struct {
    uint64_t lane[8];
} Record;

typedef LINE_ALIGNED Record AlignedRecord;

#endif
