/*
 * Names of files, as the kernel knows them. Any thread, any context; errno is kept, and no call is a
 * cancellation point. Failures are negative errno values.
 */
#ifndef DFT_OS_FILE_NAME_H
#define DFT_OS_FILE_NAME_H

#include "os/kernel.h"

#include <fcntl.h>
#include <stddef.h>

/* What a symbolic link contains, without a NUL; returns its length. */
static inline long dft_file_name_read_link(const char *path, char *name, size_t size)
{
    return dft_kernel(SYS_readlinkat, AT_FDCWD, (long)path, (long)name, (long)size);
}

/* The current directory, with a NUL; returns its length, the NUL included. */
static inline long dft_file_name_current_directory(char *name, size_t size)
{
    return dft_kernel(SYS_getcwd, (long)name, (long)size, 0, 0);
}

#endif
