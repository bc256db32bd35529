/* Reads the counter that the hooks use for time stamps. Freestanding: the hot path includes it. */
#ifndef DFT_SPOOL_TICKS_H
#define DFT_SPOOL_TICKS_H

#include <stdint.h>

#if defined(__x86_64__)
#define DFT_HAVE_COUNTER 1
static inline uint64_t dft_ticks_counter(void)
{
    return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
#define DFT_HAVE_COUNTER 1
static inline uint64_t dft_ticks_counter(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
#else
#define DFT_HAVE_COUNTER 0
static inline uint64_t dft_ticks_counter(void)
{
    return 0;
}
#endif

#endif
