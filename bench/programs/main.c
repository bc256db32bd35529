/*
 * Runs one workload and prints one line: nanoseconds per call, as wall time and as thread CPU time,
 * of the fastest repeat; number of calls; peak memory in KiB. With two threads, the slower one is
 * used.
 *
 * Compiled without instrumentation in every variant. It measures from inside, so that what a tracer
 * does before main, after it or in threads and processes of its own is not part of a call's cost.
 * It pauses between repeats, so that a tracer can empty its buffers and reuse them. With one
 * repeat, the figures include first-time costs such as page faults.
 */
#include "bench/programs/work.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_THREADS 2
#define PAUSE_NS 30000000
#define SHORT_LIVED_AT_ONCE 8
#define SHORT_LIVED_CALLS 5

struct workload {
    const char *name;
    uint64_t (*run)(uint64_t calls);
    int threads;
};

static void *live_shortly(void *unused)
{
    bench_leaf(SHORT_LIVED_CALLS);
    return unused;
}

/* Runs about `count` threads, a few at a time; returns how many there were. */
static uint64_t run_short_lived(uint64_t count)
{
    pthread_t threads[SHORT_LIVED_AT_ONCE];
    uint64_t done = 0;

    while (done < count) {
        int started = 0;
        while (started < SHORT_LIVED_AT_ONCE &&
               pthread_create(&threads[started], NULL, live_shortly, NULL) == 0)
            started++;
        for (int i = 0; i < started; i++)
            pthread_join(threads[i], NULL);
        if (started == 0)
            abort();
        done += (uint64_t)started;
    }
    return done;
}

static const struct workload workloads[] = {
    {"leaf", bench_leaf, 1},   {"fib", bench_fib, 1}, {"threads", bench_leaf, 2},
    {"mixed", bench_mixed, 1}, {"hot", bench_hot, 1}, {"short-lived", run_short_lived, 1},
};

struct job {
    const struct workload *workload;
    uint64_t calls, made;
    long repeats;
    double fastest, fastest_wall;
};

static double read_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void *run_job(void *argument)
{
    struct job *job = argument;

    for (long i = 0; i < job->repeats; i++) {
        if (i > 0)
            nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
        double wall_before = read_ns(CLOCK_MONOTONIC);
        double before = read_ns(CLOCK_THREAD_CPUTIME_ID);
        uint64_t made = job->workload->run(job->calls);
        double ns = (read_ns(CLOCK_THREAD_CPUTIME_ID) - before) / (double)made;
        double wall = (read_ns(CLOCK_MONOTONIC) - wall_before) / (double)made;
        job->made += made;
        if (i == 0 || ns < job->fastest)
            job->fastest = ns;
        if (i == 0 || wall < job->fastest_wall)
            job->fastest_wall = wall;
    }
    return NULL;
}

static int run_threads(struct job jobs[], int count)
{
    pthread_t threads[MAX_THREADS];
    int started = 0;

    while (started < count && pthread_create(&threads[started], NULL, run_job, &jobs[started]) == 0)
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return started == count ? 0 : -1;
}

static long read_peak_kib(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long peak = 0;

    if (status == NULL)
        return 0;
    while (fgets(line, sizeof(line), status) != NULL)
        if (strncmp(line, "VmHWM:", 6) == 0)
            peak = strtol(line + 6, NULL, 10);
    fclose(status);
    return peak;
}

static const struct workload *find_workload(const char *name)
{
    for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++)
        if (strcmp(workloads[i].name, name) == 0)
            return &workloads[i];
    return NULL;
}

int main(int argc, char **argv)
{
    struct job jobs[MAX_THREADS] = {{0}};
    const struct workload *workload = argc == 4 ? find_workload(argv[1]) : NULL;

    if (workload == NULL) {
        fprintf(stderr, "usage: %s leaf|fib|threads|mixed|hot|short-lived CALLS REPEATS\n",
                argv[0]);
        return EXIT_FAILURE;
    }
    for (int i = 0; i < workload->threads; i++) {
        jobs[i].workload = workload;
        jobs[i].calls = strtoull(argv[2], NULL, 10);
        jobs[i].repeats = strtol(argv[3], NULL, 10);
    }
    if (workload->threads == 1)
        run_job(&jobs[0]);
    else if (run_threads(jobs, workload->threads) != 0) {
        fprintf(stderr, "%s: cannot start a thread\n", argv[0]);
        return EXIT_FAILURE;
    }
    const struct job *slower = jobs[1].fastest > jobs[0].fastest ? &jobs[1] : &jobs[0];
    const struct job *longer = jobs[1].fastest_wall > jobs[0].fastest_wall ? &jobs[1] : &jobs[0];
    printf("%.3f %.3f %" PRIu64 " %ld\n", longer->fastest_wall, slower->fastest,
           jobs[0].made + jobs[1].made, read_peak_kib());
    return EXIT_SUCCESS;
}
