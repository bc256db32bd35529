/*
 * Waiting for a 32-bit word to change, and checking that it can be written to. Any thread, any
 * context; errno is kept.
 */
#ifndef DFT_OS_FUTEX_H
#define DFT_OS_FUTEX_H

#include "os/kernel.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum dft_futex_scope {
    DFT_FUTEX_SHARED = 0, /* the word is in memory that several processes map */
    DFT_FUTEX_PRIVATE = FUTEX_PRIVATE_FLAG,
};

#define DFT_FUTEX_FOREVER UINT64_MAX

/*
 * Returns at once unless `word` equals `seen`; otherwise after a wakeup, after the timeout, or
 * spuriously.
 */
static inline void dft_futex_wait(const _Atomic uint32_t *word, uint32_t seen, uint64_t timeout_ns,
                                  enum dft_futex_scope scope)
{
    struct timespec timeout = {(time_t)(timeout_ns / 1000000000u),
                               (long)(timeout_ns % 1000000000u)};

    dft_kernel(SYS_futex, (long)word, FUTEX_WAIT | scope, seen,
               timeout_ns == DFT_FUTEX_FOREVER ? 0 : (long)&timeout);
}

/* Wakes all threads that wait for `word`. */
static inline void dft_futex_wake(const _Atomic uint32_t *word, enum dft_futex_scope scope)
{
    dft_kernel(SYS_futex, (long)word, FUTEX_WAKE | scope, INT_MAX, 0);
}

/*
 * Makes the kernel write to the word, without changing it. Returns false where writing to it would
 * raise SIGBUS or SIGSEGV, for example because the file system has no room for its page.
 */
static inline bool dft_futex_may_write(_Atomic uint32_t *word)
{
    int saved = errno;
    bool faults = syscall(SYS_futex, word, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, NULL, word,
                          FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) < 0 &&
                  errno == EFAULT;

    errno = saved;
    return !faults;
}

#endif
