/* Threads of dftrace's own in a traced process. */
#ifndef DFT_OS_OWN_THREAD_H
#define DFT_OS_OWN_THREAD_H

#include <pthread.h>

/* Starts a thread with a small stack and all signals blocked. Returns 0 or a positive errno. */
int dft_own_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

#endif
