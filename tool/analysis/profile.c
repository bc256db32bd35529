/*
 * Everything of a profile except its calls: lifetime of processes, aggregates, summary. Nothing
 * here reads files or prints.
 */
#include "tool/analysis/profile.h"

#include "tool/analysis/call_tree.h"
#include "tool/analysis/profile_internal.h"
#include "tool/base/tool.h"

#include <stdlib.h>
#include <string.h>

/* Nanoseconds; larger values cannot be a cost. */
#define SAMPLE_COST_MAX 1000000
#define COUNT_COST_MAX 1000

struct dft_profile *dft_profile_new(void)
{
    struct dft_profile *profile = dft_tool_zeroed(1, sizeof *profile);

    profile->functions.memory = profile->groups.memory = &profile->memory;
    return profile;
}

void dft_profile_limit_memory(struct dft_profile *profile, size_t bytes)
{
    profile->memory.limit = bytes;
}

void dft_profile_group_by(struct dft_profile *profile, enum dft_grouping by)
{
    profile->groups.by = by;
}

void dft_profile_separate_io(struct dft_profile *profile)
{
    profile->separates_io = true;
}

void dft_profile_make_tree(struct dft_profile *profile)
{
    profile->tree = dft_call_tree_new(&profile->memory);
}

const struct dft_call_tree *dft_profile_tree(const struct dft_profile *profile)
{
    return profile->tree;
}

/* --- what a trace says about itself --- */

/* Counts missing calls, according to the trace's "end". */
static void note_missing(struct dft_profile_summary *summary, struct dft_reader *reader,
                         const struct dft_event *event)
{
    struct dft_text reason = dft_event_arg_text(reader, event, "reason");
    int64_t dropped, lost;

    if (!dft_event_arg_int(event, "dropped", &dropped) || dropped < 0)
        dropped = 0;
    if (!dft_event_arg_int(event, "lost", &lost) || lost < 0)
        lost = 0;
    summary->dropped += (uint64_t)dropped;
    summary->lost += (uint64_t)lost;
    if (reason.length == 0 && lost == 0)
        return;
    summary->unwritable += (uint64_t)dropped + (uint64_t)lost;
    if (summary->reason.length == 0 && reason.length > 0)
        summary->reason = dft_text_copy(reason);
}

/* The tracer's own events: "start" and "end" of a process. */
static void note_lifetime(struct dft_profile *profile, struct dft_reader *reader,
                          const struct dft_event *event)
{
    int64_t number;

    if (event->kind == DFT_TRACE_START) {
        profile->is_ours = dft_event_arg(event, "version") != NULL;
        dft_command_lines_add(&profile->commands, dft_event_arg_text(reader, event, "cmd"));
        profile->started_ns = event->ts_ns;
        dft_trace_clocks_set_host(&profile->clocks, dft_event_arg_text(reader, event, "host"));
        profile->is_exact = dft_event_arg_int(event, "realtime_offset_ns", &number);
        if (profile->is_exact)
            dft_trace_clocks_set_offset(&profile->clocks, number);
        if (dft_event_arg_int(event, "sample_cost_ns", &number) && number > 0 &&
            number < SAMPLE_COST_MAX)
            profile->sample_cost = number;
        if (dft_event_arg_int(event, "count_cost_ns", &number) && number > 0 &&
            number < COUNT_COST_MAX)
            profile->count_cost = number;
        if (dft_event_arg_decimal(event, "budget_pct", 3, &number) && number > profile->budget)
            profile->budget = number;
    } else {
        note_missing(&profile->summary, reader, event);
        if (dft_event_arg_int(event, "left_out", &number) && number > 0)
            profile->summary.left_out += (uint64_t)number;
        dft_usage_add(&profile->usage, event);
    }
}

/* --- calls without an event --- */

/* Of one event, so that untrusted traces cannot make the number of calls overflow. */
#define AGGREGATED_MAX (INT64_C(1) << 48)

/* A time that is not negative; 0 if it is missing. */
static int64_t time_arg(const struct dft_event *event, const char *key)
{
    int64_t ns;

    return dft_event_arg_decimal(event, key, 3, &ns) && ns > 0 ? ns : 0;
}

/* Self time of calls that were timed. */
static int64_t note_timed(struct dft_function *function, const struct dft_record_aggregate *calls)
{
    function->self_estimated |= calls->self_is_estimated;
    if (__builtin_add_overflow(function->timed_ns, calls->sum_ns, &function->timed_ns))
        function->timed_ns = INT64_MAX;
    if (__builtin_add_overflow(function->timed_self_ns, calls->self_ns, &function->timed_self_ns))
        function->timed_self_ns = INT64_MAX;
    return calls->self_ns;
}

/* Self time of throttled calls: their share of the total is assumed to be that of timed calls. */
static int64_t estimate_self(const struct dft_function *function, int64_t sum)
{
    if (function->timed_ns <= 0 || function->timed_self_ns >= function->timed_ns)
        return sum;
    if (function->timed_self_ns <= 0)
        return 0;
    return (int64_t)((__int128)sum * function->timed_self_ns / function->timed_ns);
}

