/*
 * The clock of the hooks: the processor's invariant counter if there is one, else CLOCK_MONOTONIC.
 */
#ifndef DFT_RUNTIME_BASE_CLOCK_H
#define DFT_RUNTIME_BASE_CLOCK_H

#include "spool/format.h"
#include "spool/ticks.h"

extern enum dft_clock_kind dft_clock_kind;

/* Examines the processor. Before that, CLOCK_MONOTONIC is used. */
void dft_clock_detect(void);

/*
 * Never returns the same value twice in one thread, so that a call never has the same start as the
 * call inside it.
 */
uint64_t dft_clock_monotonic(void);

static inline uint64_t dft_clock_now(void)
{
    if (__builtin_expect(dft_clock_kind == DFT_CLOCK_COUNTER, 1))
        return dft_ticks_counter();
    return dft_clock_monotonic();
}

#endif
