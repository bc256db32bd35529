// A region may be recorded when it has ended: from a time that was noted before, or by its age. It nests with what was
// recorded meanwhile, in every format. What lies before the beginning of the trace, or in the future, is cut off.

// RUN: %cc -I%include %s -o prog
// RUN: ./prog
// RUN: for format in json perfetto dftracer; do \
// RUN:   DFTRACER_FORMAT=$format %dftrace run --no-report -o $format ./prog > result.txt && grep -x traced result.txt || exit 1; \
// RUN:   %dftrace report --json $format-prog-* > $format.report || exit 1; \
// RUN: done
// RUN: for format in json perfetto dftracer; do %{python} -c 'import json, sys; \
// RUN:   calls = {f["function"]: f["calls"] for f in json.load(open(sys.argv[1]))["functions"]}; \
// RUN:   assert calls == {"noted": 1, "inside": 3, "old": 4, "others": 70000}, calls' $format.report || exit 1; done
// RUN: zcat json-prog-*.pfw.gz | grep -F '"name":"old"' > old.txt
// RUN: %{python} -c 'import json; events = [json.loads(line) for line in open("old.txt")]; \
// RUN:   durations = [e["dur"] for e in events]; \
// RUN:   assert durations[0] == 0 and 100 < durations[1] < 400 and durations[3] == 0 and events[1]["args"] == {"n": 7}, events; \
// RUN:   assert all(e["ts"] >= events[0]["ts"] for e in events), events'

#include <dftrace/dftrace.h>

#include <stdio.h>
#include <time.h>

#define MS 1000000ull

static void pass(unsigned long long ns)
{
    struct timespec begin, now;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000ll + now.tv_nsec - begin.tv_nsec <
           (long long)ns);
}

static void record(const char *name, struct dftrace_past past, int n)
{
    struct dftrace_value value = {.key = "n", .type = DFTRACE_TYPE_INT, .as.number = n};

    if (__dftrace_region_past)
        __dftrace_region_past(__dftrace_event_find(name, "late"), &past, n ? &value : NULL, n != 0);
}

int main(void)
{
    struct dftrace_past noted = {.start = __dftrace_now ? __dftrace_now() : 0};

    for (int i = 0; i < 3; i++) {
        DFTRACE_SCOPE("inside");
        pass(MS / 10);
    }
    record("noted", noted, 0);
    record("old", (struct dftrace_past){.age_ns = UINT64_MAX, .duration_ns = 1}, 0);
    pass(MS);
    record("old", (struct dftrace_past){.age_ns = MS / 2, .duration_ns = MS / 5}, 7);
    record("old", (struct dftrace_past){.duration_ns = MS}, 0);
    record("old", (struct dftrace_past){0}, 0);
    for (int i = 0; i < 70000; i++)
        record("others", (struct dftrace_past){.start = noted.start ? __dftrace_now() : 0}, 0);
    puts(noted.start ? "traced" : "not traced");
    return 0;
}
