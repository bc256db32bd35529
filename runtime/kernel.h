/*
 * System calls without libc's wrapper: no errno, no point of cancellation, nothing that another
 * library could have put in its place. Returns what the kernel returns, a negative errno on
 * failure. For the few that are made for each call of a function.
 */
#ifndef DFT_KERNEL_H
#define DFT_KERNEL_H

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long dft_kernel(long number, long a, long b, long c, long d)
{
/* The analyzer does not see what the kernel writes through a pointer that assembly takes. */
#if defined(__x86_64__) && !defined(__clang_analyzer__)
    register long r10 __asm__("r10") = d;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
#else
    long result = syscall(number, a, b, c, d);

    return result == -1 ? -errno : result;
#endif
}

#endif
