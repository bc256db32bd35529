/*
 * System calls without libc's wrappers. They leave errno alone, are no cancellation points, and
 * cannot be replaced by another library. Each returns what the kernel returns: a negative errno on
 * failure. Any thread, any context.
 */
#ifndef DFT_OS_KERNEL_H
#define DFT_OS_KERNEL_H

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long dft_kernel(long number, long a, long b, long c, long d)
{
/*
 * Clang's analyzer does not know that the kernel writes through pointers that are passed to inline
 * assembly, so the analyzer sees libc's syscall() instead.
 */
#if defined(__x86_64__) && !defined(__clang_analyzer__)
    register long r10 __asm__("r10") = d;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__) && !defined(__clang_analyzer__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;

    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
#else
    long result = syscall(number, a, b, c, d);

    return result == -1 ? -errno : result;
#endif
}

/* The real pid: libfaketime's getpid may return another one. */
static inline pid_t dft_kernel_pid(void)
{
    return (pid_t)dft_kernel(SYS_getpid, 0, 0, 0, 0);
}

/* The calling thread's id, which for the main thread is the pid. */
static inline pid_t dft_kernel_tid(void)
{
    return (pid_t)dft_kernel(SYS_gettid, 0, 0, 0, 0);
}

#endif
