// A handler with SA_ONSTACK runs on the thread's own stack with all its room, as long as the
// program has set no alternate stack, and on the program's alternate stack from then on. What the
// program is told about its handlers is always the same.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 -pthread %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: %check-death ./prog deep thread one-shot ignored set
// RUN: mkdir static && %cc -O2 -static -pthread %support %plugin %allow=allow.txt %s -o static/prog -L%libdir -l:libdftrace.a
// RUN: cd static && %check-death ./prog deep thread one-shot ignored set

#include "death.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#define DEEP (1u << 20) /* fits on a thread's stack, but not on our alternate stack */

static volatile int sink;
static char alternate[256 << 10];
static volatile int on_alternate;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static void call_work(void)
{
    work(1);
    __atomic_fetch_add(&tally("work")->completed, 1, __ATOMIC_SEQ_CST);
}

static void shallow(int number)
{
    char here = (char)number;

    on_alternate = &here >= alternate && &here < alternate + sizeof alternate;
    call_work();
}

static void deep(int number)
{
    volatile char room[DEEP];

    for (unsigned i = 0; i < DEEP; i += 4096)
        room[i] = (char)number;
    sink = room[DEEP / 2];
    shallow(number);
}

static void print_flags(int number)
{
    struct sigaction present;

    sigaction(number, NULL, &present);
    dprintf(1, "signal %d: handler %d, stack %d, once %d\n", number, present.sa_handler == deep,
            (present.sa_flags & SA_ONSTACK) != 0, (present.sa_flags & SA_RESETHAND) != 0);
}

static void install(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | flags}, old;

    sigaction(number, &action, &old);
    dprintf(1, "before: default %d, stack %d\n", old.sa_handler == SIG_DFL,
            (old.sa_flags & SA_ONSTACK) != 0);
}

static void *raise_in_thread(void *unused)
{
    call_work();
    raise(SIGUSR1);
    return unused;
}

int main(int argc, char **argv)
{
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    pthread_t thread;

    (void)argc;
    call_work();
    install(SIGUSR1, deep, strcmp(argv[1], "one-shot") == 0 ? (int)SA_RESETHAND : 0);
    install(SIGCHLD, deep, 0);
    print_flags(SIGUSR1);
    print_flags(SIGCHLD);
    if (strcmp(argv[1], "thread") == 0) {
        pthread_create(&thread, NULL, raise_in_thread, NULL);
        pthread_join(thread, NULL);
    }
    if (strcmp(argv[1], "ignored") == 0) {
        signal(SIGUSR1, SIG_IGN);
        signal(SIGCHLD, SIG_IGN);
    } else if (strcmp(argv[1], "set") == 0) {
        install(SIGUSR1, shallow, 0);
        sigaltstack(&stack, NULL);
        print_flags(SIGUSR1);
    }
    raise(SIGUSR1);
    if (strcmp(argv[1], "set") != 0)
        raise(SIGCHLD);
    print_flags(SIGUSR1);
    print_flags(SIGCHLD);
    dprintf(1, "on the alternate stack: %d\n", on_alternate);
    tally("main")->completed++;
    return 0;
}
