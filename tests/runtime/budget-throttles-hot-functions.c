// DFTRACER_BUDGET: after a while, a short function that is called very often is throttled: its
// calls are counted instead of recorded. Functions that are called now and then are not affected.
// Counts are exact, with threads that come and go, two units that share an inline function, both
// kinds of hooks, and a writer in another process. Trace and report show when and why a function
// was throttled, and that its total is an estimate.
//
// RUN: printf 'main\nhot\nshared\nrare\n[sample]\nsampled\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt -c %s -o one.o
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt -DSECOND -c %s -o two.o
// RUN: %cc -O2 -pthread -mcmodel=large %plugin %allow=allow.txt -DSECOND -c %s -o large.o
// RUN: %cc -pthread one.o two.o -o prog %lib && %cc -pthread one.o large.o -o mixed %lib
// RUN: export DFTRACER_ENABLE=1
// RUN: counts="--count hot=400000 --count shared=800000 --count rare=8 --count sampled=8 --count main=1"
//
// RUN: DFTRACER_BUDGET=0.01%% ./prog && %check-trace trace-*.pfw.gz $counts
// RUN: printf 'hot 400000\nshared 800000\nrare 8 8\nsampled 8 8\nmain 1 1\n' | %same-totals trace-*.pfw.gz
// RUN: zcat trace-*.pfw.gz | FileCheck %s --check-prefix=TRACE
// TRACE: "name":"start"{{.*}}"budget_pct":0.01,
// TRACE-SAME: "call_cost_ns":{{[0-9]+}},"count_cost_ns":{{[0-9]+}}
// TRACE: "name":"counted","cat":"dftrace","ph":"i","s":"p",
// TRACE-SAME: "args":{"function":"{{hot|shared}}","category":"FUNC","file":"
// TRACE-SAME: "calls":{{[0-9]+}},"calls_us":{{[0-9.]+}},
// TRACE-SAME: "cost_us":{{[0-9.]+}},"cpu_us":{{[0-9.]+}}}
// RUN: zcat trace-*.pfw.gz | grep -c '"estimated_us"' | grep -x 2
// RUN: %dftrace report trace-*.pfw.gz | FileCheck %s --check-prefix=REPORT
// REPORT: recorded   1200017 calls of 5 functions, 1 process
// REPORT: aggregated {{[0-9]+}} calls have no event: they are in the table
// REPORT-NEXT: {{[0-9]+}} of them were counted, not timed: times with ~
// REPORT-NEXT: counted {{.*}} from {{[0-9.]+[^ ]*s}} on: recording {{[0-9]+}} calls cost
// REPORT-DAG: {{ ~[0-9.]+[^ ]*s +~[0-9.]+[^ ]*s +400000 +~.*}}hot
// REPORT-DAG: {{ [0-9.]+[^ ]*s +[0-9.]+[^ ]*s +8 +[0-9].*}}rare
// RUN: %dftrace report --json trace-*.pfw.gz > report.json && %{python} -m json.tool report.json > /dev/null
// RUN: grep '"switched":\[{"function":' report.json && grep '"function":"hot".*"calls":400000.*"counted":[0-9]*,"estimated":true' report.json
//
// RUN: rm trace-* && DFTRACER_BUDGET=0.01%% ./mixed && %check-trace trace-*.pfw.gz $counts
// RUN: rm trace-* && DFTRACER_BUDGET=0.01%% %dftrace run --no-report ./prog && %check-trace trace-*.pfw.gz $counts
// RUN: rm trace-* && DFTRACER_BUDGET=0.01%% DFTRACER_AGGREGATE=all ./prog && %check-trace trace-*.pfw.gz $counts
//
// A budget that is large enough changes nothing.
// RUN: rm trace-* && DFTRACER_BUDGET=100%% ./prog rare && %check-trace trace-*.pfw.gz --count rare=8 --only main rare sampled
// RUN: zcat trace-*.pfw.gz | not grep 'calls of'
//
// With -finstrument-functions, calls are still recorded, but have no events.
// RUN: %cc -O2 -pthread -finstrument-functions -c %s -o one.o && %cc -O2 -pthread -finstrument-functions -DSECOND -c %s -o two.o
// RUN: %cc -pthread one.o two.o -o plain %lib
// RUN: rm trace-* && DFTRACER_ALLOWLIST=allow.txt DFTRACER_BUDGET=0.01%% ./plain && %check-trace trace-*.pfw.gz $counts
// RUN: zcat trace-*.pfw.gz | grep 'calls of hot' && zcat trace-*.pfw.gz | not grep estimated_us

#include <pthread.h>

#define ROUNDS 2
#define THREADS 4
#define CALLS 50000

void work_too(void);
static volatile int sink;

static __attribute__((noinline)) void shared(int x)
{
    sink = x;
}

#ifdef SECOND

void work_too(void)
{
    for (int i = 0; i < CALLS; i++)
        shared(i);
}

#else

static __attribute__((noinline)) void hot(int x)
{
    sink = x;
}

static __attribute__((noinline)) void rare(void)
{
    sink = 0;
}

static __attribute__((noinline)) void sampled(void)
{
    sink = 0;
}

static void *work(void *only_rare)
{
    rare();
    for (int i = 0; i < CALLS && !only_rare; i++) {
        hot(i);
        shared(i);
    }
    sampled();
    if (!only_rare)
        work_too();
    return only_rare;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, work, argc > 1 ? argv : NULL);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    return 0;
}

#endif
