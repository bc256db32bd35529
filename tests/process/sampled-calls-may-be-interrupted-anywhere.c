// A signal handler that makes calls interrupts the runtime between any two instructions while it
// records a sampled call. Each instruction is stepped through, across several chunks, with handlers
// whose own calls are sampled or not. Every call is recorded once.
//
// RUN: printf '[sample]\nf\ng\n' > all.txt
// RUN: printf 'g\n[sample]\nf\n' > some.txt
// RUN: for allow in some all; do \
// RUN:   rm -f trace-*; %cc -O2 %support %plugin %allow=$allow.txt %s -o program %lib || exit 1; \
// RUN:   DFTRACER_ENABLE=1 ./program > counts.txt || exit 1; \
// RUN:   %check-trace trace-*.pfw.gz $(cat counts.txt) || exit 1; \
// RUN:   zcat trace-*.pfw.gz | grep -c '"name":"f".*"tdur"' | grep -x 41 || exit 1; \
// RUN: done

#define _GNU_SOURCE
#include "step_runtime.h"

#include <stdio.h>

#define CALLS 40

static volatile long calls_of_f, calls_of_g, steps;

__attribute__((noinline)) static void g(void)
{
    calls_of_g++;
}

__attribute__((noinline)) static void f(void)
{
    calls_of_f++;
}

static void step(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    if (is_in_runtime(context)) {
        steps++;
        g();
    }
}

int main(void)
{
    if (!handle_steps(step))
        return 2;
    f(); /* the first calls block signals */
    g();
    for (int i = 0; i < CALLS; i++) {
        set_stepping(1);
        f();
        set_stepping(0);
    }
    printf("--count f=%ld --count g=%ld\n", calls_of_f, calls_of_g);
    return steps < CALLS * 100L;
}
