// Between any two instructions that record an instant, a signal handler fills the chunk in which the instant was about to be recorded,
// and waits for the writer to take it. No instant and no call is lost or recorded twice.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD
// RUN: echo g > allow.txt
// RUN: %cc -O2 -I%include %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=1 DFTRACER_SPOOL_MAX=256k timeout -s KILL 100 ./prog > counts.txt
// RUN: zcat trace-*.pfw.gz > trace.txt && grep -c '"name":"g","cat"' trace.txt | grep -x "$(sed -n 1p counts.txt)"
// RUN: grep '"ph":"i"' trace.txt | grep -c '"name":"s"' | grep -x "$(sed -n 2p counts.txt)"

#define _GNU_SOURCE
#include "step_runtime.h"

#include <dftrace/dftrace.h>
#include <stdio.h>
#include <unistd.h>

#define BURST 4200 /* records; a chunk has 4096 of them */

static volatile long calls, steps, at_step;

__attribute__((noinline)) static void g(void)
{
    calls++;
}

static void step(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    if (!is_in_runtime(context) || steps++ != at_step)
        return;
    for (int i = 0; i < BURST; i++)
        g();
    usleep(3000);
}

int main(void)
{
    long rounds = 0;

    if (!handle_steps(step))
        return 2;
    g();
    dftrace_instant("s"); /* the first one blocks signals */
    do {
        for (int i = 0; i < 16; i++) /* there is room in the chunk */
            g();
        at_step = rounds++;
        steps = 0;
        set_stepping(1);
        dftrace_instant("s");
        set_stepping(0);
    } while (steps > at_step);
    printf("%ld\n%ld\n", calls, rounds + 1);
    return rounds < 100;
}
