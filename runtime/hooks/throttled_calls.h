/* Counters that only one thread, and signal handlers on it, increment. */
#ifndef DFT_RUNTIME_HOOKS_THROTTLED_CALLS_H
#define DFT_RUNTIME_HOOKS_THROTTLED_CALLS_H

#include "spool/format.h"

#include <stdbool.h>

/*
 * On x86-64 each counter is increased by one instruction. It needs no bus lock, and no signal
 * handler can interrupt it.
 */

/* Counts a call that is nested deeper than the user has asked for. */
static inline void dft_count_omitted(struct dft_thread *self)
{
#if defined(__x86_64__)
    __asm__ volatile("incq %0" : "+m"(self->omitted));
#else
    __atomic_fetch_add(&self->omitted, 1, __ATOMIC_RELAXED);
#endif
}

/* Counts a call for which the spool has no room. */
static inline void dft_count_dropped(struct dft_thread *self)
{
#if defined(__x86_64__)
    __asm__ volatile("incq %0" : "+m"(self->dropped));
#else
    __atomic_fetch_add(&self->dropped, 1, __ATOMIC_RELAXED);
#endif
}

/* Counts a call of a throttled site. True for about one call in 100, which is to be recorded. */
static inline bool dft_count_call(struct dft_thread *self, uint32_t index)
{
    uint64_t one = DFT_COUNT_ONE(DFT_COUNT_STEP(index));
#if defined(__x86_64__)
    bool overflow;
    __asm__ volatile("addq %[one], %[count]"
                     : [count] "+m"(self->counts[index]), "=@ccc"(overflow)
                     : [one] "r"(one));
    return overflow;
#else
    return __atomic_fetch_add(&self->counts[index], one, __ATOMIC_RELAXED) > ~one;
#endif
}

#endif
