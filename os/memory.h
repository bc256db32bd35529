/*
 * System calls for memory, past libraries that replace libc's functions. Any thread, any context.
 * Failures are -1 with errno, unless the comment says otherwise.
 */
#ifndef DFT_OS_MEMORY_H
#define DFT_OS_MEMORY_H

#include "os/kernel.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Keeps errno. `advice` is one of madvise(2). */
static inline void dft_memory_advise(uintptr_t begin, uintptr_t end, int advice)
{
    dft_kernel(SYS_madvise, (long)begin, (long)(end - begin), advice, 0);
}

static inline void dft_memory_lock(uintptr_t begin, uintptr_t end)
{
    syscall(SYS_mlock, begin, end - begin);
}

static inline void dft_memory_unlock(uintptr_t begin, uintptr_t end)
{
    syscall(SYS_munlock, begin, end - begin);
}

static inline int dft_memory_lock_all(int flags)
{
    return (int)syscall(SYS_mlockall, flags);
}

/* Copies memory of this process, which may be unreadable. Returns the number of bytes. */
static inline long dft_memory_copy(const struct iovec *to, const struct iovec *from, long parts)
{
    return syscall(SYS_process_vm_readv, (long)dft_kernel_pid(), to, 1L, from, parts, 0L);
}

#endif
