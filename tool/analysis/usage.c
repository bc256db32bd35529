/*
 * From counters to sums. A counter's value holds until the next one of its name, the last one until
 * the process ends.
 */
#include "tool/analysis/usage.h"

#include "tool/base/tool.h"

#include <stdlib.h>

struct dft_consumer {
    int64_t pid;
    bool has_cpu;
    int64_t tenths; /* of a percent, from `since` on */
    int64_t since;
    int64_t latest;
};

struct key {
    const struct dft_consumption *consumption;
    int64_t pid;
};

static bool matches(const void *context, uint32_t number)
{
    const struct key *key = context;

    return key->consumption->processes[number].pid == key->pid;
}

static struct dft_consumer *find_process(struct dft_consumption *consumption, int64_t pid)
{
    struct key key = {consumption, pid};
    uint64_t hash = dft_hash_number(1, (uint64_t)pid);
    uint32_t found = dft_index_find(&consumption->index, hash, matches, &key);

    if (found == DFT_INDEX_NONE) {
        consumption->processes = dft_tool_grow(consumption->processes, consumption->count,
                                               &consumption->room, sizeof *consumption->processes);
        found = (uint32_t)consumption->count++;
        consumption->processes[found] = (struct dft_consumer){.pid = pid};
        dft_index_add(&consumption->index, hash, found);
    }
    return &consumption->processes[found];
}

/* Times come from files of others: a sum that does not fit stays at the largest value. */
static void add_cpu(struct dft_consumption *consumption, const struct dft_consumer *process,
                    int64_t until)
{
    __int128 ns = (__int128)process->tenths * ((__int128)until - process->since) / 1000;

    if (!process->has_cpu || ns < 0)
        return;
    ns += consumption->cpu_ns;
    consumption->cpu_ns = ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

static void take_cpu(struct dft_consumption *consumption, struct dft_consumer *process,
                     const struct dft_event *event)
{
    int64_t user, system;

    if (!dft_event_arg_decimal(event, "user_pct", 1, &user) || user < 0 || user > INT32_MAX ||
        !dft_event_arg_decimal(event, "system_pct", 1, &system) || system < 0 || system > INT32_MAX)
        return;
    add_cpu(consumption, process, event->ts_ns);
    process->has_cpu = true;
    process->tenths = user + system;
    process->since = event->ts_ns;
    consumption->known = true;
}

void dft_consumption_add(struct dft_consumption *consumption, const struct dft_event *event)
{
    struct dft_consumer *process = find_process(consumption, event->pid);
    int64_t peak;

    if (event->ts_ns > process->latest)
        process->latest = event->ts_ns;
    if (event->ph != 'C')
        return;
    if (dft_text_is(event->name, "cpu"))
        take_cpu(consumption, process, event);
    else if (dft_text_is(event->name, "memory") && dft_event_arg_int(event, "peak_rss_kb", &peak)) {
        consumption->known = true;
        if (peak > consumption->peak_rss_kb)
            consumption->peak_rss_kb = peak;
    }
}

void dft_consumption_close_trace(struct dft_consumption *consumption)
{
    for (size_t i = 0; i < consumption->count; i++)
        add_cpu(consumption, &consumption->processes[i], consumption->processes[i].latest);
    consumption->count = 0;
    dft_index_free(&consumption->index);
}

void dft_consumption_free(struct dft_consumption *consumption)
{
    dft_index_free(&consumption->index);
    free(consumption->processes);
}
