/*
 * DFTRACER_BUDGET: limits the overhead of tracing to a share of the program's CPU time, by counting
 * the calls of the hottest short functions instead of recording them.
 */
#ifndef DFT_RUNTIME_SITES_THROTTLE_H
#define DFT_RUNTIME_SITES_THROTTLE_H

#include "spool/spool.h"

/* Called before a session's first call: measures the cost of a call and stores it in the header. */
void dft_throttle_begin(struct dft_spool_header *header);

/* Called when this thread has claimed a slot. Inside a guard. */
void dft_throttle_attach(struct dft_thread *self);

/*
 * Called when a thread's chunk is full, and when the thread ends: accounts for its recorded calls.
 * Inside a guard.
 */
void dft_throttle_charge(struct dft_thread *self);

/* Exchanges what is known of the slot at its last charge, because the thread uses another one. */
struct dft_paid {
    uint64_t throttled;
    const struct dft_record *first, *next;
};
void dft_throttle_exchange(struct dft_paid *other);

/* Called when this thread's lent chunk has been returned empty: its next records are new. */
void dft_throttle_empty_chunk(void);

#endif
