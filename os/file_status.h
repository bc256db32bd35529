/*
 * stat(2) without libc's functions: libfaketime replaces them, and its replacements crash in
 * threads that still run while the process exits. Any thread, any context; errno is kept. Both
 * functions return 0 or a negative errno.
 */
#ifndef DFT_OS_FILE_STATUS_H
#define DFT_OS_FILE_STATUS_H

#include "os/kernel.h"

#include <fcntl.h>
#include <sys/stat.h>

/*
 * The status of a path relative to `directory`, which may be AT_FDCWD. `flags` are those of
 * fstatat.
 */
static inline int dft_file_status_at(int directory, const char *path, struct stat *status,
                                     int flags)
{
#if defined(__x86_64__) || defined(__aarch64__) /* libc's struct stat has the kernel's layout */
    return (int)dft_kernel(SYS_newfstatat, directory, (long)path, (long)status, flags);
#else
    int before = errno;
    int result = fstatat(directory, path, status, flags) == 0 ? 0 : -errno;

    errno = before;
    return result;
#endif
}

/* The status of an open file. */
static inline int dft_file_status(int fd, struct stat *status)
{
    return dft_file_status_at(fd, "", status, AT_EMPTY_PATH);
}

#endif
