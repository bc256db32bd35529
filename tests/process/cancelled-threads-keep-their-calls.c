// Threads are cancelled at any point inside traced calls: every call that they have counted is in
// the trace. An asynchronous cancellation may come between the beginning of a call and its
// counting. So the trace may have one call more for each thread.
//
// RUN: echo 'fun:traced_*' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1
// RUN: ./prog deferred > made.txt && cat made.txt
// RUN: %check-big-trace trace-prog-*.pfw.gz | grep "^$(cat made.txt) calls," && rm trace-*
// RUN: ./prog asynchronous > made.txt && cat made.txt
// RUN: %check-big-trace trace-prog-*.pfw.gz | tee seen.txt
// RUN: seen=$(cut -d' ' -f1 seen.txt); test $seen -ge $(cat made.txt) && test $seen -le $(($(cat made.txt) + 400))

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 200
#define LANES 2
#define CALLS_MOST 1500 /* on most machines more than a thread makes before it is cancelled */

struct lane {
    _Atomic long made;
    char apart[120];
};

static struct lane lanes[LANES];
static int asynchronous;

/* One instruction: a cancellation cannot split it. */
static void count(struct lane *lane)
{
    atomic_fetch_add_explicit(&lane->made, 1, memory_order_relaxed);
}

__attribute__((noinline)) void traced_inner(struct lane *lane)
{
    count(lane);
}

__attribute__((noinline)) void traced_outer(struct lane *lane)
{
    count(lane);
    traced_inner(lane);
    __asm__ volatile("" ::: "memory");
}

static void *run(void *argument)
{
    pthread_setcanceltype(asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED,
                          NULL);
    for (int i = 0; i < CALLS_MOST; i++) {
        traced_outer(argument);
        if (!asynchronous)
            pthread_testcancel();
    }
    for (;;)
        pause();
    return NULL;
}

int main(int argc, char **argv)
{
    long all = 0;

    alarm(250);
    asynchronous = argc > 1 && strcmp(argv[1], "asynchronous") == 0;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[LANES];
        for (int i = 0; i < LANES; i++) {
            long before = lanes[i].made;
            if (pthread_create(&threads[i], NULL, run, &lanes[i]) != 0)
                return 1;
            while (lanes[i].made == before) /* the call has begun */
                sched_yield();
        }
        for (int i = 0; i < LANES; i++)
            pthread_cancel(threads[i]);
        for (int i = 0; i < LANES; i++)
            pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < LANES; i++)
        all += lanes[i].made;
    printf("%ld\n", all);
    return 0;
}
