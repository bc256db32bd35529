/*
 * Aggregation of calls. One thread of the tool feeds it; nothing here reads files or prints.
 */
#include "tool/analysis/profile.h"

#include "tool/analysis/command_lines.h"
#include "tool/analysis/functions.h"
#include "tool/analysis/known_calls.h"
#include "tool/analysis/stacks/stack.h"
#include "tool/analysis/threads.h"
#include "tool/analysis/usage.h"
#include "tool/base/index.h"
#include "tool/base/tool.h"
#include "tool/trace/clock.h"

#include <stdlib.h>
#include <string.h>

/* Nanoseconds; what is more is no cost of a sample. */
#define MOST_SAMPLE_COST 1000000
#define MOST_COUNT_COST 1000

/* Of what waits for its parent, 16 bytes each: what is more is worth reading the trace again. */
#define MOST_PENDING ((size_t)1 << 20)

/* Text of a piece in which a trace is read again: its calls take about half as much. */
#define LONGEST_PIECE ((uint64_t)32 << 20)

/* A call that came again. */
struct again {
    struct dft_stack *stack;
    struct dft_stack_call call;
};

struct dft_profile {
    struct dft_profile_summary summary;

    struct dft_function_table functions;
    struct dft_command_lines commands;

    struct dft_profile_switch *switches;
    size_t switch_count;
    size_t switch_room;

    /* Of the open trace: */
    struct dft_threads threads;
    size_t named_threads;
    bool is_exact;       /* it is ours: calls come when they end, and no time is rounded */
    bool is_backwards;   /* its calls are to come again */
    bool is_read_again;  /* and do, or have done */
    size_t pending;      /* over all threads */
    size_t most_pending; /* of them */
    uint64_t to_come;    /* calls that have not come again */
    uint64_t unwanted;   /* calls that came again once too often */
    struct again *again; /* the calls of one piece */
    size_t again_count;
    size_t again_room;
    struct dft_known_calls known;

    struct dft_trace_clocks clocks;
    struct dft_usage usage;
    int64_t sample_cost; /* around each sampled call of the open trace */
    int64_t count_cost;  /* of each counted call of the open trace */
    int64_t budget;      /* the largest one, in thousandths of a percent */
    int64_t started_ns;  /* of the open trace, where it tells */
};

struct dft_profile *dft_profile_new(void)
{
    return dft_tool_zeroed(1, sizeof(struct dft_profile));
}

void dft_profile_limit_memory(struct dft_profile *profile, size_t bytes)
{
    profile->functions.most_bytes = bytes;
}

/* --- what a trace says about itself --- */

/* Calls that a trace lacks, as its "end" says. */
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
        dft_command_lines_add(&profile->commands, dft_event_arg_text(reader, event, "cmd"));
        profile->started_ns = event->ts_ns;
        dft_trace_clocks_set_host(&profile->clocks, dft_event_arg_text(reader, event, "host"));
        profile->is_exact = dft_event_arg_int(event, "realtime_offset_ns", &number);
        if (profile->is_exact)
            dft_trace_clocks_set_offset(&profile->clocks, number);
        if (dft_event_arg_int(event, "sample_cost_ns", &number) && number > 0 &&
            number < MOST_SAMPLE_COST)
            profile->sample_cost = number;
        if (dft_event_arg_int(event, "count_cost_ns", &number) && number > 0 &&
            number < MOST_COUNT_COST)
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

/* --- calls --- */

static struct dft_function_key key_of(struct dft_reader *reader, const struct dft_event *event)
{
    struct dft_function_key key = {
        .name = event->name,
        .category = event->cat,
        .file = dft_event_arg_text(reader, event, "file"),
    };

    if (!dft_event_arg_int(event, "line", &key.line))
        key.line = 0;
    return key;
}

static struct dft_stack_call read_call(const struct dft_profile *profile,
                                       const struct dft_known_call *known,
                                       const struct dft_event *event)
{
    const struct dft_pauses *pauses = dft_stack_pauses(known->stack);

    return (struct dft_stack_call){
        .function = known->function,
        .start = event->ts_ns,
        .end = event->ts_ns + event->dur_ns,
        .cost = known->is_sampled ? profile->sample_cost : 0,
        .pause = known->is_own
                     ? 0
                     : dft_pauses_inside(pauses, event->ts_ns, event->ts_ns + event->dur_ns),
        .unfinished = known->unfinished,
    };
}

