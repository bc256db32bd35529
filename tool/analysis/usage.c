/*
 * Adds up counters. The value of a counter is valid until the next counter of the same name, or
 * until the process ends.
 */
#include "tool/analysis/usage.h"

#include "tool/base/tool.h"

#include <stdlib.h>

struct dft_traced_process {
    int64_t pid;
    bool has_cpu;
    int64_t tenths; /* of a percent, from `since` on */
    int64_t since;
    int64_t latest;
};

struct key {
    const struct dft_usage *usage;
    int64_t pid;
};

static bool matches(const void *context, uint32_t number)
{
    const struct key *key = context;

    return key->usage->processes[number].pid == key->pid;
}

static struct dft_traced_process *find_process(struct dft_usage *usage, int64_t pid)
{
    struct key key = {usage, pid};
    uint64_t hash = dft_hash_number(1, (uint64_t)pid);
    uint32_t found = dft_index_find(&usage->index, hash, matches, &key);

    if (found == DFT_INDEX_NONE) {
        usage->processes =
            dft_tool_grow(usage->processes, usage->count, &usage->room, sizeof *usage->processes);
        found = (uint32_t)usage->count++;
        usage->processes[found] = (struct dft_traced_process){.pid = pid};
        dft_index_add(&usage->index, hash, found);
    }
    return &usage->processes[found];
}

/* Times come from untrusted files: a sum that overflows becomes the largest value. */
static void add_cpu(struct dft_usage *usage, const struct dft_traced_process *process,
                    int64_t until)
{
    __int128 ns = (__int128)process->tenths * ((__int128)until - process->since) / 1000;

    if (!process->has_cpu || ns < 0)
        return;
    ns += usage->cpu_ns;
    usage->cpu_ns = ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

static void take_cpu(struct dft_usage *usage, struct dft_traced_process *process,
                     const struct dft_event *event)
{
    int64_t user, system;

    if (!dft_event_arg_decimal(event, "user_pct", 1, &user) || user < 0 || user > INT32_MAX ||
        !dft_event_arg_decimal(event, "system_pct", 1, &system) || system < 0 || system > INT32_MAX)
        return;
    add_cpu(usage, process, event->ts_ns);
    process->has_cpu = true;
    process->tenths = user + system;
    process->since = event->ts_ns;
    usage->known = true;
}

void dft_usage_add(struct dft_usage *usage, const struct dft_event *event)
{
    struct dft_traced_process *process = find_process(usage, event->pid);
    int64_t peak;

    if (event->ts_ns > process->latest)
        process->latest = event->ts_ns;
    if (event->kind != DFT_TRACE_COUNTER)
        return;
    if (dft_text_is(event->name, "cpu"))
        take_cpu(usage, process, event);
    else if (dft_text_is(event->name, "memory") && dft_event_arg_int(event, "peak_rss_kb", &peak)) {
        usage->known = true;
        if (peak > usage->peak_rss_kb)
            usage->peak_rss_kb = peak;
    }
}

void dft_usage_close_trace(struct dft_usage *usage)
{
    for (size_t i = 0; i < usage->count; i++)
        add_cpu(usage, &usage->processes[i], usage->processes[i].latest);
    usage->count = 0;
    dft_index_free(&usage->index);
}

void dft_usage_free(struct dft_usage *usage)
{
    dft_index_free(&usage->index);
    free(usage->processes);
}
