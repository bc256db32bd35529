/*
 * What a traced call costs, beside a plain one and beside the limit.
 *
 * The variants take turns within one process, so that a noisy machine hits all of them alike; time
 * is the calling thread's CPU time, and of all rounds the fastest counts. Run it with
 * DFTRACER_ENABLE=1 for the cost of tracing and without for the cost of being instrumented.
 */
#include "bench/calls.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 12
#define CALLS 1500000u

enum { PLAIN, LIMIT, TRACED, VARIANTS };
static const char *const variant_names[VARIANTS] = {"plain", "limit", "traced"};

typedef uint64_t work(uint64_t calls);
static work *const leaf[VARIANTS] = {plain_leaf_loop, limit_leaf_loop, traced_leaf_loop};
static work *const fib[VARIANTS] = {plain_fib_loop, limit_fib_loop, traced_fib_loop};

static volatile uint64_t sink;

static double measure(work *function)
{
    struct timespec before, after;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    sink += function(CALLS);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    return ((double)(after.tv_sec - before.tv_sec) * 1e9 +
            (double)(after.tv_nsec - before.tv_nsec)) /
           CALLS;
}

static void measure_all(work *const functions[VARIANTS], double best[VARIANTS])
{
    for (int v = 0; v < VARIANTS; v++)
        best[v] = 1e9;
    for (int round = 0; round < ROUNDS; round++)
        for (int v = 0; v < VARIANTS; v++) {
            double ns = measure(functions[v]);
            if (ns < best[v])
                best[v] = ns;
        }
}

struct job {
    work *const *functions;
    double best[VARIANTS];
};

static void *run_job(void *argument)
{
    struct job *job = argument;

    measure_all(job->functions, job->best);
    return NULL;
}

static void print(const char *what, const double best[VARIANTS])
{
    for (int v = 0; v < VARIANTS; v++)
        printf("%s %s %.3f\n", what, variant_names[v], best[v]);
}

int main(void)
{
    struct job jobs[2] = {{.functions = leaf}, {.functions = leaf}};
    struct job alone[2] = {{.functions = leaf}, {.functions = fib}};
    pthread_t threads[2];

    run_job(&alone[0]);
    print("leaf", alone[0].best);
    run_job(&alone[1]);
    print("fib", alone[1].best);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, run_job, &jobs[i]) != 0)
            return EXIT_FAILURE;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int v = 0; v < VARIANTS; v++)
        if (jobs[1].best[v] > jobs[0].best[v])
            jobs[0].best[v] = jobs[1].best[v];
    print("threads", jobs[0].best);
    return EXIT_SUCCESS;
}
