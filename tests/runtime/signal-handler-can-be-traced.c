// A signal that arrives in the middle of a hook runs an instrumented handler: no call is lost or
// wrong, and nothing deadlocks.
//
// RUN: printf 'work\nhandler\ncount\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog > calls.txt
// RUN: %check-trace trace-prog-*.pfw.gz $(cat calls.txt)

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile sig_atomic_t handled;
static volatile int sink;

static __attribute__((noinline)) void count(void)
{
    handled = handled + 1;
}

static void handler(int number)
{
    (void)number;
    count();
}

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    struct itimerval often = {.it_interval = {.tv_usec = 100}, .it_value = {.tv_usec = 100}};
    struct itimerval never = {{0, 0}, {0, 0}};
    int calls = 0;

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (handled < 200 && calls < 100000000)
        work(calls++ % 1000);
    setitimer(ITIMER_REAL, &never, NULL);
    printf("--count handler=%d --count count=%d --count work=%d\n", (int)handled, (int)handled,
           calls);
    return handled >= 200 ? 0 : 1;
}
