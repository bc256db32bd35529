// Calls in destructors of thread-specific data are in the trace, in every round of destructors.
// Threads that make calls after our own destructor has run for the last time leave no memory
// behind.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD
// RUN: echo work > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog > calls.txt
// RUN: %check-trace trace-prog-*.pfw.gz --count work=$(cat calls.txt)
// RUN: rm trace-* && %dftrace run --no-report ./prog > calls.txt
// RUN: %check-trace trace-prog-*.pfw.gz --count work=$(cat calls.txt)

#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

#define THREADS 2000
#define MEMORY_MOST_KIB (64 << 10)

static pthread_key_t key;
static long calls;

__attribute__((noinline)) void work(void)
{
    calls++;
}

static void again(void *value)
{
    work();
    pthread_setspecific(key, value);
}

static void *run(void *value)
{
    work();
    pthread_setspecific(key, value);
    return NULL;
}

int main(void)
{
    struct rusage usage;
    pthread_t thread;

    pthread_key_create(&key, again);
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&thread, NULL, run, &key) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    printf("%ld\n", calls);
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss > MEMORY_MOST_KIB ? 2 : 0;
}
