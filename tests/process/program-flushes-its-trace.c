// dftrace_flush returns when everything that was recorded before is in the trace file: with the writer in the process and below dftrace run, from
// several threads at once, and in a signal handler. The trace is complete at the end too. Paused or without a runtime, it returns at once.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD
// RUN: %cc -O2 -pthread -I%include %s -o prog %lib && %cc -O2 -pthread -I%include %s -o plain && ./plain
// RUN: DFTRACER_ENABLE=1 ./prog && %check-trace trace-* && %show-events trace-* | grep -c 'instant mark' | grep -x 400 && rm trace-*
// RUN: %dftrace run --no-report -- ./prog && %check-trace trace-* && %show-events trace-* | grep -c 'instant mark' | grep -x 400 && rm trace-*
// RUN: DFTRACER_START=paused DFTRACER_ENABLE=1 ./plain

#include <dftrace/dftrace.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define MARKS 100

static volatile sig_atomic_t handled;

/* How many marks of this thread are in the file now; -1 without a runtime. */
static int count_marks(long thread)
{
    char command[200], line[32] = "-1";

    if (!__dftrace_flush)
        return -1;
    snprintf(command, sizeof command,
             "zcat trace-*.gz | grep -c '\"name\":\"mark\".*\"thread\":%ld[,}]'", thread);
    FILE *pipe = popen(command, "r");
    if (!pipe || !fgets(line, sizeof line, pipe))
        return -2;
    pclose(pipe);
    return (int)strtol(line, NULL, 10);
}

static void *run(void *number)
{
    long thread = (long)(intptr_t)number;

    for (int i = 1; i <= MARKS; i++) {
        dftrace_instant("mark", "thread", thread, "i", i);
        if (i % 50 == 0) {
            dftrace_flush();
            int count = count_marks(thread);
            if (count != i && count != -1) {
                fprintf(stderr, "thread %ld: %d of %d marks are in the trace\n", thread, count, i);
                exit(1);
            }
        }
    }
    return NULL;
}

static void handle(int number)
{
    (void)number;
    dftrace_flush();
    handled = 1;
}

int main(void)
{
    pthread_t threads[THREADS];

    unsetenv("LD_PRELOAD"); /* of dftrace run: the shell and its programs are not meant */
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    return handled ? 0 : 1;
}
