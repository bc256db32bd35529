/*
 * The calls of a profile: their numbers are counted in the first pass; their nesting is worked out
 * in the same pass where possible, otherwise in a further one.
 *
 * A further pass is needed where too many calls would wait for their parents, and always for the
 * call tree, because a call's callers are known only when parents come before their children. A
 * thread whose calls come children first is then read backwards, every other one forwards.
 */
#include "tool/analysis/profile_internal.h"

#include "tool/analysis/call_tree.h"
#include "tool/analysis/io/io_call.h"
#include "tool/base/tool.h"

#include <stdlib.h>

/*
 * Entries of 16 bytes for calls that wait for their parents. With more of them, the trace is read
 * again.
 */
#define PENDING_MAX ((size_t)1 << 20)

/*
 * The longest piece for a backward pass, in bytes of text. Its calls need about half as much
 * memory.
 */
#define LONGEST_PIECE ((uint64_t)32 << 20)

struct dft_call_again {
    struct dft_stack *stack;
    struct dft_stack_call call;
};

void dft_profile_calls_open_trace(struct dft_profile *profile)
{
    profile->is_exact = profile->is_backwards = false;
    profile->wants_forward = profile->wants_backward = false;
    profile->pass = DFT_PASS_NONE;
    profile->pending = profile->to_come = profile->unwanted = 0;
    profile->most_pending = profile->tree ? 0 : PENDING_MAX;
    profile->known = (struct dft_known_calls){0};
}

/* The tree is made in further passes only, when the order of the calls is known. */
static struct dft_sinks find_sinks(const struct dft_profile *profile)
{
    return (struct dft_sinks){
        .times = profile->functions.nested,
        .tree = profile->pass == DFT_PASS_NONE ? NULL : profile->tree,
    };
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
        .inside = known->added_ns,
        .is_pause = known->is_own,
        .unfinished = known->unfinished,
    };
}

/* Whether the open trace can be read backwards, and that would help. */
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
    struct dft_trace_thread *thread =
        dft_threads_find_or_add(&profile->threads, event->pid, event->tid);

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
    struct dft_sinks sinks = find_sinks(profile);
    struct dft_function *function = &profile->functions.functions[known->function];
    size_t pending = dft_stack_pending(known->stack);
    int64_t time = event->dur_ns - call.pause;

    function->calls++;
    function->resumed += known->resumed;
    function->unfinished += call.unfinished;
    profile->summary.calls += !known->is_own;
    profile->summary.unfinished += call.unfinished;
    profile->to_come += !call.unfinished;
    profile->functions.sums[known->function] += time;
    if (call.unfinished &&
        __builtin_add_overflow(function->unfinished_ns, time, &function->unfinished_ns))
        function->unfinished_ns = INT64_MAX;
    if (!call.unfinished && time < function->min_ns) /* an unfinished call may have continued */
        function->min_ns = time;
    if (time > function->max_ns)
        function->max_ns = time;
    profile->functions.times[known->function].self -= known->added_ns;
    function->self_estimated |= known->added_is_estimated;
    if (known->is_own)
        note_pause(profile, event, known);
    if (dft_stack_add(known->stack, &sinks, &call)) {
        function->threads++;
        profile->functions.thread_bytes += DFT_BYTES_OF_FUNCTION_ON_THREAD;
        profile->memory.used += DFT_BYTES_OF_FUNCTION_ON_THREAD;
    }
    profile->pending += dft_stack_pending(known->stack) - pending;
    if (profile->pending > profile->most_pending) {
        if (may_go_backwards(profile, reader))
            go_backwards(profile);
        else
            profile->most_pending = SIZE_MAX;
    }
}

static struct dft_function_key group_of(struct dft_profile *profile, struct dft_reader *reader,
                                        const struct dft_event *event)
{
    if (profile->separates_io && dft_io_kind_of(event) != DFT_IO_OTHER)
        return (struct dft_function_key){.name = dft_io_file_of(reader, event),
                                         .line = DFT_IO_LINE};
    struct dft_function_key key = dft_functions_key_of(reader, event);

    return is_pause(event) ? key : dft_groups_key(&profile->groups, &key, event);
}

void dft_profile_calls_add(struct dft_profile *profile, struct dft_reader *reader,
                           const struct dft_event *event)
{
    struct dft_function_key key = group_of(profile, reader, event);
    uint32_t number = dft_functions_find_or_add(&profile->functions, &key);
    struct dft_known_call known = dft_known_calls_add(
        &profile->known, event, number, is_pause(event), find_or_add_stack(profile, event));

    profile->functions.functions[number].is_own = known.is_own;
    if (profile->is_ours && profile->groups.by == DFT_BY_FUNCTION && !known.is_own &&
        number + 1 != profile->functions.others)
        profile->functions.functions[number].is_region =
            (key.file.length > 0 || !dft_io_is_call(event)) &&
            !dft_descriptions_have(&profile->descriptions, &key);
    count_call(profile, reader, event, &known);
}

