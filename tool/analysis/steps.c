/*
 * Collects steps and epochs while a trace is read. One thread of the tool uses it.
 *
 * Few events differ in their args, so what the args say is remembered by prefix (event_cache.h).
 */
#include "tool/analysis/steps.h"

#include "tool/analysis/outermost.h"
#include "tool/analysis/step_label.h"
#include "tool/analysis/threads.h"
#include "tool/base/index.h"
#include "tool/base/memory_limit.h"
#include "tool/base/tool.h"

#include <stdlib.h>
#include <string.h>

#define KNOWN_MAX 4096u

struct known {
    uint64_t prefix_id;
    struct dft_step_label label;
};

/* What is counted separately for each thread: each has buckets of its own. */
enum level { LEVEL_STEP, LEVEL_EPOCH, LEVEL_WORK, LEVEL_COUNT };

struct lane {
    struct dft_outermost levels[LEVEL_COUNT];
};

struct dft_steps {
    struct dft_companion companion; /* first */
    struct dft_memory_limit memory;
    struct dft_step *list;
    size_t count, room;
    struct dft_index index;
    struct dft_epoch *epochs;
    size_t epoch_count, epoch_room;
    struct dft_index epoch_index;
    uint64_t left_out;

    /* Of the open trace: */
    struct dft_threads threads;
    struct lane *lanes; /* parallel to the threads */
    size_t lane_count, lane_room;
    struct known *known;
    int64_t offset; /* from the trace's clock to the time of day, if it is known */
    struct process {
        int64_t pid;
        uint32_t epoch;
    } * processes; /* that have been in an epoch */
    size_t process_count, process_room;
    struct dft_index process_index;
};

const char *dft_step_work_name(enum dft_step_work work)
{
    static const char *const names[] = {"compute", "data", "comm", "checkpoint"};

    return names[work];
}

struct dft_steps *dft_steps_new(size_t memory)
{
    struct dft_steps *steps = dft_tool_zeroed(1, sizeof *steps);

    steps->memory.limit = memory;
    steps->known = dft_tool_zeroed(KNOWN_MAX, sizeof *steps->known);
    return steps;
}

/* --- what an event says --- */

static struct dft_step_label find_label(struct dft_steps *steps, const struct dft_event *event)
{
    struct known *known = &steps->known[event->prefix_id % KNOWN_MAX];

    if (event->prefix_id == 0)
        return dft_step_label_read(event);
    if (known->prefix_id != event->prefix_id)
        *known = (struct known){event->prefix_id, dft_step_label_read(event)};
    return known->label;
}

/* --- rows --- */

struct search {
    const struct dft_steps *steps;
    int64_t epoch, step; /* of a process: its epoch's number in the list, and its pid */
};

static uint64_t hash_pair(int64_t a, int64_t b)
{
    return dft_hash_number(dft_hash_number(0, (uint64_t)a), (uint64_t)b);
}

static bool matches_step(const void *context, uint32_t number)
{
    const struct search *search = context;
    const struct dft_step *step = &search->steps->list[number];

    return step->epoch == search->epoch && step->step == search->step;
}

/* DFT_INDEX_NONE: there is no memory for another step. */
static uint32_t find_or_add_step(struct dft_steps *steps, int64_t epoch, int64_t step)
{
    struct search search = {steps, epoch, step};
    uint64_t hash = hash_pair(epoch, step);
    uint32_t found = dft_index_find(&steps->index, hash, matches_step, &search);

    if (found != DFT_INDEX_NONE || dft_memory_limit_is_reached(&steps->memory))
        return found;
    steps->list = dft_tool_grow(steps->list, steps->count, &steps->room, sizeof *steps->list);
    steps->list[steps->count] =
        (struct dft_step){.epoch = epoch, .step = step, .first_ns = INT64_MAX};
    dft_index_add(&steps->index, hash, (uint32_t)steps->count);
    steps->memory.used += 2 * sizeof *steps->list + 48;
    return (uint32_t)steps->count++;
}

