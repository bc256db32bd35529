/* Starting threads. Uses libc's heap, as pthread_create does: not for signal handlers. */
#include "os/own_thread.h"
#include "os/kernel.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#define STACK_SIZE (256u << 10)

#define STARTS_MAX 64 /* threads that begin at the same time */

/*
 * What a new thread runs, until it has begun with our code. Not on the heap: a thread that frees
 * memory gets an arena of its own, which is 64 MiB of address space.
 */
static struct start {
    _Atomic bool taken;
    void *(*run)(void *);
    void *argument;
} starts[STARTS_MAX];

/* How many of these are taken. */
static _Atomic uint32_t starting;

static struct start *take(void)
{
    for (size_t i = 0; i < STARTS_MAX; i++)
        if (!atomic_exchange(&starts[i].taken, true)) {
            atomic_fetch_add(&starting, 1);
            return &starts[i];
        }
    return NULL;
}

static void give_back(struct start *start)
{
    atomic_fetch_sub(&starting, 1);
    atomic_store(&start->taken, false);
}

static void *begin(void *memory)
{
    struct start *start = memory;
    void *(*run)(void *) = start->run;
    void *argument = start->argument;

    give_back(start);
    return run(argument);
}

int dft_own_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    struct start *start = take();
    pthread_attr_t attributes;
    sigset_t all, before;

    if (!start)
        return EAGAIN;
    start->run = run;
    start->argument = argument;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(thread, &attributes, begin, start);
    if (error == EINVAL) /* the program's thread-local variables alone do not fit in this stack */
        error = pthread_create(thread, NULL, begin, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (error)
        give_back(start);
    return error;
}

void dft_own_thread_in_child(void)
{
    for (size_t i = 0; i < STARTS_MAX; i++)
        atomic_store(&starts[i].taken, false);
    atomic_store(&starting, 0);
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
