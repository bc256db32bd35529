// A program whose threads do I/O and that is killed at a random moment leaves every call that it had
// counted, and the call of each thread during which it died as unfinished or not at all: below
// `dftrace run`, and without it after `dftrace recover`.
//
// RUN: %cc -w -O1 -pthread %s -o prog
// RUN: for threads in 1 4; do for i in 1 2 3; do rm -f t-*; \
// RUN:   not --crash %dftrace run --io --no-report -o t -- ./prog $threads $((i * 7919 % 12000 + 50)) > out.txt 2> err.txt || exit 1; \
// RUN:   %{python} %S/Inputs/check-killed counted.txt t-*.gz || exit 1; \
// RUN: done; done
// RUN: for i in 1 2; do rm -rf t-* spool; mkdir spool; \
// RUN:   DFTRACER_ENABLE=1 DFTRACER_LOG_FILE=$PWD/t DFTRACER_SPOOL_DIR=$PWD/spool LD_PRELOAD=%libdir/libdftrace-io.so:%libdir/libdftrace.so not --crash ./prog 4 $((i * 7919 % 12000 + 50)) || exit 1; \
// RUN:   %dftrace recover spool/dftrace-* > recovered.txt 2>&1 || exit 1; \
// RUN:   %{python} %S/Inputs/check-killed counted.txt t-*.gz || exit 1; \
// RUN: done

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS_MAX 8

/* What each thread has done, in a file that outlives the process. */
static volatile int64_t *counted;

static void *work(void *which)
{
    char name[16], byte;
    volatile int64_t *mine = &counted[(intptr_t)which];

    snprintf(name, sizeof name, "data%d", (int)(intptr_t)which);
    int data = open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
    for (;;) {
        if (*mine % 2 == 0)
            pwrite(data, "x", 1, *mine);
        else
            pread(data, &byte, 1, *mine - 1);
        ++*mine;
    }
}

/* Kills the process at a moment that depends on the processor's load. */
static void kill_after(int threads, int64_t calls)
{
    for (int64_t sum = 0; sum < calls;) {
        sum = 0;
        for (int i = 0; i < threads; i++)
            sum += counted[i];
        sched_yield();
    }
    syscall(SYS_kill, getppid(), SIGKILL);
    syscall(SYS_exit_group, 0);
}

int main(int argc, char **argv)
{
    int fd = open("counted.txt", O_CREAT | O_RDWR | O_TRUNC, 0600), threads = atoi(argv[1]);
    pthread_t thread;

    ftruncate(fd, 4096);
    counted = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fork() == 0)
        kill_after(threads, atoi(argv[2]));
    for (intptr_t i = 1; i < threads; i++)
        pthread_create(&thread, NULL, work, (void *)i);
    work(NULL);
}
