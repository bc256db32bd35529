// dftrace_fiber_switch: calls of functions, regions and functions of an interpreter are open in several fibers at once, and those
// of each nest on a track of its own. A fiber may go on in another thread. One that has ended leaves its track to a later one.
// Samples and values belong to their calls.
//
// RUN: printf 'main\nbody\nleaf\nfun:guest_*\n[args]\nbody\n[sample]\nsampled\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt -I%include %support %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt
// RUN: ./prog && %check-trace trace-prog-*.pfw.gz --count main=1 --count body=30 --count leaf=6000 --count guest_open=60 --count sampled=60
// RUN: %show-events trace-prog-*.pfw.gz > shown.txt && grep -c '^track fiber' shown.txt | grep -x 3
// RUN: sed 's/"[a-z_]*\(rss\|cpu\|flt\|sw\)[a-z_]*": [-0-9.]*\(, \)\?//g; s/ {}//' shown.txt > same.txt
// RUN: grep -A 12 '^track fiber 2' same.txt | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:track fiber 2
// CHECK-NEXT:  region body [FUNC] {"values": {"number": 2, "return": 2}}
// CHECK-NEXT:    region guest_open [FUNC]
// CHECK-NEXT:      region sampled [FUNC]
// CHECK-NEXT:        region across {"fiber": 2}
// CHECK-NEXT:          region leaf [FUNC]
// A forked child goes on with what its thread has open, in the fiber that has forked; what the parent does is not affected.
// RUN: rm trace-* && ./prog fork > pids.txt && test $(ls trace-prog-*.pfw.gz | wc -l) = 2
// RUN: %check-trace trace-prog-$(cat pids.txt).pfw.gz --count body=1 --count guest_open=2 --count sampled=2 --only main body leaf guest_open sampled across
// RUN: rm trace-prog-$(cat pids.txt).pfw.gz && %check-trace trace-prog-*.pfw.gz --count body=30 --count guest_open=60 --count sampled=60
// Without the library, and in a program that is not traced, it does nothing.
// RUN: rm trace-* && env -u DFTRACER_ENABLE ./prog && not ls trace-*
// RUN: DFTRACER_MAX_DEPTH=3 ./prog && %check-trace trace-prog-*.pfw.gz --count body=30 --count guest_open=60 --count leaf=0

#include "guest.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define FIBERS 3
#define ROUNDS 10
#define STEPS 100
#define STACK (256 * 1024)

static ucontext_t loop, fibers[FIBERS];
static char stacks[FIBERS][STACK];
static struct dftrace_site *open_site;
static volatile int sink;
static int forks;

/* The child ends the fiber's calls by itself, without the loop. */
static NOINLINE void fork_here(void)
{
    int status;
    pid_t child = fork();

    forks = child == 0 ? -1 : 0;
    if (child > 0 &&
        (printf("%d\n", (int)child) < 0 || waitpid(child, &status, 0) != child || status != 0))
        abort();
}

NOINLINE void leaf(int x)
{
    sink = x;
}

static NOINLINE void yield(int number)
{
    if (forks < 0)
        return;
    dftrace_fiber_switch(0);
    swapcontext(&fibers[number], &loop);
}

NOINLINE void sampled(int number)
{
    DFTRACE_SCOPE("across", "fiber", number + 1);
    for (int i = 0; i < STEPS; i++) {
        leaf(i);
        if (forks > 0 && number == 1 && i == STEPS / 2)
            fork_here();
        yield(number);
    }
}

static NOINLINE void interpret(int number)
{
    if (open_site)
        __dftrace_guest_enter(open_site, LOOP_FRAME());
    sampled(number - 1);
    if (open_site)
        __dftrace_guest_exit(open_site);
}

NOINLINE int body(int number)
{
    interpret(number);
    interpret(number);
    return number;
}

static void run_fiber(int number)
{
    body(number + 1);
    if (forks < 0)
        exit(0);
    dftrace_fiber_switch(0);
    dftrace_fiber_end((uint64_t)number + 1);
}

/* Some steps of all fibers: they are interrupted in the middle of their calls. */
static void *run_loop(void *steps)
{
    for (int i = 0; i < *(int *)steps; i++)
        for (int number = 0; number < FIBERS; number++) {
            dftrace_fiber_switch((uint64_t)number + 1);
            swapcontext(&loop, &fibers[number]);
            dftrace_fiber_switch(0);
        }
    return NULL;
}

static void run_round(void)
{
    int half = STEPS, rest = STEPS + 1;
    pthread_t thread;

    for (int i = 0; i < FIBERS; i++) {
        getcontext(&fibers[i]);
        fibers[i].uc_stack.ss_sp = stacks[i];
        fibers[i].uc_stack.ss_size = STACK;
        fibers[i].uc_link = &loop;
        makecontext(&fibers[i], (void (*)(void))run_fiber, 1, i);
    }
    run_loop(&half);
    if (pthread_create(&thread, NULL, run_loop, &rest) != 0)
        abort();
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    forks = argc > 1;
    if (__dftrace_guest_wanted(NULL))
        open_site = new_site("guest_open");
    for (int i = 0; i < ROUNDS; i++)
        run_round();
    return sink < STEPS ? 0 : 1;
}
