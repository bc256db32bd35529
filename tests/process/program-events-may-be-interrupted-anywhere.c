// Between any two instructions that record a region, an instant or a counter, a signal handler fills the chunk in which the record was about to
// be, waits for the writer to take it, and reports events itself. Nothing is lost or recorded twice, and values belong to their event.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD && echo g > allow.txt
// RUN: %cc -O2 -I%include %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: for kind in scope values begin instant mark counter add; do \
// RUN:   DFTRACER_ENABLE=1 DFTRACER_AGGREGATE=g DFTRACER_SPOOL_MAX=256k timeout -s KILL 100 ./prog $kind > counts.txt || exit 1; zcat trace-*.pfw.gz > trace.txt && rm trace-* || exit 1; \
// RUN:   sed -n 's/.*"name":"calls of g".*"count":\([0-9]*\).*/\1/p' trace.txt | awk '{ sum += $1 } END { print sum }' | grep -x "$(sed -n 1p counts.txt)" && grep -c '"name":"stepped","cat"' trace.txt | grep -x "$(sed -n 2p counts.txt)" || exit 1; \
// RUN:   grep -c '"name":"inside".*"n":7' trace.txt | grep -x "$(sed -n 3p counts.txt)" || exit 1; test -z "$(grep unfinished trace.txt)" || exit 1; \
// RUN:   case $kind in values|begin|instant) grep '"name":"stepped","cat"' trace.txt | grep -c '"a":1,"b":2' | grep -x "$(sed -n 2p counts.txt)" || exit 1;; esac; done

#define _GNU_SOURCE
#include "step_runtime.h"

#include <dftrace/dftrace.h>
#include <stdio.h>
#include <unistd.h>

#define BURST 4200 /* records; a chunk has 4096 of them */

static volatile long calls, inside, steps, at_step;

__attribute__((noinline)) static void g(void)
{
    calls++;
}

static void report_inside(void)
{
    DFTRACE_SCOPE("inside", "n", 7);
    dftrace_instant("inside", "n", 7);
    dftrace_begin("inside", "n", 7);
    dftrace_end();
}

static void step(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    if (!is_in_runtime(context) || steps++ != at_step)
        return;
    stop_stepping(context);
    for (int i = 0; i < BURST; i++)
        g();
    report_inside();
    inside += 3;
    usleep(3000);
}

static void use_scope(void)
{
    DFTRACE_SCOPE("stepped");
}

static void use_values(void)
{
    DFTRACE_SCOPE("stepped", "a", 1, "b", 2);
}

static void use_begin(void)
{
    dftrace_begin("stepped", "a", 1, "b", 2);
    dftrace_end();
}

static void use_instant(void)
{
    dftrace_instant("stepped", "a", 1, "b", 2);
}

static void use_mark(void)
{
    dftrace_instant("stepped");
}

static void use_counter(void)
{
    dftrace_counter("stepped", 1);
}

static void use_add(void)
{
    dftrace_counter_add("stepped", 1);
}

static const struct {
    const char *name;
    void (*use)(void);
} kinds[] = {{"scope", use_scope},     {"values", use_values}, {"begin", use_begin},
             {"instant", use_instant}, {"mark", use_mark},     {"counter", use_counter},
             {"add", use_add}};

int main(int argc, char **argv)
{
    void (*use)(void) = NULL;
    long rounds = 0;

    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            use = kinds[i].use;
    if (!use || !handle_steps(step))
        return 2;
    g();
    use(); /* the first ones block signals */
    report_inside();
    inside = 3;
    do {
        for (int i = 0; i < 16; i++) /* there is room in the chunk */
            g();
        at_step = rounds++;
        steps = 0;
        set_stepping(1);
        use();
        set_stepping(0);
    } while (steps > at_step);
    printf("%ld\n%ld\n%ld\n", calls, rounds + 1, inside);
    return rounds < 40;
}