static void add_aggregate(struct dft_profile *profile, const struct dft_event *event)
{
    struct dft_record_aggregate calls = dft_record_read_aggregate(event);
    struct dft_function_key key = {
        .name = calls.function,
        .category = event->cat,
        .file = event->file,
        .line = event->line,
    };
    struct dft_function_key group = dft_groups_key(&profile->groups, &key, event);
    uint32_t number = dft_functions_find_or_add(&profile->functions, &group);
    struct dft_function *function = &profile->functions.functions[number];
    bool timed = event->kind == DFT_TRACE_AGGREGATE;
    int64_t sum = calls.sum_ns;
    int64_t count = calls.count < AGGREGATED_MAX ? calls.count : AGGREGATED_MAX;

    function->calls += (uint64_t)count;
    function->resumed += calls.is_resumed ? (uint64_t)count : 0;
    function->aggregated += (uint64_t)count;
    profile->summary.calls += (uint64_t)count;
    profile->summary.aggregated += (uint64_t)count;
    profile->functions.sums[number] += sum;
    profile->functions.times[number].total += sum;
    profile->functions.times[number].self +=
        timed ? note_timed(function, &calls) : estimate_self(function, sum);
    if (!timed) {
        function->throttled += (uint64_t)count;
        profile->summary.throttled += (uint64_t)count;
        profile->summary.counting_ns += (uint64_t)(count * profile->count_cost);
        return;
    }
    if (calls.min_ns < function->min_ns)
        function->min_ns = calls.min_ns;
    if (calls.max_ns > function->max_ns)
        function->max_ns = calls.max_ns;
}

static void add_throttling(struct dft_profile *profile, struct dft_reader *reader,
                           const struct dft_event *event)
{
    struct dft_profile_throttling made = {
        .function = dft_text_copy(dft_event_arg_text(reader, event, "function")),
        .after_ns = event->ts_ns > profile->started_ns ? event->ts_ns - profile->started_ns : 0,
        .calls_ns = time_arg(event, "calls_us"),
        .cost_ns = time_arg(event, "cost_us"),
        .window_ns = time_arg(event, "cpu_us"),
    };

    dft_event_arg_int(event, "calls", &made.calls);
    profile->switches = dft_tool_grow(profile->switches, profile->switch_count,
                                      &profile->switch_room, sizeof *profile->switches);
    profile->switches[profile->switch_count++] = made;
}

/* The last value of a key counts. Programs have few of them; more than that are not kept. */
#define METADATA_MAX 1000

static void add_metadata(struct dft_profile *profile, struct dft_reader *reader,
                         const struct dft_event *event)
{
    struct dft_record_metadata made = dft_record_read_metadata(reader, event);
    size_t place = 0;

    while (place < profile->metadata_count &&
           !dft_text_equal(profile->metadata[place].key, made.key))
        place++;
    if (place == METADATA_MAX)
        return;
    if (place == profile->metadata_count) {
        profile->metadata = dft_tool_grow(profile->metadata, profile->metadata_count++,
                                          &profile->metadata_room, sizeof *profile->metadata);
        profile->metadata[place].key = dft_text_copy(made.key);
    } else {
        dft_text_free(profile->metadata[place].value);
    }
    profile->metadata[place].value = dft_text_copy(made.value);
}

static void open_trace(void *context, const char *path)
{
    struct dft_profile *profile = context;

    (void)path;
    profile->summary.traces++;
    profile->is_ours = false;
    profile->sample_cost = profile->count_cost = profile->started_ns = 0;
    dft_profile_calls_open_trace(profile);
    dft_groups_open_trace(&profile->groups);
    dft_trace_clocks_open_trace(&profile->clocks);
}

static void add_event(void *context, struct dft_reader *reader, const struct dft_event *event)
{
    struct dft_profile *profile = context;

    if (dft_profile_calls_add_known(profile, reader, event))
        return;
    dft_threads_note_process(&profile->threads, event->pid);
    if (event->has_ts && event->ph != 'M')
        dft_trace_clocks_add(&profile->clocks, event->ts_ns, event->ts_ns + event->dur_ns);
    switch (event->kind) {
    case DFT_TRACE_CALL:
    case DFT_TRACE_WAIT:
    case DFT_TRACE_BOOKKEEPING:
        dft_profile_calls_add(profile, reader, event);
        break;
    case DFT_TRACE_AGGREGATE:
    case DFT_TRACE_THROTTLED:
        add_aggregate(profile, event);
        break;
    case DFT_TRACE_THROTTLING:
        add_throttling(profile, reader, event);
        break;
    case DFT_TRACE_START:
    case DFT_TRACE_END:
        note_lifetime(profile, reader, event);
        break;
    case DFT_TRACE_COUNTER:
        dft_usage_add(&profile->usage, event);
        break;
    case DFT_TRACE_INSTANT:
        profile->summary.instants++;
        break;
    case DFT_TRACE_THREAD_NAME:
        profile->named_threads++;
        dft_groups_note(&profile->groups, reader, event);
        break;
    case DFT_TRACE_FUNCTION:
        dft_groups_note(&profile->groups, reader, event);
        if (!dft_memory_limit_is_reached(&profile->memory))
            dft_descriptions_add(&profile->descriptions, reader, event);
        break;
    case DFT_TRACE_OWN_COUNTER:
        profile->summary.counters++;
        break;
    case DFT_TRACE_FLOW:
        profile->summary.flows++;
        break;
    case DFT_TRACE_METADATA:
        add_metadata(profile, reader, event);
        break;
    case DFT_TRACE_PAIR:
        profile->summary.pair_events++;
        break;
    case DFT_TRACE_FLOW_MARK: /* never passed on */
    case DFT_TRACE_HASH:
    case DFT_TRACE_PROCESS_NAME:
    case DFT_TRACE_FOREIGN:
        break;
    }
}

