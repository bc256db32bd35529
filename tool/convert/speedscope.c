/*
 * Speedscope's own file format: one profile for each thread, in which calls open and close in the
 * order of time.
 */
#include "tool/convert/gather.h"

#include "tool/base/tool.h"

#include <inttypes.h>
#include <stdlib.h>

struct state {
    struct dft_gather gather;
    struct dft_out_file *out;
    bool has_profile;
    bool has_event;
};

static void *begin(struct dft_conversion *conversion)
{
    struct state *state = dft_tool_zeroed(1, sizeof *state);

    dft_gather_begin(&state->gather, conversion);
    state->out = conversion->out;
    return state;
}

static void add_event(void *context, struct dft_reader *reader, const struct dft_event *event)
{
    struct state *state = context;
    struct dft_gather *gather = &state->gather;

    if (dft_gather_is_call(event))
        dft_gather_add(gather, reader, event, false, 0);
    else if (!dft_rows_note(&gather->rows, gather->conversion->trace, reader, event))
        dft_gather_leave_out(gather, event);
}

/* --- writing --- */

static void put_frames(struct state *state)
{
    const struct dft_function_table *functions = &state->gather.functions;

    for (size_t i = 0; i < functions->count; i++) {
        const struct dft_function *function = &functions->functions[i];

        dft_out_file_text(state->out, i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
        dft_out_file_json(state->out, function->name);
        if (function->file.length > 0) {
            dft_out_file_text(state->out, ",\"file\":");
            dft_out_file_json(state->out, function->file);
        }
        if (function->file.length > 0 && function->line > 0)
            dft_out_file_format(state->out, ",\"line\":%" PRId64, function->line);
        dft_out_file_text(state->out, "}");
    }
}

static void begin_row(void *context, uint64_t key)
{
    struct state *state = context;
    const struct dft_rows *rows = &state->gather.rows;
    char *name = dft_rows_label(rows, (uint32_t)key);

    if (rows->processes_with_calls > 1) {
        char *process = dft_rows_process_label(rows, (uint32_t)(key >> 32));
        char *both = dft_tool_format("%s, %s", process, name);

        free(process);
        free(name);
        name = both;
    }
    dft_out_file_text(state->out, state->has_profile ? ",\n{\"type\":\"evented\",\"name\":"
                                                     : "\n{\"type\":\"evented\",\"name\":");
    dft_out_file_json(state->out, dft_text(name));
    dft_out_file_format(state->out,
                        ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":%" PRIu64
                        ",\"events\":[",
                        (uint64_t)state->gather.last_ns - (uint64_t)state->gather.first_ns);
    state->has_profile = true;
    state->has_event = false;
    free(name);
}

static void end_row(void *context, uint64_t key)
{
    struct state *state = context;

    (void)key;
    dft_out_file_text(state->out, "\n]}");
}

static void put_event(struct state *state, char type, const struct dft_nest_record *record,
                      int64_t at)
{
    dft_out_file_format(state->out,
                        "%s\n{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64 "}",
                        state->has_event ? "," : "", type, record->name,
                        (uint64_t)at - (uint64_t)state->gather.first_ns);
    state->has_event = true;
}

static void open_call(void *context, struct dft_nest_call *calls, size_t depth)
{
    put_event(context, 'O', &calls[depth - 1].record, calls[depth - 1].record.start);
}

static void close_call(void *context, struct dft_nest_call *calls, size_t depth)
{
    put_event(context, 'C', &calls[depth - 1].record, calls[depth - 1].record.end);
}

/* The first command line or name of a process. */
static struct dft_text name_trace(const struct dft_rows *rows)
{
    for (size_t i = 0; i < rows->process_count; i++) {
        const struct dft_row_process *process = &rows->processes[i];

        if (process->command.length > 0 || process->name.length > 0)
            return process->command.length > 0 ? process->command : process->name;
    }
    return dft_text("trace");
}

static void end(void *context)
{
    struct state *state = context;
    struct dft_gather *gather = &state->gather;
    struct dft_nest_visitor visitor = {
        .context = state,
        .cut = true,
        .open = open_call,
        .close = close_call,
        .begin_row = begin_row,
        .end_row = end_row,
    };
    bool is_complete;

    dft_out_file_text(state->out,
                      "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                      "\"exporter\":\"dftrace " DFTRACE_VERSION "\",\n\"name\":");
    dft_out_file_json(state->out, name_trace(&gather->rows));
    dft_out_file_text(state->out, ",\n\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[");
    put_frames(state);
    dft_out_file_text(state->out, "\n]},\n\"profiles\":[");
    uint64_t cut = dft_nest_walk(gather->nest, &visitor, &is_complete);
    if (!is_complete)
        dft_out_file_give_up(state->out);
    dft_losses_add(gather->conversion->losses, "call's time behind the end of its caller",
                   "calls' times behind the ends of their callers", cut);
    dft_out_file_text(state->out, "\n]}\n");
    dft_gather_end(gather);
    free(state);
}

const struct dft_target dft_target_speedscope = {
    .name = "speedscope",
    .extensions = ".speedscope.json .speedscope",
    .help = "a profile for https://www.speedscope.app",
    .begin = begin,
    .event = add_event,
    .end = end,
};
