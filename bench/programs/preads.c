/*
 * Measures a pread of 4 KiB that is in the page cache, and a read of the clock that hooks use.
 *
 *   preads THREADS CALLS ROUNDS FILE   prints the CPU time of one pread and of one clock read, in
 *                                      nanoseconds: the minimum of all rounds of all threads.
 *                                      Pauses between rounds, so that the writer keeps up.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SIZE 4096
#define PAUSE_US 5000
#define THREADS_MAX 64

static long calls, rounds;
static int fd;

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void *measure(void *result)
{
    char buffer[SIZE];
    double least = 1e18;

    for (long round = 0; round < rounds; round++) {
        double begin = now_ns();
        for (long i = 0; i < calls; i++)
            if (pread(fd, buffer, SIZE, 0) != SIZE)
                abort();
        double taken = (now_ns() - begin) / (double)calls;
        least = taken < least ? taken : least;
        usleep(PAUSE_US);
    }
    *(double *)result = least;
    return NULL;
}

static double measure_clock(void)
{
    double least = 1e18;

    for (long round = 0; round < rounds; round++) {
        double begin = now_ns();
        for (long i = 0; i < calls; i++) {
#if defined(__x86_64__)
            __builtin_ia32_rdtsc();
#else
            __asm__ volatile("mrs x9, cntvct_el0" ::: "x9");
#endif
        }
        double taken = (now_ns() - begin) / (double)calls;
        least = taken < least ? taken : least;
    }
    return least;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS_MAX];
    double results[THREADS_MAX], least = 1e18;

    if (argc != 5)
        return 2;
    long count = strtol(argv[1], NULL, 10);
    calls = strtol(argv[2], NULL, 10);
    rounds = strtol(argv[3], NULL, 10);
    fd = open(argv[4], O_RDONLY);
    if (fd < 0 || count < 1 || count > THREADS_MAX)
        return 2;
    for (long i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, measure, &results[i]) != 0)
            return 1;
    for (long i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        least = results[i] < least ? results[i] : least;
    }
    printf("%.2f %.2f\n", least, measure_clock());
    return 0;
}
