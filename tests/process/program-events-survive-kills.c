// Processes that are killed at random moments while several threads use everything of dftrace.h: every event that the program had counted
// is in the trace, with its values.
//
// RUN: export DFTRACER_SPOOL_DIR=$PWD DFTRACER_SPOOL_MAX=4m
// RUN: %cc -O2 -pthread -I%include %s -o prog %lib
// RUN: for i in $(seq 100); do DFTRACER_ENABLE=1 ./prog counts $((1000 + i * i * 5)) || exit 1; \
// RUN:   if ls dftrace-* > /dev/null 2>&1; then %dftrace recover dftrace-* > /dev/null || exit 1; fi; \
// RUN:   %{python} %S/Inputs/compare-counted-events counts trace-*.pfw.gz && rm -f trace-* counts || exit 1; done
//
// The child of a process counts in shared memory; the process kills it and writes the counts to a file.

#include <dftrace/dftrace.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3

/* How many events of each kind a thread has finished. */
struct counts {
    volatile long scopes, values, begun, instants, counters, tracks, flows;
};

static struct counts *counts;
/* Regions of one track nest, whoever has begun them; so each thread has its own. */
static dftrace_track tracks[THREADS];

static void use_everything(struct counts *own, long thread, long i)
{
    {
        DFTRACE_SCOPE("scope");
    }
    own->scopes++;
    {
        DFTRACE_SCOPE("values", "thread", thread, "i", i, "text", "a text that needs several units",
                      "half", (double)i / 2);
    }
    own->values++;
    dftrace_begin("begun", "thread", thread, "i", i);
    dftrace_end();
    own->begun++;
    dftrace_instant("instant", "thread", thread, "i", i);
    own->instants++;
    dftrace_counter_add("counter", 1);
    own->counters++;
    dftrace_begin_on(tracks[thread], "on track", "thread", thread, "i", i);
    dftrace_end_on(tracks[thread]);
    own->tracks++;
    dftrace_flow_end(dftrace_flow_begin());
    own->flows++;
}

static void *run(void *number)
{
    long thread = (long)(intptr_t)number;

    for (long i = 0;; i++)
        use_everything(&counts[thread], thread, i);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        static const char *const names[THREADS] = {"first", "second", "third"};
        for (int i = 0; i < THREADS; i++)
            tracks[i] = dftrace_track_new(names[i]);
        for (intptr_t i = 1; i < THREADS; i++)
            pthread_create(&thread, NULL, run, (void *)i);
        run(NULL);
    }
    usleep((useconds_t)atoi(argv[2]));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    FILE *file = fopen(argv[1], "w");
    for (int i = 0; file && i < THREADS; i++)
        fprintf(file, "%ld %ld %ld %ld %ld %ld %ld\n", counts[i].scopes, counts[i].values,
                counts[i].begun, counts[i].instants, counts[i].counters, counts[i].tracks,
                counts[i].flows);
    return file ? fclose(file) : 1;
}
