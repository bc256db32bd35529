/*
 * The kernel's clocks and sleep without libc's functions, which libraries such as libfaketime
 * replace to fake the time. Any thread, any context; errno is kept.
 */
#ifndef DFT_OS_TIME_H
#define DFT_OS_TIME_H

#include "os/kernel.h"

#include <stdint.h>
#include <time.h>

static inline uint64_t dft_time_to_ns(struct timespec time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* CLOCK_MONOTONIC, CLOCK_REALTIME and the like in nanoseconds, by the vDSO if possible. */
uint64_t dft_time_now(clockid_t clock);

/*
 * Any clock, by a system call: for the CPU clocks of processes and threads, which the vDSO lacks.
 */
static inline uint64_t dft_time_ask(clockid_t clock)
{
    struct timespec now;

    return dft_kernel(SYS_clock_gettime, clock, (long)&now, 0, 0) == 0 ? dft_time_to_ns(now) : 0;
}

/* Sleeps for `ns` nanoseconds, or until a signal handler has run. Not a cancellation point. */
static inline void dft_time_sleep(uint64_t ns)
{
    struct timespec time = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

    dft_kernel(SYS_nanosleep, (long)&time, 0, 0, 0);
}

#endif
