// Forked children, programs started by exec, and daemons that outlive dftrace run have complete
// traces of their own. A daemon's trace is complete when the daemon has ended; dftrace run does not
// wait for that.
//
// RUN: mkdir spools && export DFTRACER_SPOOL_DIR=$PWD/spools
// RUN: printf 'first\nsecond\nchild\ndaemon_work\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o before && cp before after
//
// RUN: %dftrace run --no-report ./before exec ./after 2> err.txt
// RUN: %check-trace trace-after-*.pfw.gz --only second --count second=5
// RUN: %check-trace trace-before-*.pfw.gz --only first --count first=4
// RUN: gzip -dc trace-before-*.pfw.gz | grep -c unfinished | grep -qx 1
//
// RUN: %dftrace run --no-report -o fork ./before fork 2> err.txt
// RUN: %check-trace fork-before-*.pfw.gz --count first=3 --count child=200
// RUN: ls fork-before-*.pfw.gz | wc -l | grep -qx 21
// Not all traces are listed, but the one with most calls is.
// RUN: FileCheck %s --check-prefix=MANY < err.txt
// MANY-COUNT-9: dftrace: note: trace: {{.*}}/fork-before-{{[0-9]+}}.pfw.gz
// MANY-NEXT: dftrace: note: and 12 more: {{.*}}/fork-*
// MANY-NOT: {{.}}
// RUN: gzip -dc $(sed -n '1s/.*trace: //p' err.txt) | grep -c '"name":"child","cat"' | grep -qx 15
// RUN: test -z "$(ls -A spools)"
//
// By a pipe that the daemon does not have, nor may what stays behind with it.
// RUN: mkfifo go done
// RUN: %dftrace run --no-report -o d ./before daemon 2>&1 | FileCheck %s
// CHECK: dftrace: note: before (pid {{[0-9]+}}) is still running
// RUN: ls spools | grep -q dftrace-run-
// RUN: echo > go && cat done
// RUN: timeout 60 bash -c 'until [ -z "$(ls -A spools)" ]; do sleep 0.01; done'
// RUN: %check-trace d-before-*.pfw.gz --only first daemon_work --count first=3 --count daemon_work=10
//
// A daemon that starts after the host has ended writes its trace itself.
// RUN: DFTRACER_LOG_FILE=$PWD/late %dftrace run --no-report ./before late ./after 2> err.txt
// RUN: echo > go && cat done
// RUN: timeout 60 bash -c 'until [ -z "$(ls -A spools)" ]; do sleep 0.01; done'
// RUN: %check-trace late-after-*.pfw.gz --only second --count second=5

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

static __attribute__((noinline)) void first(const char *program)
{
    sink++;
    if (program)
        execl(program, program, (char *)NULL);
}

static __attribute__((noinline)) void second(int x)
{
    sink = -x;
}

static __attribute__((noinline)) void child(int x)
{
    sink = x;
}

static __attribute__((noinline)) void daemon_work(int x)
{
    sink = x;
}

static void wait_for_go(void)
{
    FILE *go = fopen("go", "r");

    fgetc(go);
    fclose(go);
}

/* Detached from everything, as daemons are. */
static int become_daemon(void)
{
    if (fork() != 0)
        return 0;
    setsid();
    freopen("/dev/null", "r", stdin);
    freopen("/dev/null", "w", stdout);
    freopen("/dev/null", "w", stderr);
    alarm(60);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        for (int i = 0; i < 5; i++)
            second(i);
        return 0;
    }
    if (strcmp(argv[1], "late") == 0) {
        /* Traced from its first call on, which comes after all others have ended. */
        if (become_daemon()) {
            wait_for_go();
            fopen("done", "w"); /* closed when the next program has ended */
            execl(argv[2], argv[2], (char *)NULL);
        }
        return 0;
    }
    for (int i = 0; i < 3; i++)
        first(NULL);
    if (strcmp(argv[1], "exec") == 0)
        first(argv[2]);
    if (strcmp(argv[1], "fork") == 0) {
        for (int i = 0; i < 20; i++)
            if (fork() == 0) {
                int calls = i == 13 ? 15 : i == 14 ? 5 : 10;
                for (int j = 0; j < calls; j++)
                    child(j);
                return 0;
            }
        while (wait(NULL) > 0)
            ;
    }
    int called[2]; /* closed once the daemon has made its first calls */
    char nothing;
    if (pipe(called) != 0)
        return 1;
    if (strcmp(argv[1], "daemon") == 0 && become_daemon()) {
        for (int i = 0; i < 5; i++)
            daemon_work(i);
        close(called[1]);
        wait_for_go();
        for (int i = 0; i < 5; i++)
            daemon_work(i);
        FILE *done = fopen("done", "w");
        fclose(done);
        return 0;
    }
    close(called[1]);
    return (int)read(called[0], &nothing, 1);
}
