// dftrace_instant: in any thread, in signal handlers that interrupt each other's events, in forked children, up to a SIGKILL; every
// instant is in the trace, or counted as dropped. More names than the site table takes, long ones and strange ones are kept.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD
// RUN: echo work > allow.txt
// RUN: %cc -O2 -pthread -I%include %plugin %allow=allow.txt %s -o prog %lib
// RUN: instants() { zcat $1 | grep '"ph":"i","s":"t"' | grep -c "\"name\":\"$2\"" || true; }
//
// Without a runtime, or not traced, it does nothing.
// RUN: %cc -O2 -pthread -I%include %s -o plain && ./plain names && ./prog names && test -z "$(ls | grep pfw)"
//
// RUN: export DFTRACER_ENABLE=1
// RUN: timeout -s KILL 60 ./prog storm > counts.txt && %check-trace trace-prog-*.pfw.gz --count work=$(cut -d' ' -f3 counts.txt)
// RUN: test $(instants 'trace-*.gz' loop) = $(cut -d' ' -f1 counts.txt) && test $(instants 'trace-*.gz' handler) = $(cut -d' ' -f2 counts.txt)
// RUN: %dftrace report trace-prog-*.pfw.gz | grep work && rm trace-*
//
// Handlers that fill whole chunks while an event is being recorded.
// RUN: DFTRACER_SPOOL_MAX=512k timeout -s KILL 60 ./prog storm > counts.txt && %check-trace trace-prog-*.pfw.gz --count work=$(cut -d' ' -f3 counts.txt)
// RUN: test $(instants 'trace-*.gz' handler) = $(cut -d' ' -f2 counts.txt) && rm trace-*
//
// RUN: ./prog fork > pids.txt && test $(instants trace-prog-$(sed -n 1p pids.txt).pfw.gz child) = 3
// RUN: test $(instants trace-prog-$(sed -n 2p pids.txt).pfw.gz parent) = 2 && rm trace-*
//
// RUN: ./prog kill || true
// RUN: %dftrace recover dftrace-* > /dev/null && %check-trace trace-prog-*.pfw.gz && test $(instants 'trace-*.gz' before) = 30000 && rm trace-*
//
// RUN: DFTRACER_WHEN_FULL=drop DFTRACER_SPOOL_MAX=256k ./prog drop
// RUN: dropped=$(zcat trace-* | sed -n 's/.*"name":"end".*"dropped":\([0-9]*\).*/\1/p'); test $(($(instants 'trace-*.gz' before) + dropped)) = 600000 && rm trace-*
//
// RUN: ./prog names && %check-trace trace-prog-*.pfw.gz && test $(instants 'trace-*.gz' 'name [0-9]*') = 70000
// RUN: test $(zcat trace-* | grep -o '"name":"name [0-9]*"' | sort -u | wc -l) = 70000
// RUN: test $(zcat trace-* | grep -o '"name":"x*"' | wc -c) = 1010
// RUN: zcat trace-* | grep -F '"name":"say \"hi\"\\ \u000a"' && test -z "$(zcat trace-* | grep unheard)"

#include <dftrace/dftrace.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Handlers interrupt each other while they count. */
static _Atomic int handled, calls, stop;

__attribute__((noinline)) void work(void)
{
    calls++;
}

static void handle(int number)
{
    (void)number;
    for (int i = 0; i < 50; i++) {
        dftrace_instant("handler");
        handled++;
    }
    work();
}

/* Signals of two kinds, which interrupt each other, all on the main thread. */
static void *annoy(void *target)
{
    while (!stop) {
        pthread_kill(*(pthread_t *)target, SIGUSR1);
        pthread_kill(*(pthread_t *)target, SIGUSR2);
        usleep(50);
    }
    return NULL;
}

static int storm(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_NODEFER | SA_RESTART};
    pthread_t self = pthread_self(), other;

    sigaction(SIGUSR1, &action, NULL);
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR2, &action, NULL);
    pthread_create(&other, NULL, annoy, &self);
    int loops = 0;
    while (loops < 60000 || handled < 5000) {
        dftrace_instant("loop");
        if (loops++ % 16 == 0)
            work();
        if (loops > 60000)
            usleep(20);
    }
    stop = 1;
    pthread_join(other, NULL);
    signal(SIGUSR1, SIG_IGN);
    signal(SIGUSR2, SIG_IGN);
    printf("%d %d %d\n", loops, (int)handled, (int)calls);
    return 0;
}

static int fork_once(void)
{
    dftrace_instant("parent");
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 3; i++)
            dftrace_instant("child");
        _exit(0);
    }
    waitpid(child, NULL, 0);
    dftrace_instant("parent");
    printf("%d\n%d\n", (int)child, (int)getpid());
    return 0;
}

static int use_names(void)
{
    char name[4000];

    for (int i = 0; i < 70000; i++) {
        snprintf(name, sizeof name, "name %d", i);
        dftrace_instant(name);
    }
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    dftrace_instant(name);
    dftrace_instant("say \"hi\"\\ \n");
    dftrace_pause();
    dftrace_instant("unheard");
    return 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";

    if (strcmp(mode, "storm") == 0)
        return storm();
    if (strcmp(mode, "fork") == 0)
        return fork_once();
    if (strcmp(mode, "names") == 0)
        return use_names();
    for (int i = 0; i < (strcmp(mode, "kill") == 0 ? 30000 : 600000); i++)
        dftrace_instant("before");
    if (strcmp(mode, "kill") == 0)
        kill(getpid(), SIGKILL);
    return 0;
}
