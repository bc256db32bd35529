// dftrace run is three processes. If the front end is killed, the host completes the trace. If the
// host is killed, the program runs on and drops calls instead of waiting forever when the spool is
// full; dftrace recover completes its trace.
//
// RUN: mkdir spools && export DFTRACER_SPOOL_DIR=$PWD/spools
// RUN: printf 'work\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog
// RUN: mkfifo ready go done
//
// RUN: %dftrace run --no-report -o front ./prog 5000 2> err.txt & \
// RUN:   read host < ready && kill -KILL $! && echo > go && cat done
// RUN: timeout 60 bash -c 'until [ -z "$(ls -A spools)" ]; do sleep 0.01; done'
// RUN: %check-trace front-prog-*.pfw.gz --count work=10000
//
// RUN: %dftrace run -e SPOOL_MAX=256k --no-report -o host ./prog 60000 2> err.txt & \
// RUN:   read host < ready && kill -KILL $host && echo > go && cat done && wait $!
// RUN: FileCheck %s < err.txt
// CHECK: dftrace: the process that writes the traces cannot be reached; if it was ended, dftrace recover [[DIR:.*]] completes them
// RUN: %dftrace recover --list | FileCheck %s --check-prefix=LIST
// LIST:      STARTED PID SIZE CALLS PROGRAM SPOOL
// LIST-NEXT: 20{{.*}} prog {{.*}}/spools/dftrace-run-{{.*}}/dftrace-
// RUN: %dftrace recover | FileCheck %s --check-prefix=RECOVER
// RECOVER: prog (pid {{[0-9]+}}): {{[0-9]+}} calls in {{.*}}/host-prog-{{[0-9]+}}.pfw.gz
// RUN: %check-trace host-prog-*.pfw.gz --only work
// RUN: %dftrace report host-prog-*.pfw.gz | grep -q dropped
// RUN: test -z "$(ls -A spools)"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

/*
 * Makes calls, prints its host's pid, waits for a line of input, makes calls again, and prints that
 * it is done.
 */
int main(int argc, char **argv)
{
    int calls = argc > 1 ? atoi(argv[1]) : 0;

    alarm(90);
    for (int i = 0; i < calls; i++)
        work(i);
    FILE *ready = fopen("ready", "w");
    fprintf(ready, "%s\n", getenv("DFTRACER_HOSTED"));
    fclose(ready);
    FILE *go = fopen("go", "r");
    fgetc(go);
    fclose(go);
    for (int i = 0; i < calls; i++)
        work(i);
    FILE *done = fopen("done", "w");
    fclose(done);
    return 0;
}
