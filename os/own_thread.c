/* Starting threads. Uses libc's heap, as pthread_create does: not for signal handlers. */
#include "os/own_thread.h"
#include "os/kernel.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define STACK_SIZE (256u << 10)

/* Threads that are made, but have not yet begun with our code. */
static _Atomic uint32_t starting;

struct start {
    void *(*run)(void *);
    void *argument;
};

static void *begin(void *memory)
{
    struct start start = *(struct start *)memory;

    free(memory);
    atomic_fetch_sub(&starting, 1);
    return start.run(start.argument);
}

static int create(pthread_t *thread, const pthread_attr_t *attributes, void *memory)
{
    int error;

    atomic_fetch_add(&starting, 1);
    error = pthread_create(thread, attributes, begin, memory);
    if (error)
        atomic_fetch_sub(&starting, 1);
    return error;
}

int dft_own_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    struct start *start = malloc(sizeof *start);
    pthread_attr_t attributes;
    sigset_t all, before;

    if (!start)
        return ENOMEM;
    *start = (struct start){run, argument};
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = create(thread, &attributes, start);
    if (error == EINVAL) /* the program's thread-local variables alone do not fit in this stack */
        error = create(thread, NULL, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (error)
        free(start);
    return error;
}

/* The kernel has one bit for each signal. Some are never blocked, or are libc's own. */
bool dft_own_thread_is_starting(void)
{
    uint64_t blocked = 0, never = 0;

    if (atomic_load_explicit(&starting, memory_order_relaxed) == 0)
        return false;
    for (size_t i = 0; i < 4; i++)
        never |= UINT64_C(1) << ((const int[]){SIGKILL, SIGSTOP, 32, 33}[i] - 1);
    dft_kernel(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&blocked, sizeof blocked);
    return (blocked | never) == UINT64_MAX;
}
