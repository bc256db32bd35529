/*
 * Folded stacks, for flame graphs: a line for each stack of calls, with the self time of its
 * innermost call in microseconds.
 *
 * A stack begins with its process if there are several, and with its thread if a process has
 * several. Calls without an event of their own have no stack: they are below one frame.
 */
#include "tool/convert/gather.h"

#include "tool/analysis/call_tree.h"
#include "tool/base/tool.h"

#include <inttypes.h>
#include <stdlib.h>

#define WITHOUT_EVENT "(calls without an event)"

struct state {
    struct dft_gather gather;
    struct dft_out_file *out;
    struct dft_call_tree *tree;
    uint32_t root; /* of the current thread */
    uint32_t *path;
    size_t path_room;
};

static void *begin(struct dft_conversion *conversion)
{
    struct state *state = dft_tool_zeroed(1, sizeof *state);

    dft_gather_begin(&state->gather, conversion);
    state->out = conversion->out;
    state->tree = dft_call_tree_new(&state->gather.memory);
    return state;
}

/* A frame that is no function. */
static uint32_t make_frame(struct state *state, struct dft_text name)
{
    struct dft_function_key key = {.name = name, .category = {"", 0}, .file = {"", 0}};

    return dft_functions_find_or_add(&state->gather.functions, &key);
}

static void add_aggregate(struct state *state, const struct dft_event *event)
{
    struct dft_record_aggregate calls = dft_record_read_aggregate(event);
    uint32_t parent =
        dft_call_tree_child(state->tree, DFT_TREE_ROOT, make_frame(state, dft_text(WITHOUT_EVENT)));
    uint32_t node = dft_call_tree_child(state->tree, parent, make_frame(state, calls.function));

    dft_call_tree_count(state->tree, node, (uint64_t)calls.count, calls.sum_ns, calls.self_ns);
}

static void add_event(void *context, struct dft_reader *reader, const struct dft_event *event)
{
    struct state *state = context;
    struct dft_gather *gather = &state->gather;

    if (dft_gather_is_call(event))
        dft_gather_add(gather, reader, event, false, dft_event_arg(event, "cpu_us") != NULL);
    else if (event->kind == DFT_TRACE_AGGREGATE || event->kind == DFT_TRACE_THROTTLED)
        add_aggregate(state, event);
    else if (!dft_rows_note(&gather->rows, gather->conversion->trace, reader, event))
        dft_gather_leave_out(gather, event);
}

/* --- adding up --- */

static void begin_row(void *context, uint64_t key)
{
    struct state *state = context;
    const struct dft_rows *rows = &state->gather.rows;

    state->root = DFT_TREE_ROOT;
    if (rows->processes_with_calls > 1) {
        char *label = dft_rows_process_label(rows, (uint32_t)(key >> 32));

        state->root =
            dft_call_tree_child(state->tree, state->root, make_frame(state, dft_text(label)));
        free(label);
    }
    if (rows->with_calls > rows->processes_with_calls) {
        char *label = dft_rows_label(rows, (uint32_t)key);

        state->root =
            dft_call_tree_child(state->tree, state->root, make_frame(state, dft_text(label)));
        free(label);
    }
}

static void end_row(void *context, uint64_t key)
{
    (void)context;
    (void)key;
}

static void open_call(void *context, struct dft_nest_call *calls, size_t depth)
{
    struct state *state = context;
    struct dft_nest_call *call = &calls[depth - 1];
    uint32_t around = depth > 1 ? (uint32_t)calls[depth - 2].number : state->root;

    call->number = dft_call_tree_child(state->tree, around, call->record.name);
}

static void close_call(void *context, struct dft_nest_call *calls, size_t depth)
{
    struct state *state = context;
    struct dft_nest_call *call = &calls[depth - 1];
    const struct dft_rows *rows = &state->gather.rows;
    int64_t length = call->record.end - call->record.start;
    int64_t self = length > call->inside ? length - call->inside : 0;

    if (call->record.detail && depth > 1) /* the cost of sampling it, as the report does */
        calls[depth - 2].record.less += rows->processes[call->record.row >> 32].sample_cost;
    dft_call_tree_count(state->tree, (uint32_t)call->number, 1, length, self - call->record.less);
}

/* --- writing --- */

/* The separators of the format cannot be in a name. */
static void put_name(struct state *state, struct dft_text name)
{
    for (size_t i = 0; i < name.length; i++) {
        unsigned char byte = (unsigned char)name.at[i];

        dft_out_file_write(state->out,
                           byte == ';'                   ? ":"
                           : byte < 0x20 || byte == 0x7f ? " "
                                                         : &name.at[i],
                           1);
    }
}

static void put_stack(struct state *state, uint32_t node)
{
    const struct dft_function *functions = state->gather.functions.functions;
    size_t depth = 0;

    for (; node != DFT_TREE_ROOT; node = state->tree->nodes[node].parent) {
        state->path = dft_tool_grow(state->path, depth, &state->path_room, sizeof *state->path);
        state->path[depth++] = state->tree->nodes[node].function;
    }
    while (depth > 0) {
        put_name(state, functions[state->path[--depth]].name);
        dft_out_file_write(state->out, depth > 0 ? ";" : " ", 1);
    }
}

/* Microseconds without zeros at the end. */
static void put_time(struct dft_out_file *out, uint64_t ns)
{
    uint64_t rest = ns % 1000;

    if (rest == 0)
        dft_out_file_format(out, "%" PRIu64 "\n", ns / 1000);
    else if (rest % 100 == 0)
        dft_out_file_format(out, "%" PRIu64 ".%" PRIu64 "\n", ns / 1000, rest / 100);
    else if (rest % 10 == 0)
        dft_out_file_format(out, "%" PRIu64 ".%02" PRIu64 "\n", ns / 1000, rest / 10);
    else
        dft_out_file_format(out, "%" PRIu64 ".%03" PRIu64 "\n", ns / 1000, rest);
}

static void end(void *context)
{
    struct state *state = context;
    struct dft_nest_visitor visitor = {
        .context = state,
        .open = open_call,
        .close = close_call,
        .begin_row = begin_row,
        .end_row = end_row,
    };
    bool is_complete;

    dft_nest_walk(state->gather.nest, &visitor, &is_complete);
    if (!is_complete)
        dft_out_file_give_up(state->out);
    for (uint32_t i = 0; i < state->tree->count; i++) {
        if (i == DFT_TREE_ROOT || state->tree->nodes[i].self_ns <= 0)
            continue;
        put_stack(state, i);
        put_time(state->out, (uint64_t)state->tree->nodes[i].self_ns);
    }
    dft_call_tree_free(state->tree);
    free(state->path);
    dft_gather_end(&state->gather);
    free(state);
}

const struct dft_target dft_target_folded = {
    .name = "folded",
    .extensions = ".folded .collapsed",
    .help = "folded stacks with their self times in microseconds, for flame graphs",
    .has_members = true,
    .begin = begin,
    .event = add_event,
    .end = end,
};
