// Infinite recursion ends the program by SIGSEGV, and the trace is complete although no stack is
// left: in the main thread and in others, also if the program has an alternate signal stack of its
// own.
//
// RUN: printf 'main\nwork\nrecurse\nthread_body\n' > allow.txt
// RUN: %cc -O1 -pthread %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: ulimit -s 1024; %check-death ./prog main thread own-stack thread-own-stack handler
// RUN: mkdir plain && %cc -O1 -DUNTRACED -pthread %support %plugin %allow=allow.txt %s -o plain/prog %lib
// RUN: ulimit -s 1024; cd plain && %check-death ./prog main thread

#include "death.h"

#include <pthread.h>
#include <signal.h>

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

/* Not counted: a thread keeps only so many frames. */
#ifdef UNTRACED
__attribute__((noinline, no_instrument_function))
#else
__attribute__((noinline))
#endif
static int
recurse(int depth)
{
    volatile char room[64];

    room[depth % 64] = (char)depth;
    return recurse(depth + 1) + room[depth % 32];
}

static void set_own_stack(void)
{
    stack_t present, own = {.ss_size = 65536};

    if (sigaltstack(NULL, &present) != 0 || !(present.ss_flags & SS_DISABLE) || present.ss_sp)
        _exit(1);
    own.ss_sp = malloc(own.ss_size);
    if (sigaltstack(&own, &present) != 0 || !(present.ss_flags & SS_DISABLE))
        _exit(2);
    if (sigaltstack(NULL, &present) != 0 || present.ss_sp != own.ss_sp || present.ss_flags)
        _exit(3);
}

static void call_work(void)
{
    struct tally *count = tally("work");

    for (int i = 0; i < 100; i++) {
        work(i);
        count->completed++;
    }
}

static void *thread_body(void *way)
{
    call_work();
    if (strstr((const char *)way, "own-stack"))
        set_own_stack();
    tally("thread_body")->unfinished = 1;
    sink = recurse(0);
    return NULL;
}

static void leave(int number)
{
    _exit(100 + number);
}

int main(int argc, char **argv)
{
    (void)argc;
    call_work();
    tally("main")->unfinished = 1;
#ifndef UNTRACED
    tally("recurse")->at_least = 1;
#endif
    if (strncmp(argv[1], "thread", 6) == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, thread_body, argv[1]);
        pthread_join(thread, NULL);
    }
    if (strcmp(argv[1], "own-stack") == 0 || strcmp(argv[1], "handler") == 0)
        set_own_stack();
    if (strcmp(argv[1], "handler") == 0) {
        struct sigaction action = {.sa_handler = leave, .sa_flags = SA_ONSTACK};
        sigaction(SIGSEGV, &action, NULL);
    }
    return recurse(0);
}