static bool matches_epoch(const void *context, uint32_t number)
{
    const struct search *search = context;

    return search->steps->epochs[number].all.epoch == search->epoch;
}

static uint32_t find_or_add_epoch(struct dft_steps *steps, int64_t epoch)
{
    struct search search = {steps, epoch, DFT_STEP_NONE};
    uint64_t hash = hash_pair(epoch, DFT_STEP_NONE);
    uint32_t found = dft_index_find(&steps->epoch_index, hash, matches_epoch, &search);

    if (found != DFT_INDEX_NONE || dft_memory_limit_is_reached(&steps->memory))
        return found;
    steps->epochs =
        dft_tool_grow(steps->epochs, steps->epoch_count, &steps->epoch_room, sizeof *steps->epochs);
    steps->epochs[steps->epoch_count] =
        (struct dft_epoch){.all = {.epoch = epoch, .step = DFT_STEP_NONE, .first_ns = INT64_MAX}};
    dft_index_add(&steps->epoch_index, hash, (uint32_t)steps->epoch_count);
    steps->memory.used += 2 * sizeof *steps->epochs + 48;
    return (uint32_t)steps->epoch_count++;
}

static bool matches_process(const void *context, uint32_t number)
{
    const struct search *search = context;
    const struct process *process = &search->steps->processes[number];

    return process->epoch == search->epoch && process->pid == search->step;
}

static void note_process(struct dft_steps *steps, int64_t pid, uint32_t epoch)
{
    struct search search = {steps, epoch, pid};
    uint64_t hash = hash_pair(epoch, pid);

    if (dft_index_find(&steps->process_index, hash, matches_process, &search) != DFT_INDEX_NONE)
        return;
    steps->processes = dft_tool_grow(steps->processes, steps->process_count, &steps->process_room,
                                     sizeof *steps->processes);
    dft_index_add(&steps->process_index, hash, (uint32_t)steps->process_count);
    steps->processes[steps->process_count++] = (struct process){pid, epoch};
    steps->epochs[epoch].processes++;
}

static struct lane *find_lane(struct dft_steps *steps, const struct dft_event *event)
{
    size_t number = (size_t)(dft_threads_find_or_add(&steps->threads, event->pid, event->tid) -
                             steps->threads.list);

    while (steps->lane_count <= number) {
        steps->lanes =
            dft_tool_grow(steps->lanes, steps->lane_count, &steps->lane_room, sizeof *steps->lanes);
        steps->lanes[steps->lane_count++] = (struct lane){0};
    }
    return &steps->lanes[number];
}

/* --- events --- */

static int64_t add_times(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}

/* Where calls of a damaged trace overlap, the time inside others may be more than all of it. */
static int64_t add_change(int64_t time, int64_t change)
{
    int64_t sum = add_times(time, change);

    return sum > 0 ? sum : 0;
}

static void count_call(const struct dft_steps *steps, struct dft_step *row,
                       const struct dft_event *event, struct dft_outermost *calls, uint32_t bucket)
{
    int64_t start = add_times(event->ts_ns, steps->offset);
    int64_t end = add_times(start, event->dur_ns);

    row->calls++;
    row->sum_ns = add_times(row->sum_ns, event->dur_ns);
    row->total_ns = add_change(row->total_ns, dft_outermost_add(calls, bucket, event->ts_ns,
                                                                event->ts_ns + event->dur_ns));
    row->first_ns = start < row->first_ns ? start : row->first_ns;
    row->last_ns = end > row->last_ns ? end : row->last_ns;
}

static void count_epoch(struct dft_steps *steps, const struct dft_step_label *label,
                        const struct dft_event *event, struct lane *lane)
{
    uint32_t number = find_or_add_epoch(steps, label->epoch);

    if (number == DFT_INDEX_NONE)
        return;
    struct dft_epoch *epoch = &steps->epochs[number];
    note_process(steps, event->pid, number);
    count_call(steps, &epoch->all, event, &lane->levels[LEVEL_EPOCH], number);
    if (label->work == DFT_WORK_COUNT)
        return;
    uint32_t bucket = number * DFT_WORK_COUNT + label->work;
    int64_t change = dft_outermost_add(&lane->levels[LEVEL_WORK], bucket, event->ts_ns,
                                       event->ts_ns + event->dur_ns);
    epoch->work_ns[label->work] = add_change(epoch->work_ns[label->work], change);
}

