/*
 * The guard around all code of the runtime outside the hot path: see guard.h. Runs in traced
 * threads.
 */
#include "runtime/base/guard.h"
#include "runtime/base/tsan.h"

#include <errno.h>
#include <pthread.h>

DFT_TLS unsigned dft_guard_depth;

void dft_guard_enter(struct dft_guard *guard)
{
    sigset_t all;

    guard->saved_errno = errno;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &guard->signals);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel_state);
    dft_guard_depth++;
    dft_tsan_ignore_begin();
}

void dft_guard_leave(const struct dft_guard *guard)
{
    dft_tsan_ignore_end();
    dft_guard_depth--;
    pthread_setcancelstate(guard->cancel_state, NULL);
    pthread_sigmask(SIG_SETMASK, &guard->signals, NULL);
    errno = guard->saved_errno;
}
