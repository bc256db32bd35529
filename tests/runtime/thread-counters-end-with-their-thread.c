// The CPU time of each thread, at intervals: of the main thread since the start of tracing; of a
// thread that has ended 0, not its last value.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_TRACE_INTERVAL_MS=5 DFTRACER_THREAD_COUNTERS=1
// RUN: for run in 'env DFTRACER_ENABLE=1' '%dftrace run --no-report'; do \
// RUN:   rm -f trace-*; $run ./prog > moments.txt && %check-trace trace-prog-*.pfw.gz --count main=1 --count work=1 && \
// RUN:   %{python} %S/Inputs/check-thread-counters.py trace-prog-*.pfw.gz moments.txt || exit 1; \
// RUN: done

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void spin(long ns)
{
    struct timespec now;

    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while (now.tv_sec == 0 && now.tv_nsec < ns);
}

static void print_moment(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%.3f\n", (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3);
}

__attribute__((noinline)) static void *work(void *unused)
{
    spin(100000000);
    usleep(300000); /* also a writer that seldom gets a processor reads the thread's time */
    return unused;
}

int main(void)
{
    pthread_t thread;

    spin(50000000);
    print_moment();
    if (pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    pthread_join(thread, NULL);
    usleep(30000);
    print_moment();
    spin(100000000);
    return 0;
}