/* Whether the open trace can be read from its end, and that would be of use. */
static bool may_go_backwards(const struct dft_profile *profile, const struct dft_reader *reader)
{
    if (!profile->is_exact || dft_reader_pieces(reader) == 0 ||
        dft_reader_longest_piece(reader) > LONGEST_PIECE)
        return false;
    for (size_t i = 0; i < profile->threads.count; i++) {
        if (dft_stack_is_settled(profile->threads.list[i].stack))
            return false;
    }
    return true;
}

static void go_backwards(struct dft_profile *profile)
{
    for (size_t i = 0; i < profile->threads.count; i++)
        dft_stack_give_up(profile->threads.list[i].stack);
    dft_functions_forget_nested(&profile->functions);
    profile->pending = 0;
    profile->is_backwards = true;
}

static struct dft_stack *find_or_add_stack(struct dft_profile *profile,
                                           const struct dft_event *event)
{
    struct dft_thread *thread = dft_threads_find_or_add(&profile->threads, event->pid, event->tid);

    if (!thread->stack) {
        thread->stack = dft_stack_new();
        if (profile->is_backwards)
            dft_stack_give_up(thread->stack);
    }
    return thread->stack;
}

/* Time that dftrace took from a thread: recorded like a call, but not a call of the program's. */
static bool is_pause(const struct dft_event *event)
{
    return event->kind == DFT_TRACE_WAIT || event->kind == DFT_TRACE_BOOKKEEPING;
}

static void note_pause(struct dft_profile *profile, const struct dft_event *event,
                       const struct dft_known_call *known)
{
    bool is_wait = event->kind == DFT_TRACE_WAIT;
    int64_t *sum = is_wait ? &profile->summary.waited_ns : &profile->summary.bookkeeping_ns;
    int64_t added =
        dft_pauses_add(dft_stack_pauses(known->stack), event->ts_ns, event->ts_ns + event->dur_ns);

    profile->summary.waits += is_wait;
    if (__builtin_add_overflow(*sum, added, sum))
        *sum = INT64_MAX;
}

static void count_call(struct dft_profile *profile, const struct dft_reader *reader,
                       const struct dft_event *event, const struct dft_known_call *known)
{
    struct dft_stack_call call = read_call(profile, known, event);
    struct dft_function *function = &profile->functions.functions[known->function];
    size_t pending = dft_stack_pending(known->stack);
    int64_t time = event->dur_ns - call.pause;

    function->calls++;
    function->unfinished += call.unfinished;
    profile->summary.calls += !known->is_own;
    profile->summary.unfinished += call.unfinished;
    profile->to_come += !call.unfinished;
    profile->functions.sums[known->function] += time;
    if (!call.unfinished && time < function->min_ns) /* an unfinished call may have gone on */
        function->min_ns = time;
    if (time > function->max_ns)
        function->max_ns = time;
    profile->functions.times[known->function].self -= known->added_ns;
    function->self_estimated |= known->added_is_estimated;
    if (known->is_own)
        note_pause(profile, event, known);
    if (dft_stack_add(known->stack, profile->functions.nested, &call)) {
        function->threads++;
        profile->functions.thread_bytes += DFT_BYTES_OF_FUNCTION_ON_THREAD;
    }
    profile->pending += dft_stack_pending(known->stack) - pending;
    if (profile->pending > profile->most_pending) {
        if (may_go_backwards(profile, reader))
            go_backwards(profile);
        else
            profile->most_pending = SIZE_MAX;
    }
}

static void add_call(struct dft_profile *profile, struct dft_reader *reader,
                     const struct dft_event *event)
{
    struct dft_function_key key = key_of(reader, event);
    uint32_t number = dft_functions_find_or_add(&profile->functions, &key);
    struct dft_known_call known = dft_known_calls_add(
        &profile->known, event, number, is_pause(event), find_or_add_stack(profile, event));

    profile->functions.functions[number].is_own = known.is_own;
    count_call(profile, reader, event, &known);
}

