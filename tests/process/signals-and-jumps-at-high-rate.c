// Signals arrive in every hook of every thread, with handlers that are traced, nested and on stacks
// of their own; handlers leave by siglongjmp; jumps abandon hundreds of calls. No call is lost or
// counted twice. A jump may come between the beginning of a call and its counting: then there is
// one more.
//
// RUN: echo 'fun:traced_*' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1
// RUN: ./prog storm > made.txt && cat made.txt
// RUN: %check-big-trace trace-prog-*.pfw.gz | tee seen.txt && grep "^$(cut -d' ' -f1 made.txt) calls," seen.txt
// RUN: test $(cut -d' ' -f1 made.txt) -gt 1201000
// RUN: rm trace-* && DFTRACER_SPOOL_MAX=256k ./prog storm > made.txt && cat made.txt
// RUN: %check-big-trace trace-prog-*.pfw.gz | tee seen.txt && grep "^$(cut -d' ' -f1 made.txt) calls," seen.txt
// RUN: rm trace-* && ./prog far > made.txt && cat made.txt
// RUN: %check-big-trace trace-prog-*.pfw.gz | tee seen.txt && grep "^$(cut -d' ' -f1 made.txt) calls," seen.txt
// RUN: rm trace-* && ./prog escape > made.txt && cat made.txt
// RUN: %check-big-trace trace-prog-*.pfw.gz | tee seen.txt
// RUN: read made jumps < made.txt; seen=$(cut -d' ' -f1 seen.txt); \
// RUN:   test $jumps -gt 100 && test $seen -ge $made && test $seen -le $((made + jumps))

#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4

static _Atomic long made;
static sigjmp_buf out;

__attribute__((noinline)) void traced_leaf(void)
{
    atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
}

__attribute__((noinline)) void traced_in_handler(int depth)
{
    atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
    if (depth > 0)
        traced_in_handler(depth - 1);
    __asm__ volatile("" ::: "memory");
}

static void handle(int signal)
{
    traced_in_handler(signal == SIGUSR1 ? 3 : 1);
}

/* Interrupts this thread so often that it has little time between two signals. */
static void start_timer(timer_t *timer, int signal)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal};
    struct itimerspec often = {{0, 30000}, {0, 30000}};

    event._sigev_un._tid = gettid();
    if (timer_create(CLOCK_MONOTONIC, &event, timer) != 0 ||
        timer_settime(*timer, 0, &often, NULL) != 0)
        abort();
}

static void *work(void *unused)
{
    static char stacks[THREADS][64 << 10];
    static _Atomic int next;
    stack_t stack = {.ss_sp = stacks[next++], .ss_size = sizeof stacks[0]};

    timer_t nested, apart;

    (void)unused;
    sigaltstack(&stack, NULL);
    start_timer(&nested, SIGUSR1);
    start_timer(&apart, SIGUSR2);
    for (int i = 0; i < 300000; i++)
        traced_leaf();
    timer_delete(nested);
    timer_delete(apart);
    return NULL;
}

/*
 * SIGUSR1 is handled on the thread's current stack, SIGUSR2 on the alternate one. Each may
 * interrupt the other.
 */
static void storm(void)
{
    struct sigaction nested = {.sa_handler = handle, .sa_flags = SA_RESTART};
    struct sigaction apart = {.sa_handler = handle, .sa_flags = SA_ONSTACK | SA_RESTART};
    pthread_t threads[THREADS];

    sigaction(SIGUSR1, &nested, NULL);
    sigaction(SIGUSR2, &apart, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%ld calls\n", made);
}

static void escape_now(int signal)
{
    (void)signal;
    traced_in_handler(2);
    siglongjmp(out, 1);
}

static void escape(void)
{
    struct sigaction action = {.sa_handler = escape_now};
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    volatile long jumps = 0;

    sigaction(SIGALRM, &action, NULL);
    if (sigsetjmp(out, 1))
        jumps++;
    if (jumps == 0)
        setitimer(ITIMER_REAL, &often, NULL);
    while (jumps < 300 && made < 3000000)
        traced_leaf();
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%ld %ld\n", made, jumps);
}

static sigjmp_buf levels[16];

/* Makes 900 nested calls, then jumps back to a random one of them. */
__attribute__((noinline)) void traced_down(unsigned depth, unsigned *random)
{
    atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
    *random = *random * 1103515245u + 12345u;
    if (depth == 0)
        siglongjmp(levels[*random >> 16 & 15], 1);
    if (depth % 64 == 0 && sigsetjmp(levels[depth / 64], 0))
        traced_leaf();
    else
        traced_down(depth - 1, random);
    __asm__ volatile("" ::: "memory");
}

static void far(void)
{
    unsigned random = 1;

    for (int i = 0; i < 300; i++) {
        if (sigsetjmp(levels[15], 0) == 0 && sigsetjmp(levels[0], 0) == 0)
            traced_down(900, &random);
        traced_leaf();
    }
    printf("%ld calls\n", made);
}

int main(int argc, char **argv)
{

    if (argc < 2)
        return 1;
    if (strcmp(argv[1], "escape") != 0)
        alarm(200);
    if (strcmp(argv[1], "storm") == 0)
        storm();
    else if (strcmp(argv[1], "far") == 0)
        far();
    else
        escape();
    return 0;
}
