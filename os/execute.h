/*
 * System calls that start another program in this process, or end the process, for code that stands
 * in the place of libc's functions. Any thread, any context. Failures are -1 with errno.
 */
#ifndef DFT_OS_EXECUTE_H
#define DFT_OS_EXECUTE_H

#include "os/kernel.h"

static inline int dft_execute(const char *path, char *const argv[], char *const envp[])
{
    return (int)syscall(SYS_execve, path, argv, envp);
}

static inline int dft_execute_at(int directory, const char *path, char *const argv[],
                                 char *const envp[], int flags)
{
    return (int)syscall(SYS_execveat, directory, path, argv, envp, flags);
}

/* Ends all threads. Handlers of exit do not run. */
static inline _Noreturn void dft_execute_exit(int status)
{
    for (;;)
        syscall(SYS_exit_group, status);
}

#endif
