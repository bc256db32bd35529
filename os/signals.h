/*
 * System calls for signals, for code that stands in the place of libc's functions. Any thread, any
 * context. Failures are -1 with errno.
 */
#ifndef DFT_OS_SIGNALS_H
#define DFT_OS_SIGNALS_H

#include "os/kernel.h"

#include <signal.h>

/* Sends a signal to a thread of this process; signal 0 only asks whether there is such a thread. */
static inline int dft_signal_send(pid_t tid, int number)
{
    return (int)syscall(SYS_tgkill, dft_kernel_pid(), tid, number);
}

/* Sends this thread a signal with the information that came with an earlier one. */
static inline int dft_signal_send_again(int number, siginfo_t *info)
{
    return (int)syscall(SYS_rt_tgsigqueueinfo, dft_kernel_pid(), dft_kernel_tid(), number, info);
}

static inline int dft_signal_set_stack(const stack_t *wanted, stack_t *old)
{
    return (int)syscall(SYS_sigaltstack, wanted, old);
}

#endif
