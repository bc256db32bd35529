// A program without I/O runs at full speed below `dftrace run --io`: its calls go directly to libc, and
// while it works, it makes no system call.
//
// REQUIRES: strace
// RUN: %cc -w -O1 -pthread %s -o prog
// RUN: %dftrace run --io --no-report -o t -- strace -o calls.txt ./prog > out.txt 2> err.txt
// RUN: awk '/getpgid\(12345/ {marks++; next} marks == 1 {print; found = 1} END {exit found || marks != 2}' calls.txt
// RUN: LD_BIND_NOW=1 LD_DEBUG=bindings LD_DEBUG_OUTPUT=bindings %dftrace run --io --no-report -o b -- ./prog > out.txt 2> err.txt
// RUN: cat bindings.* | grep "file ./prog .*normal symbol .snprintf'" | grep -q libc.so
// RUN: cat bindings.* | not grep "file ./prog .*to .*libdftrace"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int sink;

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void work(void)
{
    jmp_buf place;
    char text[100];
    int numbers[100];
    struct timespec now;

    for (int i = 0; i < 100; i++)
        numbers[i] = i * 7919 % 100;
    qsort(numbers, 100, sizeof *numbers, compare);
    char *memory = malloc(1000);
    snprintf(text, sizeof text, "%d %p", numbers[5], memory);
    sink += sscanf(text, "%d", numbers);
    memcpy(memory, text, sizeof text);
    free(memory);
    pthread_mutex_lock(&mutex);
    sink += setjmp(place);
    pthread_mutex_unlock(&mutex);
    clock_gettime(CLOCK_MONOTONIC, &now);
}

int main(void)
{
    work(); /* the heap is there */
    syscall(SYS_getpgid, 12345);
    for (int i = 0; i < 10000; i++)
        work();
    syscall(SYS_getpgid, 12345);
    return 0;
}
