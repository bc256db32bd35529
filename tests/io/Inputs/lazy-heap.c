/* An allocator that asks about the machine, with many calls, when it is first used. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static _Alignas(16) char heap[64 << 20];
static size_t used;
static int state; /* 1: beginning, 2: begun */

static void expect(int truth, const char *what)
{
    if (!truth) {
        write(2, what, strlen(what));
        write(2, "\n", 1);
        _exit(99);
    }
}

static void begin(void)
{
    struct stat status;
    char text[64];

    state = 1;
    errno = 0;
    expect(sysconf(_SC_PAGESIZE) >= 4096, "sysconf");
    int fd = open("/proc/self/maps", O_RDONLY);
    expect(fd >= 0, "open");
    expect(fstat(fd, &status) == 0, "fstat");
    expect(read(fd, text, sizeof text) == sizeof text, "read");
    expect(lseek(fd, 0, SEEK_SET) == 0, "lseek");
    expect(pread(fd, text, 8, 0) == 8, "pread");
    expect(fcntl(fd, F_GETFD) >= 0, "fcntl");
    expect(close(fd) == 0, "close");
    expect(stat("/proc/self", &status) == 0, "stat");
    expect(access("/", F_OK) == 0, "access");
    expect(readlink("/etc/malloc.conf", text, sizeof text) == -1 && errno == ENOENT, "readlink");
    state = 2;
}

#ifdef ENDLESS
/* A function that older versions of libc lack. */
int __isoc23_scanf(const char *format, ...) __attribute__((weak));

static void call_missing_function(void)
{
    char text[4];
    int fd = open("/proc/self/stat", O_RDONLY);

    expect(fd >= 0 && read(fd, text, sizeof text) == sizeof text && close(fd) == 0, "early calls");
#if !__GLIBC_PREREQ(2, 38)
    if (__isoc23_scanf)
        __isoc23_scanf("");
#endif
}
#endif

void *malloc(size_t size)
{
    if (state == 0)
        begin();
#ifdef ENDLESS
    call_missing_function();
#endif
    size_t at = (__atomic_fetch_add(&used, (size + 31) & ~(size_t)15, __ATOMIC_RELAXED));
    if (at + size + 32 > sizeof heap)
        return NULL;
    *(size_t *)(heap + at) = size;
    return heap + at + 16;
}

void free(void *block)
{
    (void)block;
}

void *calloc(size_t count, size_t size)
{
    return malloc(count * size);
}

void *realloc(void *block, size_t size)
{
    void *other = malloc(size);

    if (block && other)
        memcpy(other, block, ((size_t *)block)[-2] < size ? ((size_t *)block)[-2] : size);
    return other;
}