/* --- calls without an event --- */

/* In one event; traces of others must not make a number of calls overflow. */
#define MOST_AGGREGATED (INT64_C(1) << 48)

/* Times that no trace of ours has must not overflow. */
static int64_t time_arg(const struct dft_event *event, const char *key)
{
    int64_t ns;

    return dft_event_arg_decimal(event, key, 3, &ns) && ns > 0 ? ns : 0;
}

/* Self time of calls that were timed; traces of older versions do not tell. */
static int64_t note_timed(struct dft_function *function, const struct dft_event *event, int64_t sum)
{
    int64_t self = sum;

    if (!dft_event_arg_decimal(event, "self_us", 3, &self) &&
        dft_event_arg_decimal(event, "estimated_self_us", 3, &self))
        function->self_estimated = true;
    if (__builtin_add_overflow(function->timed_ns, sum, &function->timed_ns))
        function->timed_ns = INT64_MAX;
    if (__builtin_add_overflow(function->timed_self_ns, self, &function->timed_self_ns))
        function->timed_self_ns = INT64_MAX;
    return self;
}

/* The same of calls that were only counted: its share of the total is that of those timed. */
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
    size_t prefix = sizeof DFT_TRACE_AGGREGATE_PREFIX - 1;
    struct dft_function_key key = {
        .name = {event->name.at + prefix, event->name.length - prefix},
        .category = event->cat,
        .file = event->file,
        .line = event->line,
    };
    uint32_t number = dft_functions_find_or_add(&profile->functions, &key);
    struct dft_function *function = &profile->functions.functions[number];
    bool timed = event->kind == DFT_TRACE_AGGREGATE;
    int64_t sum = time_arg(event, timed ? "total_us" : "estimated_us"), count = 0;

    dft_event_arg_int(event, "count", &count);
    if (count > MOST_AGGREGATED)
        count = MOST_AGGREGATED;
    function->calls += (uint64_t)count;
    function->aggregated += (uint64_t)count;
    profile->summary.calls += (uint64_t)count;
    profile->summary.aggregated += (uint64_t)count;
    profile->functions.sums[number] += sum;
    profile->functions.times[number].total += sum;
    profile->functions.times[number].self +=
        timed ? note_timed(function, event, sum) : estimate_self(function, sum);
    if (!timed) {
        function->counted += (uint64_t)count;
        profile->summary.counted += (uint64_t)count;
        profile->summary.counting_ns += (uint64_t)(count * profile->count_cost);
        return;
    }
    if (time_arg(event, "min_us") < function->min_ns)
        function->min_ns = time_arg(event, "min_us");
    if (time_arg(event, "max_us") > function->max_ns)
        function->max_ns = time_arg(event, "max_us");
}

