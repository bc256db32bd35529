// More threads than the spool has chunks, constantly interrupted by traced signal handlers: no
// thread waits forever, and no call is lost.
//
// RUN: echo 'fun:traced_*' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 DFTRACER_SPOOL_MAX=256k ./prog > made.txt
// RUN: %check-trace trace-prog-*.pfw.gz --count traced_work=400000 --count traced_handler=$(cat made.txt)
// RUN: rm trace-* && DFTRACER_ENABLE=1 DFTRACER_SPOOL_MAX=256k ./prog idle > made.txt
// RUN: %check-trace trace-prog-*.pfw.gz --count traced_work=400008

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/time.h>

#define THREADS 8

static _Atomic long handled;
static pthread_barrier_t done;
static int idle;

__attribute__((noinline)) void traced_work(void)
{
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void traced_handler(int signal)
{
    (void)signal;
    atomic_fetch_add(&handled, 1);
}

static void *run(void *unused)
{
    (void)unused;
    for (int i = 0; i < 400000 / THREADS; i++)
        traced_work();
    return NULL;
}

/* Makes one call and keeps its chunk. */
static void *rest(void *unused)
{
    (void)unused;
    traced_work();
    pthread_barrier_wait(&done);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2 * THREADS];
    struct sigaction action = {.sa_handler = traced_handler, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};

    (void)argv;
    idle = argc > 1 ? THREADS : 0;
    pthread_barrier_init(&done, NULL, (unsigned)idle + 1);
    for (int i = 0; i < idle; i++)
        pthread_create(&threads[THREADS + i], NULL, rest, NULL);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, idle ? &never : &often, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    pthread_barrier_wait(&done);
    for (int i = 0; i < idle; i++)
        pthread_join(threads[THREADS + i], NULL);
    printf("%ld\n", atomic_load(&handled));
    return 0;
}