static bool close_trace(void *context)
{
    struct dft_profile *profile = context;
    bool complete = dft_profile_calls_close_trace(profile);

    dft_groups_close_trace(&profile->groups, &profile->functions);
    profile->summary.threads += profile->threads.count;
    for (size_t i = 0; i < profile->threads.count; i++)
        profile->summary.tracks += dft_record_is_track(profile->threads.list[i].tid);
    /* If no call has an event, the names of threads are all that is known of them. */
    if (profile->threads.count == 0 && profile->summary.aggregated > 0)
        profile->summary.threads += profile->named_threads;
    profile->named_threads = 0;
    profile->summary.processes += profile->threads.pid_count;
    dft_threads_close_trace(&profile->threads);
    dft_trace_clocks_close_trace(&profile->clocks);
    dft_usage_close_trace(&profile->usage);
    return complete;
}

struct dft_visitor dft_profile_visitor(struct dft_profile *profile)
{
    return (struct dft_visitor){
        .context = profile,
        .open = open_trace,
        .event = add_event,
        .reads_again = profile->tree,
        .next_pass = dft_profile_calls_next_pass,
        .event_again = dft_profile_calls_add_again,
        .end_piece = dft_profile_calls_end_piece,
        .close = close_trace,
    };
}

/* --- results --- */

const struct dft_function *dft_profile_functions(struct dft_profile *profile, size_t *count)
{
    dft_functions_finish(&profile->functions);
    if (profile->groups.by == DFT_BY_FILE)
        dft_functions_name_by_file(&profile->functions);
    *count = profile->functions.count;
    return profile->functions.functions;
}

/* A budget is a share of the program's own CPU time. */
static bool is_over_budget(const struct dft_profile *profile, uint64_t cost_ns, int64_t cpu_ns)
{
    return profile->budget > 0 && cpu_ns > 0 &&
           (__int128)cost_ns * 100000 > ((__int128)cpu_ns - cost_ns) * profile->budget;
}

struct dft_profile_summary dft_profile_summarize(const struct dft_profile *profile)
{
    struct dft_profile_summary summary = profile->summary;

    summary.wall_ns = dft_trace_clocks_time(&profile->clocks);
    summary.has_usage = profile->usage.known;
    summary.cpu_ns = profile->usage.cpu_ns;
    summary.peak_rss_kb = profile->usage.peak_rss_kb;
    summary.has_budget = profile->budget > 0;
    summary.over_budget = is_over_budget(profile, summary.counting_ns, summary.cpu_ns);
    summary.commands = profile->commands.list;
    summary.command_count = profile->commands.count;
    summary.by = profile->groups.by;
    summary.has_others = profile->functions.others != 0;
    summary.metadata = profile->metadata;
    summary.metadata_count = profile->metadata_count;
    summary.switches = profile->switches;
    summary.switch_count = profile->switch_count;
    return summary;
}

void dft_profile_free(struct dft_profile *profile)
{
    for (size_t i = 0; i < profile->switch_count; i++)
        dft_text_free(profile->switches[i].function);
    struct dft_sinks sinks = {.times = profile->functions.nested};

    for (size_t i = 0; i < profile->threads.count; i++)
        dft_stack_finish(profile->threads.list[i].stack, &sinks);
    if (profile->tree)
        dft_call_tree_free(profile->tree);
    for (size_t i = 0; i < profile->metadata_count; i++) {
        dft_text_free(profile->metadata[i].key);
        dft_text_free(profile->metadata[i].value);
    }
    free(profile->metadata);
    dft_descriptions_free(&profile->descriptions);
    dft_groups_free(&profile->groups);
    dft_functions_free(&profile->functions);
    dft_command_lines_free(&profile->commands);
    dft_threads_free(&profile->threads);
    dft_trace_clocks_free(&profile->clocks);
    dft_usage_free(&profile->usage);
    dft_text_free(profile->summary.reason);
    free(profile->again);
    free(profile->switches);
    free(profile);
}
