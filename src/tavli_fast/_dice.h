/* Dice from NumPy's bit generators, by the C interface they document (numpy.random, "C API"). */
#ifndef TAVLI_FAST_DICE_H
#define TAVLI_FAST_DICE_H

#include <stdint.h>

/* bitgen_t, as the capsule of every bit generator holds it. */
typedef struct {
    void *state;
    uint64_t (*next_uint64)(void *state);
    uint32_t (*next_uint32)(void *state);
    double (*next_double)(void *state);
    uint64_t (*next_raw)(void *state);
} Source;

/* Any number below `bound`, each as likely: the high half of a product, thrown again where the low
   half is one of the 2^32 mod `bound` that would make some numbers likelier. */
static inline uint32_t any_below(Source *source, uint32_t bound)
{
    uint64_t product = (uint64_t)source->next_uint32(source->state) * bound;
    if ((uint32_t)product < bound) {
        const uint32_t surplus = (uint32_t)-bound % bound;
        while ((uint32_t)product < surplus)
            product = (uint64_t)source->next_uint32(source->state) * bound;
    }
    return (uint32_t)(product >> 32);
}

#endif
