// A signal handler interrupts a thread's first exit hook and fills the open chunk and the chunk
// before it in memory, to the last record. The hook must not mistake the end of that chunk for its
// own position. Every instruction is stepped through. Every call is recorded once.
//
// RUN: printf 'f\ng\n' > allow.txt
// RUN: %cc -O2 %support %plugin %allow=allow.txt %s -o program %lib -pthread
// RUN: DFTRACER_ENABLE=1 DFTRACER_WRITE_BUFFER_SIZE=4k ./program > counts.txt
// RUN: %check-trace trace-*.pfw.gz $(cat counts.txt)

#define _GNU_SOURCE
#include "step.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#define CHUNK 4096 /* calls */

extern char __executable_start, etext;
static char *hook_begin, *hook_end;
static volatile long calls_of_f, calls_of_g;
static int steps, chosen;

__attribute__((noinline)) static void g(void)
{
    calls_of_g++;
}

/* The slow path blocks signals, and a blocked SIGTRAP would kill: stepping ends there. */
static void step(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    char *at = (char *)registers[REG_RIP];

    (void)signal, (void)info;
    if (at >= hook_begin && at < hook_end) {
        for (int i = 0; steps == chosen && i < 2 * CHUNK; i++)
            g();
        steps++;
    } else if (at < &__executable_start || at >= &etext) {
        registers[REG_EFL] &= ~0x100;
    }
}

__attribute__((noinline)) static void f(void)
{
    calls_of_f++;
    set_stepping(1); /* not earlier: a thread's first enter hook takes the slow path */
}

static void *run(void *argument)
{
    f();
    set_stepping(0);
    return argument;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    pthread_t thread;

    hook_begin = dlsym(RTLD_DEFAULT, "__dftrace_quick_exit");
    hook_end = hook_begin + 0x80;
    sigaction(SIGTRAP, &action, NULL);
    for (int i = 0; i < 4 * CHUNK + 100; i++)
        g();
    do {
        usleep(150000); /* the writer frees full chunks, and they are reused in turn */
        steps = 0;
        if (pthread_create(&thread, NULL, run, NULL) != 0 || pthread_join(thread, NULL) != 0)
            return EXIT_FAILURE;
    } while (steps > chosen++);
    printf("--count f=%ld --count g=%ld\n", calls_of_f, calls_of_g);
    return chosen < 20;
}
