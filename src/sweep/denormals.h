/* Flush-to-zero, as a mode of the calling thread. Numbers below 2.2e-308 (denormals) take many
 * processors a hundred cycles each, and a field that spreads into zeros has a front of them.
 * Private to the room. */
#ifndef FUNNEL_SWEEP_DENORMALS_H
#define FUNNEL_SWEEP_DENORMALS_H

#include <stdbool.h>
#include <stdint.h>

/* The thread's floating-point mode as it was before. */
typedef uint64_t float_mode;

/* Takes denormals for zero from here on if `flush`; returns what float_mode_restore needs. On a
 * processor that is none of x86-64 and AArch64 nothing changes. */
static inline float_mode float_mode_set(bool flush) {
#if defined(__x86_64__)
    const unsigned results_and_operands = 0x8040; /* FTZ and DAZ */
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(flush ? before | results_and_operands : before);
    return before;
#elif defined(__aarch64__)
    const uint64_t results_and_operands = UINT64_C(1) << 24; /* FZ */
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(flush ? before | results_and_operands : before));
    return before;
#else
    (void)flush;
    return 0;
#endif
}

static inline void float_mode_restore(float_mode before) {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr((unsigned)before);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
#else
    (void)before;
#endif
}

#endif
