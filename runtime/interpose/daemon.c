/*
 * daemon(). In libc's function, the parent process ends by an internal call that we cannot
 * intercept. Runs in the calling thread.
 */
#include "os/file_status.h"
#include "runtime/interpose/next.h"
#include "runtime/library.h"

#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

DFT_DEFINE_NEXT(daemon)

static bool is_null_device(int fd)
{
    struct stat status;
    int error = dft_file_status(fd, &status);
    errno = error ? -error : ENODEV;
    if (error)
        return false;
    return S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

static int use_null_device(void)
{
    int null = open(_PATH_DEVNULL, O_RDWR);
    bool usable = null >= 0 && is_null_device(null);

    for (int fd = STDIN_FILENO; usable && fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    if (null > STDERR_FILENO || (null >= 0 && !usable))
        close(null);
    return usable ? 0 : -1;
}

/*
 * Does what libc's function does, which calls an internal _exit. Weak: a program may define its
 * own.
 */
DFT_INTERPOSE __attribute__((weak)) int daemon(int stay, int keep_files)
{
    __typeof__(&daemon) next = next_daemon();

    if (next && !dft_library_is_enabled())
        return next(stay, keep_files);
    pid_t child = fork();
    if (child > 0)
        _exit(0);
    if (child < 0 || setsid() < 0)
        return -1;
    if (!stay && chdir("/") != 0)
        errno = 0;
    return keep_files ? 0 : use_null_device();
}
