// Calls of several threads at the same time: none is lost, and each thread has its own track, with
// the name that pthread_setname_np gave it. This also holds for a large number of short-lived
// threads.
//
// RUN: printf 'work\nbrief\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count work=80000 --count brief=600 --tree > tree.txt
// RUN: grep -c 'thread worker-[0-7]$' tree.txt | grep -x 8
// RUN: grep -c 'thread brief$' tree.txt | grep -x 300

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 8, CALLS = 10000, BRIEF = 300 };

static __attribute__((noinline)) int work(int x)
{
    __asm__ volatile("" ::: "memory");
    return x + 1;
}

static void *run(void *argument)
{
    char name[16];
    int sum = 0;

    snprintf(name, sizeof(name), "worker-%d", (int)(long)argument);
    pthread_setname_np(pthread_self(), name);
    for (int i = 0; i < CALLS; i++)
        sum += work(i) > 0;
    return (void *)(long)sum;
}

static void *brief(void *argument)
{
    pthread_setname_np(pthread_self(), "brief");
    return argument == NULL ? brief(&argument) : NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    long sum = 0;

    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (long)result;
    }
    for (int i = 0; i < BRIEF; i++) {
        pthread_create(&threads[0], NULL, brief, NULL);
        pthread_join(threads[0], NULL);
    }
    return sum == THREADS * CALLS ? 0 : 1;
}
