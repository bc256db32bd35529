/*
 * A program that makes calls without a pause while its trace goes to a slow disk; with -DSLOW_DISK,
 * that disk, as a library to preload.
 *
 *   waits CALLS [NS]   makes the calls, repeatedly until NS nanoseconds have passed. Prints the CPU
 *                      time and the wall time of the calls, and the longest call of the leaf as the
 *                      leaf itself measures it, in nanoseconds
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#ifdef SLOW_DISK

#define WRITE_US 20000

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    ssize_t (*next)(int, const void *, size_t, off_t) =
        (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");

    usleep(WRITE_US);
    return next(fd, data, size, at);
}

#else

#define LEAVES 10

static volatile long sink;
static long longest_ns;

static long now_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

__attribute__((noinline)) void leaf(long x)
{
    long start = now_ns(CLOCK_MONOTONIC);

    for (long i = 0; i < 500; i++)
        sink += x;
    long taken = now_ns(CLOCK_MONOTONIC) - start;
    if (taken > longest_ns)
        longest_ns = taken;
}

__attribute__((noinline)) void middle(long x)
{
    for (long i = 0; i < LEAVES; i++)
        leaf(x + i);
    sink++;
}

__attribute__((noinline)) void top(long calls)
{
    for (long i = 0; i < calls / LEAVES; i++)
        middle(i);
    sink++;
}

int main(int argc, char **argv)
{
    long start = now_ns(CLOCK_MONOTONIC), cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);

    if (argc < 2)
        return 1;
    do {
        top(strtol(argv[1], NULL, 10));
    } while (argc > 2 && now_ns(CLOCK_MONOTONIC) - start < strtol(argv[2], NULL, 10));
    printf("%ld %ld %ld\n", now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu, now_ns(CLOCK_MONOTONIC) - start,
           longest_ns);
    return 0;
}

#endif