static void note_call(struct dft_steps *steps, const struct dft_event *event)
{
    struct dft_step_label label = find_label(steps, event);
    uint32_t number;

    if (!label.is_counted)
        return;
    struct lane *lane = find_lane(steps, event);
    count_epoch(steps, &label, event, lane);
    if (label.step == DFT_STEP_NONE)
        return;
    size_t before = steps->count;
    number = find_or_add_step(steps, label.epoch, label.step);
    if (number == DFT_INDEX_NONE) {
        steps->left_out++;
        return;
    }
    if (steps->count > before) {
        uint32_t epoch = find_or_add_epoch(steps, label.epoch);
        if (epoch != DFT_INDEX_NONE)
            steps->epochs[epoch].steps++;
    }
    count_call(steps, &steps->list[number], event, &lane->levels[LEVEL_STEP], number);
}

/* --- the visitor --- */

static void close_lanes(struct dft_steps *steps)
{
    for (size_t i = 0; i < steps->lane_count; i++)
        for (size_t level = 0; level < LEVEL_COUNT; level++)
            dft_outermost_free(&steps->lanes[i].levels[level]);
    steps->lane_count = 0;
    dft_threads_close_trace(&steps->threads);
}

static void open_trace(void *context, const char *path)
{
    struct dft_steps *steps = context;

    steps->offset = 0;
    steps->process_count = 0;
    dft_index_free(&steps->process_index);
    memset(steps->known, 0, KNOWN_MAX * sizeof *steps->known);
    dft_companion_open(context, path);
}

static void see_event(void *context, struct dft_reader *reader, const struct dft_event *event)
{
    struct dft_steps *steps = context;

    if (event->kind == DFT_TRACE_CALL)
        note_call(steps, event);
    else if (event->kind == DFT_TRACE_START)
        dft_event_arg_int(event, "realtime_offset_ns", &steps->offset);
    dft_companion_event(context, reader, event);
}

static bool close_trace(void *context)
{
    struct dft_steps *steps = context;

    close_lanes(steps);
    return dft_companion_close(context);
}

struct dft_visitor dft_steps_visitor(struct dft_steps *steps, const struct dft_visitor *inner)
{
    struct dft_visitor visitor = dft_companion_visitor(&steps->companion, inner);

    visitor.open = open_trace;
    visitor.event = see_event;
    visitor.close = close_trace;
    return visitor;
}

/* --- results --- */

static int compare_steps(const void *left, const void *right)
{
    const struct dft_step *a = left, *b = right;

    if (a->epoch != b->epoch)
        return a->epoch < b->epoch ? -1 : 1;
    return a->step < b->step ? -1 : a->step > b->step;
}

/* The index is not valid afterwards: no trace follows. */
const struct dft_step *dft_steps_list(struct dft_steps *steps, size_t *count)
{
    *count = steps->count;
    if (steps->count > 1)
        qsort(steps->list, steps->count, sizeof *steps->list, compare_steps);
    return steps->list;
}

const struct dft_epoch *dft_steps_epochs(struct dft_steps *steps, size_t *count)
{
    *count = steps->epoch_count;
    if (steps->epoch_count > 1) /* an epoch begins with its row of times */
        qsort(steps->epochs, steps->epoch_count, sizeof *steps->epochs, compare_steps);
    return steps->epochs;
}

uint64_t dft_steps_left_out(const struct dft_steps *steps)
{
    return steps->left_out;
}

void dft_steps_free(struct dft_steps *steps)
{
    close_lanes(steps);
    dft_threads_free(&steps->threads);
    dft_index_free(&steps->index);
    dft_index_free(&steps->epoch_index);
    dft_index_free(&steps->process_index);
    free(steps->lanes);
    free(steps->processes);
    free(steps->known);
    free(steps->epochs);
    free(steps->list);
    free(steps);
}
