/*
 * Children that the traced program does not notice: made without libc, so no handlers of fork run,
 * and without a signal at their end. They may only make system calls: a lock of the heap or of the
 * loader may be held by a thread that they do not have. Any thread, any context; errno is kept.
 * Failures are negative errno values.
 */
#ifndef DFT_OS_HIDDEN_CHILD_H
#define DFT_OS_HIDDEN_CHILD_H

#include "os/kernel.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* Returns the child's pid, and 0 in the child. */
static inline pid_t dft_hidden_child_make(void)
{
    return (pid_t)dft_kernel(SYS_clone, 0, 0, 0, 0);
}

/* As waitpid. Children that have executed a program need __WALL or no flag, others __WCLONE. */
static inline pid_t dft_hidden_child_wait(pid_t child, int *status, int flags)
{
    return (pid_t)dft_kernel(SYS_wait4, child, (long)status, flags, 0);
}

static inline void dft_hidden_child_kill(pid_t child)
{
    dft_kernel(SYS_kill, child, SIGKILL, 0, 0);
}

/* In the child: it ends when the thread that has made it ends. */
static inline void dft_hidden_child_end_with_parent(void)
{
    dft_kernel(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
}

static inline void dft_hidden_child_execute(const char *path, const char *const *arguments,
                                            const char *const *environment)
{
    dft_kernel(SYS_execve, (long)path, (long)arguments, (long)environment, 0);
}

static inline _Noreturn void dft_hidden_child_exit(int status)
{
    for (;;)
        dft_kernel(SYS_exit_group, status, 0, 0, 0);
}

#endif
