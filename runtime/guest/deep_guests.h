/*
 * Open calls of guests for which the shadow stack has no room, or that are nested deeper than the
 * user has asked for. Any context; no heap.
 */
#ifndef DFT_RUNTIME_GUEST_DEEP_GUESTS_H
#define DFT_RUNTIME_GUEST_DEEP_GUESTS_H

#include "dftrace/abi.h"
#include "spool/spool.h"

#include <stdbool.h>

/* Pushes a call. `start` is DFT_GUEST_OFF if the call is not recorded. */
void dft_deep_guests_push(struct dft_thread *self, const struct dftrace_site *site, uint64_t start);

/*
 * Pops the innermost call of the site, and the abandoned calls inside it. False if there is none:
 * then all these calls are abandoned, because one on the shadow stack ends.
 */
bool dft_deep_guests_pop(struct dft_thread *self, const struct dftrace_site *site, uint64_t *start);

/* Exchanges this thread's calls, because it goes on with another stack. All zero: none. */
struct dft_deep_calls {
    void *calls;
    uint32_t count, without_entry;
};
void dft_deep_guests_exchange(struct dft_deep_calls *other);

/* Called when the thread ends. */
void dft_deep_guests_release(void);

/* The site of the innermost of these calls that is one of the two; NULL: none is, or it is unknown. */
const struct dftrace_site *dft_deep_guests_innermost(const struct dft_thread *self,
                                                     const struct dftrace_site *one,
                                                     const struct dftrace_site *other);

#endif
