/* Counting in memory that only one thread, and signal handlers on it, add to. */
#ifndef DFT_RUNTIME_HOOKS_THROTTLED_CALLS_H
#define DFT_RUNTIME_HOOKS_THROTTLED_CALLS_H

#include "spool/format.h"

#include <stdbool.h>

/* One instruction each on x86-64: without a bus lock, yet nothing can come in between. */

/* A call that is deeper than asked for. */
static inline void dft_count_omitted(struct dft_thread *self)
{
#if defined(__x86_64__)
    __asm__ volatile("incq %0" : "+m"(self->omitted));
#else
    __atomic_fetch_add(&self->omitted, 1, __ATOMIC_RELAXED);
#endif
}

/* A call of a throttled site; true for the one in about 100 that is to be recorded. */
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
