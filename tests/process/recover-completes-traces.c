// dftrace recover: lists the spools that were left, completes traces in place or in a given
// directory, refuses spools in use and files that are no spools, and leaves nothing behind.
//
// RUN: mkdir spools && export DFTRACER_SPOOL_DIR=$PWD/spools
// RUN: printf 'work\nwaiting\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: %dftrace recover | FileCheck %s --check-prefix=NOTHING
// NOTHING: no program has left a spool in {{.*}}/spools
//
// The spool of a running program: refused if it is named, otherwise skipped.
// RUN: mkfifo ready
// RUN: DFTRACER_ENABLE=1 DFTRACER_WRITE_BUFFER_SIZE=64k ./prog 20000 & read pid < ready
// RUN: not %dftrace recover spools/dftrace-$pid-* 2> err.txt && FileCheck %s < err.txt --check-prefix=ALIVE
// RUN: %dftrace recover && %dftrace recover --list
// RUN: kill -KILL $pid; wait $! || true
// ALIVE: dftrace: spools/dftrace-{{.*}}: its process is running
// RUN: %dftrace recover --list > list.txt
// RUN: FileCheck %s < list.txt --check-prefix=LIST
// LIST:      STARTED PID SIZE CALLS PROGRAM SPOOL
// LIST-NEXT: 20{{[0-9-]+ [0-9:]+ +[0-9]+ +[0-9]+k +[0-9]+}} prog {{.*}}/spools/dftrace-
// RUN: %dftrace recover | FileCheck %s --check-prefix=DONE
// DONE: prog (pid {{[0-9]+}}): 20001 calls in {{.*}}/trace-prog-{{[0-9]+}}.pfw.gz
// RUN: %check-trace trace-prog-*.pfw.gz --count work=20000 --count waiting=1 && rm trace-*
// RUN: test -z "$(ls -A spools)"
//
// In another directory; and when the first part of the trace is gone.
// RUN: mkdir moved
// RUN: DFTRACER_ENABLE=1 DFTRACER_WRITE_BUFFER_SIZE=64k ./prog 20000 & read pid < ready; kill -KILL $pid; wait $! || true
// RUN: %dftrace recover -o moved/m spools/dftrace-* | FileCheck %s --check-prefix=MOVED
// MOVED: prog (pid {{[0-9]+}}): 20001 calls in {{.*}}/moved/m-prog-{{[0-9]+}}.pfw.gz
// RUN: %check-trace moved/m-prog-*.pfw.gz --count work=20000 && not ls trace-*
// RUN: DFTRACER_ENABLE=1 DFTRACER_WRITE_BUFFER_SIZE=64k ./prog 20000 & read pid < ready
// RUN: until [ -s trace-prog-*.pfw.gz ]; do sleep 0.01; done; kill -KILL $pid; wait $! || true
// RUN: rm trace-*
// RUN: %dftrace recover 2> err.txt && FileCheck %s < err.txt --check-prefix=LOST
// LOST: dftrace: warning: {{.*}}: the part of this trace that had been written before is gone
// RUN: %check-trace trace-prog-*.pfw.gz && rm trace-*
//
// Twice at the same time: the second finds the spool locked or gone; the trace is complete.
// RUN: DFTRACER_ENABLE=1 ./prog 50000 & read pid < ready; kill -KILL $pid; wait $! || true
// RUN: %dftrace recover & %dftrace recover; wait $!
// RUN: %check-trace trace-prog-*.pfw.gz --count work=50000 && rm trace-*
//
// Files that are no spools.
// RUN: head -c 100000 /dev/urandom > spools/dftrace-1-random && touch spools/dftrace-999999999-empty
// RUN: mkfifo spools/dftrace-1-fifo && ln -s /etc/passwd spools/dftrace-1-link
// RUN: %dftrace recover > out.txt && test ! -e spools/dftrace-999999999-empty
// RUN: for name in random fifo link; do not %dftrace recover spools/dftrace-1-$name 2>> err.txt; done
// RUN: grep -c 'not a spool of dftrace' err.txt | grep -qx 3
// RUN: not %dftrace recover no/such/file && rm spools/dftrace-1-* && rmdir spools

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static __attribute__((noinline)) void waiting(void)
{
    FILE *ready = fopen("ready", "w");

    fprintf(ready, "%d\n", (int)getpid());
    fclose(ready);
    alarm(60);
    pause();
}

int main(int argc, char **argv)
{
    int calls = argc > 1 ? atoi(argv[1]) : 0;

    for (int i = 0; i < calls; i++)
        work(i);
    waiting();
    return 0;
}
