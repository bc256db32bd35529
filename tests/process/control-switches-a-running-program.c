// DFTRACER_ENABLE=attach: nothing is recorded until dftrace ctl asks for it. Recording is switched
// on and off a hundred times while threads make calls. Every call between an on and an off is in
// the trace, no other call is, and events nest.
//
// RUN: mkdir spools && export DFTRACER_SPOOL_DIR=$PWD/spools
// RUN: printf 'main\nwork\nfun:noise*\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: DFTRACER_ENABLE=attach ./prog %dftrace 100
// RUN: %check-trace trace-prog-*.pfw.gz --count work=10000 --count main=0 --only work noise noise_inside
// RUN: rm trace-* && test -z "$(ls -A spools)"
//
// Recording was never asked for: no spool, no trace, no message.
// RUN: DFTRACER_ENABLE=attach ./prog %dftrace 0 > out.txt 2>&1 && test ! -s out.txt && not ls trace-*
// RUN: test -z "$(ls -A spools)"
//
// The same with -finstrument-functions.
// RUN: %cc -O2 -pthread -finstrument-functions %s -o other
// RUN: LD_PRELOAD=%libdir/libdftrace.so DFTRACER_ENABLE=attach DFTRACER_ALLOWLIST=allow.txt ./other %dftrace 100
// RUN: %check-trace trace-other-*.pfw.gz --count work=10000 --count main=0 --only work noise noise_inside
// RUN: rm trace-* && test -z "$(ls -A spools)"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink, ending;
extern char **environ;

__attribute__((noinline)) static void work(int x)
{
    sink = x;
}

__attribute__((noinline)) static void noise_inside(int x)
{
    sink = x;
}

__attribute__((noinline)) static void noise(int x)
{
    noise_inside(x);
    noise_inside(x);
}

__attribute__((no_instrument_function)) static void *make_noise(void *argument)
{
    while (!ending) {
        for (int i = 0; i < 10; i++)
            noise(i);
        usleep(1000);
    }
    return argument;
}

__attribute__((no_instrument_function)) static void ask(const char *tool, const char *what)
{
    char pid[20];
    pid_t child;

    snprintf(pid, sizeof pid, "%d", (int)getpid());
    child = vfork();
    if (child == 0) {
        unsetenv("LD_PRELOAD");
        execl(tool, "dftrace", "ctl", pid, what, NULL);
        _exit(99);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
        abort();
}

int main(int argc, char **argv)
{
    int cycles = argc > 2 ? atoi(argv[2]) : 0;
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, make_noise, NULL);
    for (int i = 0; i < cycles; i++) {
        ask(argv[1], "on");
        for (int j = 0; j < 100; j++)
            work(j);
        ask(argv[1], "off");
        for (int j = 0; j < 100; j++)
            work(j);
    }
    ending = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
