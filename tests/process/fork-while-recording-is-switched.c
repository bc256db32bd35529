// A program forks while its threads pause, resume, disable and enable recording, and while dftrace
// ctl switches it on and off and sets allowlists. No child hangs. Each child walks over the
// modules, loads a library, allocates and exits. Children of _Fork and of the system call only use
// the API.
//
// DFTRACE_STRESS_FORKS=100000 makes it a long test.
//
// RUN: mkdir spools && export DFTRACER_SPOOL_DIR=$PWD/spools DFTRACER_ENABLE=attach
// RUN: forks=${DFTRACE_STRESS_FORKS:-300}
// RUN: printf 'main\nfun:work*\nmore\n' > allow.txt && printf 'fun:*\n[never]\nwork\n' > other.txt
// RUN: %cc -O2 -fPIC -shared %plugin %allow=allow.txt %S/Inputs/more.c -o more.so
// RUN: %cc -O2 -pthread %support -I%include %plugin %allow=allow.txt %s -o prog %lib
// RUN: ./prog $forks %dftrace > pid.txt && %check-trace trace-prog-$(cat pid.txt).pfw.gz
// RUN: find . -name 'trace-*' -delete && test -z "$(ls -A spools)"
//
// RUN: %cc -O2 -fPIC -shared -finstrument-functions %S/Inputs/more.c -o more.so
// RUN: %cc -O2 -pthread %support -I%include -finstrument-functions %s -o other %lib
// RUN: DFTRACER_ALLOWLIST=allow.txt ./other $forks %dftrace > pid.txt
// RUN: %check-trace trace-other-$(cat pid.txt).pfw.gz
// RUN: find . -name 'trace-*' -delete && test -z "$(ls -A spools)"

#define _GNU_SOURCE
#include "forked.h"

#include <pthread.h>
#include <spawn.h>

#define THREADS 3
#define SELDOM 20 /* one in so many children makes a traced call and has a trace */

extern char **environ;
static volatile int sink, ending;
static char *tool;

__attribute__((noinline)) static void work(int x)
{
    sink = x;
}

UNTRACED static void *pause_and_resume(void *argument)
{
    while (!ending) {
        dftrace_pause();
        work(1);
        dftrace_resume();
        work(2);
        usleep(100);
    }
    return argument;
}

UNTRACED static void *disable_and_enable(void *argument)
{
    while (!ending) {
        dftrace_disable("work");
        work(3);
        dftrace_enable("work");
        work(4);
        usleep(100);
    }
    return argument;
}

UNTRACED static void ask(char *what, char *list)
{
    char pid[20];
    char *words[] = {"dftrace", "ctl", pid, what, list, NULL};
    pid_t client;

    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (posix_spawn(&client, tool, NULL, NULL, words, environ) != 0 || !child_succeeds(client))
        abort();
}

UNTRACED static void *steer(void *argument)
{
    while (!ending) {
        ask("on", NULL);
        ask("set", "other.txt");
        ask("off", NULL);
        ask("status", NULL);
        ask("set", "allow.txt");
    }
    ask("on", NULL);
    work(5);
    return argument;
}

/* The program's own atfork handlers make calls and use the API, too, before and after ours. */
UNTRACED static void call_and_switch(void)
{
    work(6);
    dftrace_pause();
    dftrace_resume();
}

UNTRACED static void only_switch(void)
{
    dftrace_pause();
    dftrace_resume();
}

UNTRACED static void register_early(void)
{
    pthread_atfork(call_and_switch, only_switch, only_switch);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const before_constructors)(void) = register_early;

/* A child of _Fork or of the system call may call little more than our API. */
UNTRACED static pid_t fork_in_some_way(long number)
{
    pid_t child;

    if (number % SELDOM == 1)
        child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    else if (number % SELDOM == 2)
        child = _Fork();
    else
        child = fork();
    if (child == 0 && number % SELDOM != 1 && number % SELDOM != 2)
        use_everything("./more.so", number % SELDOM == 0);
    if (child == 0) {
        alarm(HUNG_AFTER_S);
        dftrace_pause();
        dftrace_resume();
        _exit(0);
    }
    return child;
}

int main(int argc, char **argv)
{
    long forks = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    pthread_t threads[THREADS];
    int failed = 0;

    tool = argv[2];
    prepare_children();
    pthread_atfork(call_and_switch, only_switch, only_switch);
    printf("%d\n", (int)getpid());
    if (!freopen("/dev/null", "w", stdout)) /* the other lines are printed by dftrace ctl */
        return 2;
    pthread_create(&threads[0], NULL, pause_and_resume, NULL);
    pthread_create(&threads[1], NULL, disable_and_enable, NULL);
    pthread_create(&threads[2], NULL, steer, NULL);
    for (long i = 0; i < forks && !failed; i++) {
        pid_t child = fork_in_some_way(i);
        failed = child < 0 || !child_succeeds(child);
        alarm(2 * HUNG_AFTER_S);
    }
    ending = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return failed;
}
