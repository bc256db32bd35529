/*
 * After the main thread has ended by pthread_exit, libc calls exit(0) in the last thread that ends.
 * In a traced program the last threads are the writer's and the control channel's, and neither
 * ends. So once the main thread has ended, a thread of ours, "dftrace-exit", polls how many threads
 * are left, and calls exit(0) when all threads of the program are gone.
 *
 * The writer's thread could not call exit(), which flushes stdio: it does not have the program's
 * descriptors.
 *
 * A thread that ends by the system call itself, or is killed by a seccomp filter, runs no
 * destructor. For such cases the writer's thread checks now and then whether it is alone, and ends
 * the process.
 */
#include "runtime/session/last_thread.h"
#include "os/execute.h"
#include "os/process.h"
#include "os/time.h"
#include "runtime/base/address_space.h"
#include "runtime/base/guard.h"
#include "runtime/session/control.h"
#include "runtime/session/session.h"
#include "runtime/session/writer_thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_NS 5000000

/* The main thread, which the kernel keeps as long as there are others, and the calling thread. */
#define ALWAYS_THERE 2

/* Number of threads in this process; 0 if it is unknown, or if the main thread still runs. */
static uint64_t count_threads(void)
{
    struct dft_process_status status;

    return dft_process_read_status(dft_kernel_pid(), &status) && status.state == 'Z'
               ? status.threads
               : 0;
}

static unsigned threads_of_ours(void)
{
    return dft_writer_thread_count() + dft_control_threads();
}

/* Whether our threads would keep the process alive. */
static bool keeps_alive(void)
{
    return dft_control_threads() ||
           (atomic_load(&dft_session.state) == DFT_SESSION_ON && !dft_session_is_hosted());
}

bool dft_last_thread_is_gone(void)
{
    return count_threads() == 1 + (uint64_t)threads_of_ours();
}

_Noreturn void dft_last_thread_end(void)
{
    struct dft_process_status status = {0};
    sigset_t all;

    dft_process_read_status(dft_kernel_pid(), &status);
    if (WIFSIGNALED(status.ended_by)) {
        sigfillset(&all);
        signal(WTERMSIG(status.ended_by), SIG_DFL);
        kill(dft_kernel_pid(), WTERMSIG(status.ended_by));
        pthread_sigmask(SIG_UNBLOCK, &all, NULL);
    }
    dft_execute_exit(WEXITSTATUS(status.ended_by));
}

static sigset_t mask_of_main;

static void *watch(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "dftrace-exit");
    while (count_threads() != ALWAYS_THERE + (uint64_t)threads_of_ours())
        dft_time_sleep(LOOK_NS);
    /* Another thread is ending the process, and the writer has finished already. */
    if (atomic_load(&dft_session.state) != DFT_SESSION_ON && dft_control_threads() == 0)
        return NULL;
    pthread_sigmask(SIG_SETMASK, &mask_of_main, NULL);
    exit(0);
}

void dft_last_thread_main_ends(void)
{
    struct dft_guard guard;
    pthread_t thread;

    if (dft_kernel_tid() != dft_kernel_pid() || dft_address_space_kind() != DFT_ADDRESS_SPACE_OWN ||
        !keeps_alive())
        return;
    dft_guard_enter(&guard);
    mask_of_main = guard.signals;
    if (pthread_create(&thread, NULL, watch, NULL) == 0)
        pthread_detach(thread);
    dft_guard_leave(&guard);
}
