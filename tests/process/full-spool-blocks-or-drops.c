// More calls than the spool holds: by default the program waits for the writer and no call is lost.
// With DFTRACER_WHEN_FULL=drop calls may be missing, and the trace says how many.
//
// RUN: echo work > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1 DFTRACER_SPOOL_MAX=1M
// RUN: ./prog && %check-trace trace-prog-*.pfw.gz --count work=150000
// RUN: rm trace-* && DFTRACER_WHEN_FULL=drop ./prog
// RUN: %check-trace trace-prog-*.pfw.gz --only work
// RUN: zcat trace-prog-*.pfw.gz > trace.json
// RUN: %{python} -c 'import json; events = json.load(open("trace.json")); \
// RUN:   kept = sum(event["name"] == "work" for event in events); \
// RUN:   end = next(event for event in events if event["name"] == "end" and event["cat"] == "dftrace"); \
// RUN:   assert kept + end["args"].get("dropped", 0) == 150000, (kept, end)'

#include <pthread.h>
#include <stddef.h>

static volatile int sink;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static void *run(void *argument)
{
    for (int i = 0; i < 75000; i++)
        work(i);
    return argument;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, run, NULL);
    run(NULL);
    return pthread_join(thread, NULL);
}
