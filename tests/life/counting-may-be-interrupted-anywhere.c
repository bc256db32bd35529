// A handler that makes calls comes between any two instructions of hooks that only count, as the
// budget or the depth want it: no call is lost and none is counted twice.
//
// RUN: printf 'f\ng\n' > allow.txt
// RUN: %cc -O2 %support %plugin %allow=allow.txt -c %s -o main.o
// RUN: for model in small large; do \
// RUN:   rm -f trace-*; %cc -O2 -mcmodel=$model -DHANDLER %plugin %allow=allow.txt -c %s -o handler.o || exit 1; \
// RUN:   %cc main.o handler.o -o program %lib || exit 1; \
// RUN:   DFTRACER_ENABLE=1 DFTRACER_BUDGET=0.001%% ./program > counts.txt || exit 1; \
// RUN:   %check-trace trace-*.pfw.gz $(cat counts.txt) || exit 1; \
// RUN:   zcat trace-*.pfw.gz | grep -c '"name":"counted"' | grep -x 2 || exit 1; \
// RUN: done
//
// Calls of the handler lie in those of f, or between them: which, nobody knows but the hook.
// RUN: rm trace-* && DFTRACER_ENABLE=1 DFTRACER_MAX_DEPTH=1 ./program > counts.txt
// RUN: %check-trace trace-*.pfw.gz --print-counts > seen.txt && cat seen.txt
// RUN: left=$(zcat trace-*.pfw.gz | sed -n 's/.*"left_out":\([0-9]*\).*/\1/p'); \
// RUN:   seen=$(awk '{ sum += $1 } END { print sum }' seen.txt); \
// RUN:   made=$(tr -c '0-9\n' ' ' < counts.txt | awk '{ print $1 + $2 }'); \
// RUN:   test $left -gt 100 && test $((seen + left)) = $made

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

#define HOT 20000   /* so many calls show that a function is hot */
#define STEPPED 600 /* two of them are timed */

void g(void);
extern volatile long calls_of_g;

#ifdef HANDLER

volatile long calls_of_g;

__attribute__((noinline)) void g(void)
{
    calls_of_g++;
}

#else

#include "step.h"

extern char __executable_start, etext;
static char *hooks_begin, *hooks_end;

/* The hooks' slow halves block signals, and a blocked SIGTRAP would kill: there it is over. */
static void step(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    char *at = (char *)registers[REG_RIP];

    (void)signal, (void)info;
    if (at >= hooks_begin && at < hooks_end)
        g();
    else if (at < &__executable_start || at >= &etext)
        registers[REG_EFL] &= ~0x100;
}

__attribute__((noinline)) static long f(volatile long *x)
{
    return *x += 1;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    volatile long x = 0;

    hooks_begin = dlsym(RTLD_DEFAULT, "__dftrace_quick_enter");
    hooks_end = (char *)dlsym(RTLD_DEFAULT, "__dftrace_quick_exit") + 0x80;
    sigaction(SIGTRAP, &action, NULL);
    for (int i = 0; i < HOT; i++) {
        f(&x);
        g();
    }
    for (int i = 0; i < STEPPED; i++) {
        set_stepping(1);
        f(&x);
        set_stepping(0);
    }
    printf("--count f=%ld --count g=%ld\n", x, calls_of_g);
    return x != HOT + STEPPED;
}

#endif
