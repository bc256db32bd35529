/* The guard around all code of the runtime outside the hot path. */
#ifndef DFT_RUNTIME_BASE_GUARD_H
#define DFT_RUNTIME_BASE_GUARD_H

#include "runtime/base/tls.h"

#include <signal.h>

/*
 * Between enter and leave, signals are blocked, the thread cannot be cancelled, and errno is
 * restored at the end.
 */
struct dft_guard {
    sigset_t signals;
    int cancel_state;
    int saved_errno;
};
void dft_guard_enter(struct dft_guard *guard);
void dft_guard_leave(const struct dft_guard *guard);

/* How many guards this thread is inside. Calls that it makes meanwhile are ours. */
extern DFT_TLS unsigned dft_guard_depth;

#endif
