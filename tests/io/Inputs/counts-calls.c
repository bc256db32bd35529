/* A library that intercepts I/O calls, and writes at the end how many it has seen of the program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long opens, reads, writes, fopens, lines, closes;
static int is_mine[1000]; /* descriptors of files of the program */

#define NEXT(name)                                                                                 \
    static __typeof__(name) *next;                                                                 \
    if (!next)                                                                                     \
    next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

int open(const char *path, int flags, ...)
{
    va_list list;
    NEXT(open);
    va_start(list, flags);
    int fd = next(path, flags, va_arg(list, int));
    va_end(list);
    if (fd >= 0 && fd < 1000 && (is_mine[fd] = strncmp(path, "data", 4) == 0))
        opens++;
    return fd;
}

ssize_t read(int fd, void *buffer, size_t size)
{
    NEXT(read);
    reads += fd >= 0 && fd < 1000 && is_mine[fd];
    return next(fd, buffer, size);
}

ssize_t write(int fd, const void *buffer, size_t size)
{
    NEXT(write);
    writes += fd >= 0 && fd < 1000 && is_mine[fd];
    return next(fd, buffer, size);
}

int close(int fd)
{
    NEXT(close);
    closes += fd >= 0 && fd < 1000 && is_mine[fd];
    if (fd >= 0 && fd < 1000)
        is_mine[fd] = 0;
    return next(fd);
}

FILE *fopen(const char *path, const char *mode)
{
    NEXT(fopen);
    fopens += strncmp(path, "data", 4) == 0;
    return next(path, mode);
}

char *fgets(char *buffer, int size, FILE *stream)
{
    NEXT(fgets);
    lines++;
    return next(buffer, size, stream);
}

__attribute__((destructor)) static void end(void)
{
    char text[200];
    int length = snprintf(
        text, sizeof text, "%s: open %ld read %ld write %ld fopen %ld fgets %ld close %ld\n",
        program_invocation_short_name, opens, reads, writes, fopens, lines, closes);
    int fd = syscall(SYS_openat, AT_FDCWD, getenv("COUNTS"), O_CREAT | O_WRONLY | O_APPEND, 0600);

    if (opens)
        syscall(SYS_write, fd, text, length);
}
