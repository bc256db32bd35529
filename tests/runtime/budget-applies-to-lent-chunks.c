// A thread whose chunk the writer empties again and again, because the spool has no other room, pays
// for all of its calls: its hot function is throttled as if there were room.
//
// RUN: printf 'hot\nrest\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 DFTRACER_SPOOL_MAX=256k DFTRACER_BUDGET=1%% ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --count hot=2000000 --count rest=8
// RUN: zcat trace-prog-*.pfw.gz | grep '"name":"counted".*"function":"hot"'

#include <pthread.h>

#define THREADS 8
#define CALLS 2000000

static pthread_barrier_t begun, done;
static volatile int sink;

static __attribute__((noinline)) void hot(int x)
{
    sink = x;
}

static __attribute__((noinline)) void rest(void)
{
    sink = 0;
}

/* Makes one call and keeps its chunk. */
static void *run(void *unused)
{
    rest();
    pthread_barrier_wait(&begun);
    pthread_barrier_wait(&done);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];

    pthread_barrier_init(&begun, NULL, THREADS + 1);
    pthread_barrier_init(&done, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    pthread_barrier_wait(&begun);
    for (int i = 0; i < CALLS; i++)
        hot(i);
    pthread_barrier_wait(&done);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
