// Traces with I/O calls have counters of bandwidth and of calls in flight, of each process for itself:
// at the end, five threads are inside read. The bandwidth is that of the bytes that the calls of the
// process have moved since the last sample: those of all threads, of those that have ended too, but
// not of a child that the process has waited for. Calls that never return are shown as unfinished.
// Traces without I/O calls have no such counters.
//
// RUN: %cc -w -O1 -pthread %s -o prog
// RUN: %dftrace run --io --no-report -e TRACE_INTERVAL_MS=100000 -o t -- ./prog
// RUN: %{python} %S/Inputs/check-counters 'calls=0 read=131072000 write=0' 'calls=5 read=81920000 write=65536000' t-*.gz
// The same in samples while the program runs, and without a host.
// RUN: %dftrace run --io --no-report -e TRACE_INTERVAL_MS=5 -o s -- ./prog
// RUN: %{python} %S/Inputs/check-counters 'calls=0 read=131072000 write=0' 'calls=5 read=81920000 write=65536000' s-*.gz
// RUN: LD_PRELOAD=%libdir/libdftrace-io.so:%libdir/libdftrace.so DFTRACER_ENABLE=1 DFTRACER_TRACE_INTERVAL_MS=5 DFTRACER_LOG_FILE=u ./prog
// RUN: %{python} %S/Inputs/check-counters 'calls=0 read=131072000 write=0' 'calls=5 read=81920000 write=65536000' u-*.gz
// RUN: echo main > allow.txt && %cc -w -O1 -pthread %plugin %allow=allow.txt %s -o plain
// RUN: %dftrace run --no-report -o p -- ./plain && zcat p-*.gz | not grep -E "io calls in flight|io bandwidth"

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 5
#define SIZE 65536

static volatile int tids[THREADS];

/* Reads so many blocks. */
static void *read_zeros(void *blocks)
{
    char buffer[SIZE];
    int zero = open("/dev/zero", O_RDONLY);

    for (long i = 0; i < (long)blocks; i++)
        read(zero, buffer, SIZE);
    close(zero);
    return NULL;
}

static void *wait_for_ever(void *place)
{
    int ends[2];
    char byte;

    pipe(ends);
    *(volatile int *)place = syscall(SYS_gettid);
    read(ends[0], &byte, 1);
    abort();
}

/* Whether the kernel says that the thread waits in the system call `read`. */
static int is_in_read(int tid)
{
    char path[64], text[16] = "";

    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", tid);
    int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
    syscall(SYS_read, fd, text, sizeof text - 1);
    syscall(SYS_close, fd);
    return atoi(text) == SYS_read && text[0] >= '0' && text[0] <= '9';
}

int main(void)
{
    pthread_t thread;
    char buffer[SIZE];
    int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);

    for (int i = 0; i < 1000; i++) {
        read(zero, buffer, SIZE);
        write(null, buffer, SIZE);
    }
    pthread_create(&thread, NULL, read_zeros, (void *)250);
    pthread_join(thread, NULL);
    if (fork() == 0) {
        read_zeros((void *)2000);
        _exit(0);
    }
    wait(NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, wait_for_ever, (void *)&tids[i]);
    for (int i = 0; i < THREADS; i++)
        while (!tids[i] || !is_in_read(tids[i]))
            usleep(1000);
    return 0;
}
