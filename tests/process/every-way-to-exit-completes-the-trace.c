// However a program ends itself, every call that returned is in the trace, open calls are shown as
// unfinished, and the exit status is the same as without tracing.
//
// RUN: printf 'main\nwork\nleave\nlate\n' > allow.txt
// RUN: %cc -O2 %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: %check-death ./prog return exit _exit _Exit quick_exit at_quick_exit abort assert \
// RUN:   abort-after-handler abort-when-ignored daemon exit-in-handler _exit-in-handler _exit-in-atexit \
// RUN:   sigaction-in-atexit
//
// In a static executable too.
// RUN: mkdir static && %cc -O2 -static %support %plugin %allow=allow.txt %s -o static/prog -L%libdir -l:libdftrace.a
// RUN: (cd static && %check-death ./prog return exit _exit _Exit quick_exit abort daemon _exit-in-atexit)
//
// And with the runtime preloaded.
// RUN: mkdir preload && %cc -O2 %support %plugin %allow=allow.txt %s -o preload/prog
// RUN: (cd preload && %check-death --enable-by LD_PRELOAD=%libdir/libdftrace.so ./prog _exit quick_exit abort \
// RUN:   abort-after-handler daemon)

#include "death.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>

#define CALLS 1000

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static __attribute__((noinline)) void late(void)
{
    sink = 0;
}

static void call_late(void)
{
    late();
    tally("late")->completed++;
}

static void exit_in_handler(int number)
{
    exit(number);
}

static void call_late_in_handler(int number)
{
    (void)number;
    call_late();
}

static void underscore_exit_in_handler(int number)
{
    _exit(number);
}

static void underscore_exit(void)
{
    _exit(31);
}

/* The program may set handlers and end itself after the library's destructor, too. */
static __attribute__((destructor)) void set_handler(void)
{
    signal(SIGUSR1, SIG_DFL);
}

static void die_in_atexit(void)
{
    signal(SIGUSR1, underscore_exit_in_handler);
    raise(SIGUSR1);
}

static __attribute__((noinline)) void leave(const char *way)
{
    tally("main")->unfinished = tally("leave")->unfinished = 1;
    if (strcmp(way, "exit") == 0)
        exit(11);
    if (strcmp(way, "_exit") == 0)
        _exit(12);
    if (strcmp(way, "_Exit") == 0)
        _Exit(13);
    if (strcmp(way, "quick_exit") == 0)
        quick_exit(14);
    if (strcmp(way, "at_quick_exit") == 0) {
        at_quick_exit(call_late);
        quick_exit(15);
    }
    if (strcmp(way, "abort") == 0)
        abort();
    if (strcmp(way, "assert") == 0)
        assert(!"this is what it is");
    if (strcmp(way, "abort-after-handler") == 0) {
        signal(SIGABRT, call_late_in_handler);
        abort();
    }
    if (strcmp(way, "abort-when-ignored") == 0) {
        signal(SIGABRT, SIG_IGN);
        abort();
    }
    if (strcmp(way, "daemon") == 0 && daemon(0, 0) == 0) {
        tally("main")->unfinished = tally("leave")->unfinished = 1;
        call_late();
        _exit(19);
    }
    if (strcmp(way, "exit-in-handler") == 0) {
        signal(SIGUSR1, exit_in_handler);
        raise(SIGUSR1);
    }
    if (strcmp(way, "_exit-in-handler") == 0) {
        signal(SIGUSR1, underscore_exit_in_handler);
        raise(SIGUSR1);
    }
    if (strcmp(way, "_exit-in-atexit") == 0) {
        atexit(underscore_exit);
        exit(16);
    }
    if (strcmp(way, "sigaction-in-atexit") == 0) {
        atexit(die_in_atexit);
        exit(17);
    }
    tally("main")->unfinished = tally("leave")->unfinished = 0;
}

int main(int argc, char **argv)
{
    struct tally *count = tally("work");

    (void)argc;
    printf("on stdout\n");
    fflush(stdout);
    fprintf(stderr, "on stderr\n");
    for (int i = 0; i < CALLS; i++) {
        work(i);
        count->completed++;
    }
    leave(argv[1]);
    tally("leave")->completed = tally("main")->completed = 1;
    return 18;
}
