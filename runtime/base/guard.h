/* The guard around everything that is not the hot path. */
#ifndef DFT_RUNTIME_BASE_GUARD_H
#define DFT_RUNTIME_BASE_GUARD_H

#include <signal.h>

/*
 * No signal handler finds it half done, no cancellation
 * ends the thread in it, errno stays as it was.
 */
struct dft_guard {
    sigset_t signals;
    int cancel_state;
    int saved_errno;
};
void dft_guard_enter(struct dft_guard *guard);
void dft_guard_leave(const struct dft_guard *guard);

#endif
