// DFTRACER_BUDGET, [aggregate], DFTRACER_MIN_DURATION and a full spool apply to the functions of an interpreter as to all others:
// hot functions are throttled, and counts are exact, also with threads and with recursion. `dftrace ctl` may name functions later:
// the interpreter is told.
//
// RUN: printf 'fun:guest_*\n[sample]\nguest_sampled\n' > allow.txt
// RUN: %cc -O2 -pthread -I%include %support %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1 DFTRACER_ALLOWLIST=$PWD/allow.txt
// RUN: counts="--count guest_hot=404000 --count guest_rare=8 --count guest_sampled=8"
// RUN: DFTRACER_BUDGET=0.01%% ./prog && %check-trace trace-*.pfw.gz $counts
// RUN: zcat trace-*.pfw.gz | grep -c '"name":"counted".*guest_hot' | grep -x 1
// RUN: zcat trace-*.pfw.gz | grep '"calls of guest_hot".*"estimated_us"' > /dev/null
// RUN: zcat trace-*.pfw.gz | grep -c '"name":"guest_rare","cat":"FUNC","ph":"X"' | grep -x 8
// RUN: zcat trace-*.pfw.gz | grep -c '"name":"guest_sampled".*"rss_kb"' | grep -x 8
// RUN: rm trace-* && DFTRACER_BUDGET=0.01%% %dftrace run --no-report ./prog && %check-trace trace-*.pfw.gz $counts
// RUN: rm trace-* && DFTRACER_AGGREGATE=all ./prog && %check-trace trace-*.pfw.gz $counts
// RUN: rm trace-* && DFTRACER_MIN_DURATION=1s ./prog && %check-trace trace-*.pfw.gz $counts
// RUN: rm trace-* && DFTRACER_SPOOL_MAX=512k ./prog && %check-trace trace-*.pfw.gz $counts
// RUN: rm trace-* && printf '[aggregate]\nguest_hot\n[trace]\nguest_rare\n' > allow.txt && ./prog
// RUN: %check-trace trace-*.pfw.gz --count guest_hot=404000 --count guest_rare=8 --count guest_sampled=0
// RUN: zcat trace-*.pfw.gz | not grep '"name":"guest_hot","cat":"FUNC","ph":"X"'

#include "guest.h"

#include <pthread.h>

#define ROUNDS 2
#define THREADS 4
#define CALLS 50000
#define DEPTH 2000

static struct dftrace_site *hot, *rare, *sampled;

static void call(struct dftrace_site *site)
{
    if (!site)
        return;
    __dftrace_guest_enter(site, LOOP_FRAME());
    __dftrace_guest_exit(site);
}

static void *run(void *unused)
{
    for (int i = 0; i < CALLS; i++)
        call(hot);
    call(rare);
    call(sampled);
    return unused;
}

static NOINLINE void recurse(void)
{
    for (int i = 0; i < DEPTH; i++)
        __dftrace_guest_enter(hot, LOOP_FRAME());
    for (int i = 0; i < DEPTH; i++)
        __dftrace_guest_exit(hot);
}

int main(void)
{
    struct dftrace_guest guest = describe("guest_sampled");
    pthread_t threads[THREADS];

    if (!__dftrace_guest_wanted(NULL))
        return 1;
    hot = new_site("guest_hot");
    rare = new_site("guest_rare");
    sampled = __dftrace_guest_site(&guest);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < THREADS; i++)
            if (pthread_create(&threads[i], NULL, run, NULL) != 0)
                return 1;
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        recurse();
    }
    return 0;
}
