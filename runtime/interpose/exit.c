/*
 * _exit, quick_exit, abort and fatal signals. Any thread, any context, including signal handlers:
 * no heap, no lock.
 *
 * While the trace is being completed, other threads run on. If one of them ended the process in its
 * own way meanwhile, the exit status would change. So such threads are stopped here.
 */
#include "runtime/interpose/exit.h"
#include "os/execute.h"
#include "os/kernel.h"
#include "runtime/base/address_space.h"
#include "runtime/base/guard.h"
#include "runtime/interpose/next.h"
#include "runtime/library.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* The thread that handles a fatal signal, which will end the process; 0: none. */
static _Atomic int32_t dying;

static _Noreturn void wait_for_the_end(void)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (;;)
        pause();
}

void dft_exit_give_way(void)
{
    int32_t who = atomic_load(&dying);

    if (who && who != dft_kernel_tid() && dft_address_space_kind() == DFT_ADDRESS_SPACE_OWN)
        wait_for_the_end();
}

void dft_exit_by_signal(void)
{
    int32_t nobody = 0;

    if (dft_address_space_kind() != DFT_ADDRESS_SPACE_OWN)
        return;
    if (!atomic_compare_exchange_strong(&dying, &nobody, dft_kernel_tid()) &&
        nobody != dft_kernel_tid())
        wait_for_the_end();
    dft_busy = true;
    dft_session_end_now();
}

DFT_INTERPOSE _Noreturn void _exit(int status)
{
    struct dft_guard guard;

    /*
     * Without tracing, exit_group must be the only system call here: a seccomp filter may allow no
     * other.
     */
    if (dft_library_is_enabled() && dft_address_space_kind() == DFT_ADDRESS_SPACE_OWN) {
        dft_exit_give_way();
        dft_guard_enter(&guard);
        dft_session_end_now();
    }
    dft_execute_exit(status);
}

DFT_INTERPOSE _Noreturn void _Exit(int status)
{
    _exit(status);
}

#ifndef DFT_STATIC /* libc.a brings in its own abort */
/*
 * Does what libc's abort does. If a handler returns, libc's abort sets the default action by an
 * internal call that does not reach us.
 */
DFT_INTERPOSE _Noreturn void abort(void)
{
    sigset_t just;

    sigemptyset(&just);
    sigaddset(&just, SIGABRT);
    for (;;) {
        pthread_sigmask(SIG_UNBLOCK, &just, NULL);
        raise(SIGABRT);
        sigaction(SIGABRT, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    }
}
#endif

void dft_exit_in_child(void)
{
    atomic_store(&dying, 0);
}

/* Sanitizers end a faulty program by a direct system call, which we cannot intercept. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

void dft_exit_init(void)
{
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(dft_session_end_now);
    /*
     * quick_exit runs these in reverse order: handlers that the program registers later run before
     * ours.
     */
    at_quick_exit(dft_session_end_now);
}
