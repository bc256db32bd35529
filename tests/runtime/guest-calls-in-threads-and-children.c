// Calls of an interpreter's functions in threads, in a forked child that goes on with the calls that were open in its parent, and
// in children that fork in the middle of a deep recursion.
//
// RUN: printf 'fun:guest_*\n' > allow.txt
// RUN: %cc -O2 -pthread -I%include %support %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=allow.txt
// RUN: ./prog > pids.txt && test $(ls trace-prog-*.pfw.gz | wc -l) = 3
// RUN: %check-trace trace-prog-$(sed -n 's/parent //p' pids.txt).pfw.gz --count guest_outer=1 --count guest_thread=20000 \
// RUN:   --count guest_inner=10000 --count guest_child=0
// RUN: %check-trace trace-prog-$(sed -n 's/child //p' pids.txt).pfw.gz --count guest_outer=1 --count guest_child=2 --count guest_thread=0
// RUN: %check-trace trace-prog-$(sed -n 's/deep //p' pids.txt).pfw.gz --only guest_outer guest_inner guest_child \
// RUN:   --count guest_child=1 --count guest_outer=1
// RUN: zcat trace-*.pfw.gz | not grep '"unfinished"'

#include "guest.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEPTH 5000

static struct dftrace_site *outer, *inner, *in_thread, *in_child;

static void call(struct dftrace_site *site)
{
    __dftrace_guest_enter(site, LOOP_FRAME());
    __dftrace_guest_exit(site);
}

static void *run(void *unused)
{
    for (int i = 0; i < 5000; i++)
        call(in_thread);
    return unused;
}

static void run_threads(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, run, NULL) != 0)
            abort();
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

/* Returns twice: the child's id, and 0 in the child. */
static pid_t fork_now(const char *name)
{
    fflush(stdout);
    pid_t child = fork();

    if (child > 0)
        printf("%s %d\n", name, (int)child);
    return child;
}

static void wait_for(pid_t child)
{
    int status;

    if (waitpid(child, &status, 0) != child || status != 0)
        abort();
}

static pid_t recurse(void *stack)
{
    pid_t child = -1;

    for (int i = 0; i < DEPTH; i++) {
        if (i == DEPTH / 2)
            child = fork_now("deep");
        if (i == DEPTH / 2 && child == 0)
            call(in_child);
        __dftrace_guest_enter(inner, stack);
    }
    for (int i = 0; i < DEPTH; i++)
        __dftrace_guest_exit(inner);
    return child;
}

int main(void)
{
    void *stack = LOOP_FRAME();

    if (!__dftrace_guest_wanted(NULL))
        return 1;
    outer = new_site("guest_outer");
    inner = new_site("guest_inner");
    in_thread = new_site("guest_thread");
    in_child = new_site("guest_child");
    __dftrace_guest_enter(outer, stack);
    pid_t child = fork_now("child");
    if (child == 0) {
        call(in_child);
        __dftrace_guest_exit(outer);
        call(in_child);
        return 0;
    }
    wait_for(child);
    run_threads();
    child = recurse(stack);
    if (child > 0) {
        wait_for(child);
        for (int i = 0; i < DEPTH; i++)
            call(inner);
        printf("parent %d\n", (int)getpid());
    }
    __dftrace_guest_exit(outer);
    return 0;
}
