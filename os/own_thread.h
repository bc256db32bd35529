/* Threads of dftrace's own in a traced process. */
#ifndef DFT_OS_OWN_THREAD_H
#define DFT_OS_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread with a small stack and all signals blocked. Returns 0 or a positive errno. */
int dft_own_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

/* In a forked child: threads that its parent was starting do not exist. */
void dft_own_thread_in_child(void);

/*
 * Whether the calling thread is probably one of these and has not begun with `run` yet: a sanitizer
 * makes calls in each new thread. Any thread, any context; errno is kept.
 */
bool dft_own_thread_is_starting(void);

#endif