static void add_switch(struct dft_profile *profile, struct dft_reader *reader,
                       const struct dft_event *event)
{
    struct dft_profile_switch made = {
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

static void open_trace(void *context, const char *path)
{
    struct dft_profile *profile = context;

    (void)path;
    profile->summary.traces++;
    profile->is_exact = profile->is_backwards = profile->is_read_again = false;
    profile->pending = profile->to_come = profile->unwanted = 0;
    profile->most_pending = MOST_PENDING;
    profile->sample_cost = profile->count_cost = profile->started_ns = 0;
    profile->known = (struct dft_known_calls){0};
    dft_trace_clocks_open_trace(&profile->clocks);
}

static void add_event(void *context, struct dft_reader *reader, const struct dft_event *event)
{
    struct dft_profile *profile = context;
    const struct dft_known_call *known = dft_known_calls_find(&profile->known, event);

    if (known) {
        dft_trace_clocks_add(&profile->clocks, event->ts_ns, event->ts_ns + event->dur_ns);
        count_call(profile, reader, event, known);
        return;
    }
    dft_threads_note_process(&profile->threads, event->pid);
    if (event->has_ts && event->ph != 'M')
        dft_trace_clocks_add(&profile->clocks, event->ts_ns, event->ts_ns + event->dur_ns);
    switch (event->kind) {
    case DFT_TRACE_CALL:
    case DFT_TRACE_WAIT:
    case DFT_TRACE_BOOKKEEPING:
        add_call(profile, reader, event);
        break;
    case DFT_TRACE_AGGREGATE:
    case DFT_TRACE_THROTTLED:
        add_aggregate(profile, event);
        break;
    case DFT_TRACE_THROTTLING:
        add_switch(profile, reader, event);
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
        break;
    case DFT_TRACE_PAIR:
        profile->summary.pair_events++;
        break;
    case DFT_TRACE_FUNCTION:
    case DFT_TRACE_PROCESS_NAME:
    case DFT_TRACE_FOREIGN:
        break;
    }
}

static enum dft_pass next_pass(void *context)
{
    struct dft_profile *profile = context;
    bool is_wanted = profile->is_backwards && !profile->is_read_again;

    profile->is_read_again = true;
    return is_wanted ? DFT_PASS_BACKWARD : DFT_PASS_NONE;
}

/* A call of a function and a thread that have come before. */
static bool recall(struct dft_profile *profile, struct dft_reader *reader,
                   const struct dft_event *event, struct dft_known_call *call)
{
    struct dft_function_key key = key_of(reader, event);
    uint32_t number = dft_functions_find(&profile->functions, &key);
    const struct dft_thread *thread = dft_threads_find(&profile->threads, event->pid, event->tid);

    if (number == DFT_INDEX_NONE || !thread)
        return false;
    *call = dft_known_calls_add(&profile->known, event, number, is_pause(event), thread->stack);
    return true;
}

static void add_again(void *context, struct dft_reader *reader, const struct dft_event *event)
{
    struct dft_profile *profile = context;
    const struct dft_known_call *known = dft_known_calls_find(&profile->known, event);
    struct dft_known_call call;

    if (!known) {
        if (event->kind != DFT_TRACE_CALL && !is_pause(event))
            return;
        if (!recall(profile, reader, event, &call)) {
            profile->unwanted++;
            return;
        }
        known = &call;
    }
    if (known->unfinished)
        return;
    if (profile->to_come == 0) {
        profile->unwanted++;
        return;
    }
    profile->to_come--;
    profile->again = dft_tool_grow(profile->again, profile->again_count, &profile->again_room,
                                   sizeof *profile->again);
    profile->again[profile->again_count++] =
        (struct again){known->stack, read_call(profile, known, event)};
}

static void end_piece(void *context)
{
    struct dft_profile *profile = context;

    while (profile->again_count > 0) {
        struct again *again = &profile->again[--profile->again_count];

        dft_stack_add_backwards(again->stack, profile->functions.nested, &again->call);
    }
}

static bool close_trace(void *context)
{
    struct dft_profile *profile = context;
    bool complete = !profile->is_backwards || (profile->to_come == 0 && profile->unwanted == 0);

    for (size_t i = 0; i < profile->threads.count; i++)
        profile->summary.disordered +=
            dft_stack_finish(profile->threads.list[i].stack, profile->functions.nested);
    dft_functions_count_nested(&profile->functions);
    profile->summary.threads += profile->threads.count;
    /* Where no call has an event, names tell which threads there were. */
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
        .next_pass = next_pass,
        .event_again = add_again,
        .end_piece = end_piece,
        .close = close_trace,
    };
}

/* --- results --- */

const struct dft_function *dft_profile_functions(struct dft_profile *profile, size_t *count)
{
    dft_functions_finish(&profile->functions);
    *count = profile->functions.count;
    return profile->functions.functions;
}

/* A budget is a share of what the program itself uses. */
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
    summary.has_others = profile->functions.others != 0;
    summary.switches = profile->switches;
    summary.switch_count = profile->switch_count;
    return summary;
}

void dft_profile_free(struct dft_profile *profile)
{
    for (size_t i = 0; i < profile->switch_count; i++)
        dft_text_free(profile->switches[i].function);
    for (size_t i = 0; i < profile->threads.count; i++)
        dft_stack_finish(profile->threads.list[i].stack, profile->functions.nested);
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
