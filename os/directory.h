/* Reads directories without a heap. Any thread, any context; errno is kept. */
#ifndef DFT_OS_DIRECTORY_H
#define DFT_OS_DIRECTORY_H

#include "os/kernel.h"

#include <stddef.h>

static inline void dft_directory_rewind(int fd)
{
    dft_kernel(SYS_lseek, fd, 0, SEEK_SET, 0);
}

/* Reads entries of getdents64(2). Returns their length, 0 at the end, or a negative errno. */
static inline long dft_directory_read(int fd, void *entries, size_t size)
{
    return dft_kernel(SYS_getdents64, fd, (long)entries, (long)size, 0);
}

#endif
