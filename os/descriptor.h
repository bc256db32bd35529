/*
 * File descriptors that the traced program does not know of. Any thread, any context; errno is
 * kept, and no call is a cancellation point. Failures are negative errno values.
 */
#ifndef DFT_OS_DESCRIPTOR_H
#define DFT_OS_DESCRIPTOR_H

#include "os/file_status.h"
#include "os/kernel.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/*
 * Descriptors that stay open in the program's table have numbers from here on: programs that close
 * or reuse descriptors by number use low numbers.
 */
#define DFT_DESCRIPTOR_HIGH 500

/* Opens a file for reading; relative paths begin at `directory`, which may be AT_FDCWD. */
static inline int dft_descriptor_open(int directory, const char *path)
{
    return (int)dft_kernel(SYS_openat, directory, (long)path, O_RDONLY | O_CLOEXEC, 0);
}

static inline void dft_descriptor_close(int fd)
{
    dft_kernel(SYS_close, fd, 0, 0, 0);
}

static inline bool dft_descriptor_is_open(int fd)
{
    return dft_kernel(SYS_fcntl, fd, F_GETFD, 0, 0) >= 0;
}

/* Returns a second descriptor of the same file, with a high number. */
static inline int dft_descriptor_copy_high(int fd)
{
    return (int)dft_kernel(SYS_fcntl, fd, F_DUPFD_CLOEXEC, DFT_DESCRIPTOR_HIGH, 0);
}

/*
 * Makes `number` a descriptor of the same file, which the next program inherits. False if that
 * fails.
 */
static inline bool dft_descriptor_pass_on(int fd, int number)
{
    if (fd == number)
        return dft_kernel(SYS_fcntl, fd, F_SETFD, 0, 0) == 0;
    return dft_kernel(SYS_dup3, fd, number, 0, 0) == number;
}

/* Reads the file from its start and adds a NUL; returns the length. The file position is kept. */
static inline long dft_descriptor_read_text(int fd, char *text, size_t size)
{
    long length = dft_kernel(SYS_pread64, fd, (long)text, (long)size - 1, 0);

    text[length > 0 ? length : 0] = '\0';
    return length;
}

/* Whether this user may execute the file: 0 or a negative errno. */
static inline long dft_descriptor_may_execute(const char *path)
{
    return dft_kernel(SYS_faccessat, AT_FDCWD, (long)path, X_OK, 0);
}

static inline long dft_descriptor_make_pipe(int ends[2])
{
    return dft_kernel(SYS_pipe2, (long)ends, O_CLOEXEC, 0, 0);
}

/* Whether there is something to read, or nothing will ever come. Waits for that. */
static inline bool dft_descriptor_wait_readable(int fd, uint64_t timeout_ns)
{
    struct timespec left = {(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};
    struct pollfd wait = {.fd = fd, .events = POLLIN};

    return dft_kernel(SYS_ppoll, (long)&wait, 1, (long)&left, 0) > 0;
}

static inline long dft_descriptor_read(int fd, void *to, size_t size)
{
    return dft_kernel(SYS_read, fd, (long)to, (long)size, 0);
}

/* Identifies a file. */
struct dft_descriptor_identity {
    uint64_t device, inode;
};

static inline bool dft_descriptor_identify(int fd, struct dft_descriptor_identity *identity)
{
    struct stat status;

    if (dft_file_status(fd, &status) != 0)
        return false;
    *identity = (struct dft_descriptor_identity){status.st_dev, status.st_ino};
    return true;
}

/*
 * Whether the descriptor still refers to the identified file: the program may have closed it and
 * opened another file under its number.
 */
static inline bool dft_descriptor_is(int fd, const struct dft_descriptor_identity *identity)
{
    struct dft_descriptor_identity now;

    return dft_descriptor_identify(fd, &now) && now.device == identity->device &&
           now.inode == identity->inode;
}

/* close_range(2); fails on kernels before 5.9. */
static inline bool dft_descriptor_close_range(unsigned first, unsigned last, unsigned flags)
{
    return dft_kernel(SYS_close_range, first, last, flags, 0) == 0;
}

#endif
