// A signal handler that makes traced calls interrupts the hooks between any two instructions. Each
// instruction is stepped through, across several chunks, with handlers whose own hooks are of
// either kind. Every call is recorded once.
//
// RUN: printf 'f\ng\n' > allow.txt
// RUN: %cc -O2 %support %plugin %allow=allow.txt -c %s -o main.o
// RUN: for model in small large; do \
// RUN:   rm -f trace-*; %cc -O2 -mcmodel=$model -DHANDLER %plugin %allow=allow.txt -c %s -o handler.o || exit 1; \
// RUN:   %cc main.o handler.o -o program %lib || exit 1; \
// RUN:   DFTRACER_ENABLE=1 ./program > counts.txt || exit 1; \
// RUN:   %check-trace trace-*.pfw.gz $(cat counts.txt) || exit 1; \
// RUN: done

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#ifndef FIRST
#define FIRST 1 /* calls of each kind, made first because they take the slow path */
#define STEPPED 3
#endif

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

/* The slow path blocks signals, and a blocked SIGTRAP would kill: stepping ends there. */
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
    for (int i = 0; i < FIRST; i++) {
        f(&x);
        g();
    }
    for (int i = 0; i < STEPPED; i++) {
        set_stepping(1);
        f(&x);
        set_stepping(0);
    }
    printf("--count f=%ld --count g=%ld\n", x, calls_of_g);
    return x != FIRST + STEPPED;
}

#endif
