/* Starting threads. Uses libc's heap, as pthread_create does: not for signal handlers. */
#include "os/own_thread.h"

#include <errno.h>
#include <signal.h>

#define STACK_SIZE (256u << 10)

int dft_own_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    sigset_t all, before;

    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(thread, &attributes, run, argument);
    if (error == EINVAL) /* the program's thread-local variables alone do not fit in this stack */
        error = pthread_create(thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}
