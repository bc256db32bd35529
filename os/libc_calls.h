/*
 * What functions of libc do, without libc: for a library that defines functions of these names.
 * They return what libc's functions return: -1 with errno on failure. Any thread, any context; no
 * call is a cancellation point.
 */
#ifndef DFT_OS_LIBC_CALLS_H
#define DFT_OS_LIBC_CALLS_H

#include <fcntl.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline int dft_libc_openat(int directory, const char *path, int flags, mode_t mode)
{
    return (int)syscall(SYS_openat, directory, path, flags, mode);
}

static inline int dft_libc_close(int fd)
{
    return (int)syscall(SYS_close, fd);
}

static inline ssize_t dft_libc_read(int fd, void *buffer, size_t size)
{
    return syscall(SYS_read, fd, buffer, size);
}

static inline ssize_t dft_libc_write(int fd, const void *buffer, size_t size)
{
    return syscall(SYS_write, fd, buffer, size);
}

static inline void *dft_libc_mmap(void *address, size_t length, int prot, int flags, int fd,
                                  off_t offset)
{
    return (void *)syscall(SYS_mmap, address, length, prot, flags, fd, offset);
}

static inline int dft_libc_munmap(void *address, size_t length)
{
    return (int)syscall(SYS_munmap, address, length);
}

static inline int dft_libc_madvise(void *address, size_t length, int advice)
{
    return (int)syscall(SYS_madvise, address, length, advice);
}

static inline int dft_libc_mprotect(void *address, size_t length, int prot)
{
    return (int)syscall(SYS_mprotect, address, length, prot);
}

static inline ssize_t dft_libc_readlink(const char *path, char *buffer, size_t size)
{
    return syscall(SYS_readlinkat, AT_FDCWD, path, buffer, size);
}

#endif
