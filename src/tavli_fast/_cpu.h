/* Which x86-64 level the processor and the operating system offer: 1 (baseline) to 4.

   Asked of the processor itself: the compilers' own helpers answer 0 under some of them, and what
   the system prints of itself is wrong under emulation. */
#ifndef TAVLI_FAST_CPU_H
#define TAVLI_FAST_CPU_H

#if defined(__x86_64__) || defined(_M_X64)

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
static void cpuid(unsigned leaf, unsigned *regs) { __cpuidex((int *)regs, (int)leaf, 0); }
static unsigned enabled_state(void) { return (unsigned)_xgetbv(0); }
#else
#include <cpuid.h>
static void cpuid(unsigned leaf, unsigned *regs)
{
    __cpuid_count(leaf, 0, regs[0], regs[1], regs[2], regs[3]);
}
static unsigned enabled_state(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}
#endif

static int has_all(unsigned found, unsigned wanted) { return (found & wanted) == wanted; }

static int x86_64_level(void)
{
    unsigned regs[4], most, ecx, wide;
    cpuid(0, regs);
    most = regs[0];
    if (most < 7) return 1;
    cpuid(1, regs);
    ecx = regs[2];
    /* SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT */
    if (!has_all(ecx, 1u << 0 | 1u << 9 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 23)) return 1;
    /* FMA, MOVBE, OSXSAVE, AVX, F16C, and a system that saves the wide registers */
    if (!has_all(ecx, 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29)) return 2;
    if (!has_all(enabled_state(), 6u)) return 2;
    cpuid(7, regs);
    /* BMI1, AVX2, BMI2 */
    if (!has_all(regs[1], 1u << 3 | 1u << 5 | 1u << 8)) return 2;
    /* AVX512F, DQ, CD, BW, VL; and VBMI2, which is no part of the level, but which those lack that
       lower their clock for registers of 512 bits. A system that saves these registers. */
    wide = has_all(regs[1], 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31)
        && has_all(regs[2], 1u << 6) && has_all(enabled_state(), 0xE6u);
    cpuid(0x80000000u, regs);
    if (regs[0] < 0x80000001u) return 2;
    cpuid(0x80000001u, regs);
    /* LZCNT */
    if (!has_all(regs[2], 1u << 5)) return 2;
    return wide ? 4 : 3;
}

#else

static int x86_64_level(void) { return 0; }

#endif

#endif
