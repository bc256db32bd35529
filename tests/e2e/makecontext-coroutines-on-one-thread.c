// Coroutines made with makecontext alternate on one thread, in the middle of traced calls, on
// stacks that are close to each other and in either order: every call is in the trace once, and the
// calls of the thread nest.
//
// RUN: echo 'fun:traced_*' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 ./prog > made.txt && cat made.txt
// RUN: %check-trace trace-prog-*.pfw.gz $(cat made.txt)

#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#define COROUTINES 8
#define ROUNDS 300
#define DEPTH 5

static ucontext_t home, contexts[COROUTINES];
static char stacks[COROUTINES][64 << 10];
static long enters, leaves;
static int current;
static unsigned randomness = 1;

__attribute__((noinline)) void traced_leaf(void)
{
    leaves++;
}

static void yield(void)
{
    swapcontext(&contexts[current], &home);
}

__attribute__((noinline)) void traced_deep(int depth)
{
    enters++;
    yield();
    traced_leaf();
    if (depth > 0)
        traced_deep(depth - 1);
    yield();
    __asm__ volatile("" ::: "memory");
}

static void run(void)
{
    for (;;)
        traced_deep(DEPTH);
}

__attribute__((noinline)) void traced_turn(int which)
{
    current = which;
    swapcontext(&home, &contexts[which]);
}

int main(void)
{
    alarm(120);
    for (int i = 0; i < COROUTINES; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks[i];
        contexts[i].uc_stack.ss_size = sizeof stacks[i];
        makecontext(&contexts[i], run, 0);
    }
    for (int i = 0; i < ROUNDS * COROUTINES; i++) {
        randomness = randomness * 1103515245u + 12345u;
        traced_turn((int)(randomness >> 16) % COROUTINES);
    }
    printf("--count traced_turn=%d --count traced_deep=%ld --count traced_leaf=%ld\n",
           ROUNDS * COROUTINES, enters, leaves);
    return 0;
}
