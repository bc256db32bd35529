// DFTRACER_MIN_DURATION: calls that are shorter have no events, but their count, total, minimum and
// maximum are exact. Longer calls have their own events, as have sampled and unfinished ones of any
// length. The trace is much smaller.
//
// RUN: printf 'main\nquick\nslow\nlast\n[sample]\nsampled\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1
//
// A call of quick may be a long one: where another program has the processor meanwhile.
// RUN: DFTRACER_MIN_DURATION=2ms ./prog > made.txt
// RUN: %check-trace trace-prog-*.pfw.gz
// RUN: %same-totals trace-prog-*.pfw.gz < made.txt
// RUN: zcat trace-prog-*.pfw.gz | FileCheck %s
// CHECK: "name":"calls of quick","cat":"FUNC","ph":"C"
// CHECK-SAME: "file":"{{.*}}short-calls-are-aggregated.c","line":{{[0-9]+}},"ts":
// CHECK-SAME: "args":{"count":{{[0-9]+}},"total_us":{{[0-9.]+}},
// CHECK-SAME: "min_us":{{[0-9.]+}},"max_us":{{[0-9.]+}},"self_us":{{[0-9.]+}}}
// RUN: test $(zcat trace-prog-*.pfw.gz | grep -c '"name":"quick"') -lt 1000
// RUN: zcat trace-prog-*.pfw.gz | grep '"name":"last".*"unfinished":true'
// RUN: zcat trace-prog-*.pfw.gz | grep -c '"name":"sampled".*"cpu_us"' | grep -x 5
// RUN: %dftrace report trace-prog-*.pfw.gz | FileCheck %s --check-prefix=REPORT
// REPORT: recorded   400{{[0-9]+}} calls of 5 functions
// REPORT: aggregated {{[0-9]+}} calls have no event: they are in the table
//
// Without the option all are there; with a limit that no call reaches, none is but the open ones.
// RUN: rm trace-* && ./prog > made.txt && %check-trace trace-prog-*.pfw.gz --count quick=40000 --count slow=3
// RUN: zcat trace-prog-*.pfw.gz | not grep 'calls of'
// RUN: rm trace-* && DFTRACER_MIN_DURATION=3600s ./prog > made.txt
// RUN: printf 'quick 40000 0\nslow 3 0\nmain 1 1\nlast 1 1\nsampled 5 5\n' | %same-totals trace-prog-*.pfw.gz
//
// There is one aggregate per function and interval: a long interval has few of them.
// RUN: rm trace-* && DFTRACER_MIN_DURATION=1s DFTRACER_TRACE_INTERVAL_MS=3600000 ./prog > made.txt
// RUN: test $(zcat trace-prog-*.pfw.gz | grep -c 'calls of slow') -le 2
// RUN: rm trace-* && DFTRACER_MIN_DURATION=1s DFTRACER_TRACE_INTERVAL_MS=1 ./prog > made.txt
// RUN: zcat trace-prog-*.pfw.gz | grep -c 'calls of slow' | grep -x 3
// RUN: printf 'quick 40000 0\nslow 3 0\n' | %same-totals trace-prog-*.pfw.gz

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define CALLS 10000
#define LONG_NS 3000000

static volatile int sink;

static __attribute__((noinline)) void quick(int x)
{
    sink = x;
}

static __attribute__((noinline)) void sampled(int x)
{
    sink = x;
}

static __attribute__((noinline)) void slow(void)
{
    nanosleep(&(struct timespec){0, LONG_NS}, NULL);
}

static __attribute__((noinline)) void last(void)
{
    _exit(0);
}

static void *work(void *unused)
{
    for (int i = 0; i < CALLS; i++)
        quick(i);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        slow();
    for (int i = 0; i < 5; i++)
        sampled(i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("quick %d\nslow 3 3\nsampled 5 5\nmain 1 1\nlast 1 1\n", THREADS * CALLS);
    fflush(stdout);
    last();
    return 0;
}
