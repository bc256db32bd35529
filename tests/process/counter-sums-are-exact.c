// Integers and doubles are added to one counter, and its value is set: between any two instructions of that, a signal handler does the same, and
// two threads do it at the same time. Every sum is exact, and every value is one that was set.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD
// RUN: %cc -O2 -pthread -I%include %support %s -o prog %lib
// RUN: for kind in add real set threads; do DFTRACER_ENABLE=1 timeout -s KILL 100 ./prog $kind > expected.txt || exit 1; %check-trace trace-*.pfw.gz || exit 1; zcat trace-*.pfw.gz > trace.txt; rm trace-*; %{python} %S/Inputs/last-values.py trace.txt expected.txt || exit 1; done

#define _GNU_SOURCE
#include "step_runtime.h"

#include <dftrace/dftrace.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define ADDITIONS 20000

static volatile long steps, at_step;
static volatile int sets;
static char name[32];

static void step(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    if (!is_in_runtime(context) || steps++ != at_step)
        return;
    stop_stepping(context);
    if (sets) {
        dftrace_counter(name, 2.5);
    } else {
        dftrace_counter_add(name, 2);
        dftrace_counter_add(name, 0.5);
    }
}

static void add(void)
{
    dftrace_counter_add(name, 4);
}

static void add_real(void)
{
    dftrace_counter_add(name, 4.25);
}

static void set(void)
{
    dftrace_counter(name, 7);
}

/* In each round, the handler runs at the next instruction. */
static void step_through(void (*use)(void), int is_real)
{
    long rounds = 0;

    do {
        snprintf(name, sizeof name, "sum %ld", rounds);
        dftrace_counter_add(name, 1);
        at_step = rounds++;
        steps = 0;
        set_stepping(1);
        use();
        set_stepping(0);
        int has_run = steps > at_step;
        dftrace_counter_add(name, 0); /* shows the sum */
        if (sets)
            printf("%s %s\n", name, has_run ? "7 2.5" : "7");
        else
            printf("%s %.17g\n", name, (is_real ? 5.25 : 5) + (has_run ? 2.5 : 0));
    } while (steps > at_step);
    if (rounds < 40)
        printf("too few steps\n");
}

static void *add_both(void *unused)
{
    for (int i = 0; i < ADDITIONS; i++) {
        dftrace_counter_add("both", 1);
        dftrace_counter_add("both", 0.25);
    }
    return unused;
}

static void use_threads(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, add_both, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    dftrace_counter_add("both", 0);
    printf("both %.17g\n", 4 * ADDITIONS * 1.25);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";

    if (!handle_steps(step))
        return 2;
    strcpy(name, "first"); /* the first ones block signals */
    add();
    add_real();
    set();
    if (strcmp(kind, "add") == 0)
        step_through(add, 0);
    else if (strcmp(kind, "real") == 0)
        step_through(add_real, 1);
    else if (strcmp(kind, "set") == 0)
        sets = 1, step_through(set, 0);
    else
        use_threads();
    return 0;
}
