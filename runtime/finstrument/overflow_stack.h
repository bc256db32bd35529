/*
 * Calls of -finstrument-functions that are nested deeper than the shadow stack, or deeper than the
 * user has asked for. Any context; no heap.
 */
#ifndef DFT_RUNTIME_FINSTRUMENT_OVERFLOW_STACK_H
#define DFT_RUNTIME_FINSTRUMENT_OVERFLOW_STACK_H

#include "spool/spool.h"

/*
 * Pushes a call. The plugin's hooks do not need this: their token contains the start of such a
 * call.
 */
void dft_overflow_stack_push(uint32_t site, uint64_t start, uint64_t stack);

/*
 * Pops the innermost call and returns its start, if it is of this site and can be the ending one;
 * otherwise returns 0. `around` is the frame that contains all these calls. Abandoned calls are
 * dropped.
 */
uint64_t dft_overflow_stack_pop(uint32_t site, uint64_t stack, const struct dft_frame *around);

uint32_t dft_overflow_stack_count(void);

/* Drops all calls, because the frames that contained them have been closed. */
void dft_overflow_stack_clear(void);

/* Exchanges this thread's calls, because it goes on with another stack. All zero: none. */
struct dft_overflow_calls {
    void *calls;
    uint32_t count;
};
void dft_overflow_stack_exchange(struct dft_overflow_calls *other);

/* Called when the thread ends. */
void dft_overflow_stack_end(void);

#endif