bool dft_profile_calls_add_known(struct dft_profile *profile, const struct dft_reader *reader,
                                 const struct dft_event *event)
{
    const struct dft_known_call *known = dft_known_calls_find(&profile->known, event);

    if (!known)
        return false;
    dft_trace_clocks_add(&profile->clocks, event->ts_ns, event->ts_ns + event->dur_ns);
    count_call(profile, reader, event, known);
    return true;
}

/* --- further passes --- */

/* The first pass is complete. */
static void plan_passes(struct dft_profile *profile)
{
    profile->wants_backward = profile->is_backwards;
    if (!profile->tree)
        return;
    for (size_t i = 0; i < profile->threads.count; i++) {
        struct dft_stack *stack = profile->threads.list[i].stack;

        dft_stack_restart(stack);
        if (dft_stack_is_settled(stack))
            profile->wants_forward = true;
        else
            profile->wants_backward = true;
    }
    dft_functions_forget_nested(&profile->functions);
}

enum dft_pass dft_profile_calls_next_pass(void *context, const struct dft_reader *reader)
{
    struct dft_profile *profile = context;

    if (profile->pass == DFT_PASS_NONE)
        plan_passes(profile);
    if (profile->wants_backward) {
        profile->wants_backward = false;
        profile->pass = DFT_PASS_BACKWARD;
        /* The calls of a piece take about half as much memory as its text. */
        if (profile->memory.limit && dft_reader_longest_piece(reader) / 2 > profile->memory.limit)
            return DFT_PASS_IMPOSSIBLE;
        return DFT_PASS_BACKWARD;
    }
    if (profile->wants_forward) {
        profile->wants_forward = false;
        profile->pass = DFT_PASS_FORWARD;
        return DFT_PASS_FORWARD;
    }
    return DFT_PASS_NONE;
}

/* Finds the function and the thread of a call that comes again. */
static bool recall(struct dft_profile *profile, struct dft_reader *reader,
                   const struct dft_event *event, struct dft_known_call *call)
{
    struct dft_function_key key = group_of(profile, reader, event);
    uint32_t number = dft_functions_find(&profile->functions, &key);
    const struct dft_trace_thread *thread =
        dft_threads_find(&profile->threads, event->pid, event->tid);

    if (number == DFT_INDEX_NONE || !thread)
        return false;
    *call = dft_known_calls_add(&profile->known, event, number, is_pause(event), thread->stack);
    return true;
}

void dft_profile_calls_add_again(void *context, struct dft_reader *reader,
                                 const struct dft_event *event)
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
    bool is_forward = profile->pass == DFT_PASS_FORWARD;
    if (dft_stack_is_settled(known->stack) != is_forward || (known->unfinished && !is_forward))
        return;
    if (profile->to_come == 0 && !known->unfinished) {
        profile->unwanted++;
        return;
    }
    profile->to_come -= !known->unfinished;
    if (is_forward) {
        struct dft_sinks sinks = find_sinks(profile);
        struct dft_stack_call read = read_call(profile, known, event);

        dft_stack_add(known->stack, &sinks, &read);
        return;
    }
    profile->again = dft_tool_grow(profile->again, profile->again_count, &profile->again_room,
                                   sizeof *profile->again);
    profile->again[profile->again_count++] =
        (struct dft_call_again){known->stack, read_call(profile, known, event)};
}

void dft_profile_calls_end_piece(void *context)
{
    struct dft_profile *profile = context;
    struct dft_sinks sinks = find_sinks(profile);

    while (profile->again_count > 0) {
        struct dft_call_again *again = &profile->again[--profile->again_count];

        dft_stack_add_backwards(again->stack, &sinks, &again->call);
    }
}

bool dft_profile_calls_close_trace(struct dft_profile *profile)
{
    struct dft_sinks sinks = find_sinks(profile);
    bool complete =
        profile->pass == DFT_PASS_NONE || (profile->to_come == 0 && profile->unwanted == 0);

    for (size_t i = 0; i < profile->threads.count; i++)
        profile->summary.disordered += dft_stack_finish(profile->threads.list[i].stack, &sinks);
    dft_functions_count_nested(&profile->functions);
    return complete;
}
