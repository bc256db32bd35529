/*
 * OpenTelemetry's JSON (OTLP/JSON): a span for each call, whose parent is the call around it.
 *
 * Everything but ids of a span is rendered when its event is read, and kept in a temporary file
 * until the calls around it are known.
 */
#include "tool/convert/gather.h"
#include "tool/convert/otlp_values.h"

#include "tool/base/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Further instants inside a span are spans of their own. */
#define EVENTS_MAX 1000

/* Instants of an open span. */
struct inside {
    size_t count;
    uint64_t details[EVENTS_MAX];
};

struct state {
    struct dft_gather gather;
    struct dft_out_file *out;
    FILE *bodies;
    uint64_t body_end;
    int error; /* of the temporary file */
    char *body;
    size_t body_room;
    uint64_t trace_id[2];
    uint32_t process;
    bool has_process;
    bool has_span;
};

static void *begin(struct dft_conversion *conversion)
{
    struct state *state = dft_tool_zeroed(1, sizeof *state);

    dft_gather_begin(&state->gather, conversion);
    state->out = conversion->out;
    state->bodies = tmpfile();
    state->error = state->bodies ? 0 : errno;
    return state;
}

/* --- bodies --- */

/* Keeps a text. Returns where it is. */
static uint64_t put_body(struct state *state, const char *text, size_t length)
{
    uint64_t at = state->body_end;
    uint64_t size = length;

    if (state->error == 0 && (fwrite(&size, sizeof size, 1, state->bodies) != 1 ||
                              fwrite(text, 1, length, state->bodies) != length))
        state->error = errno ? errno : EIO;
    state->body_end += sizeof size + length;
    return at;
}

static bool read_at(struct state *state, void *to, size_t length, uint64_t at)
{
    size_t done = 0;

    while (done < length && state->error == 0) {
        ssize_t got =
            pread(fileno(state->bodies), (char *)to + done, length - done, (off_t)(at + done));

        if (got <= 0)
            state->error = got < 0 ? errno : EIO;
        else
            done += (size_t)got;
    }
    return state->error == 0;
}

/* Writes a kept text to the output. */
static void copy_body(struct state *state, uint64_t at)
{
    uint64_t size = 0;

    if (!read_at(state, &size, sizeof size, at))
        return;
    if (size > state->body_room) {
        state->body = dft_tool_resize(state->body, size, 1);
        state->body_room = size;
    }
    if (read_at(state, state->body, size, at + sizeof size))
        dft_out_file_write(state->out, state->body, size);
}

static void add_body(struct state *state, struct dft_reader *reader, const struct dft_event *event,
                     bool is_point)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    if (!stream) {
        state->error = errno;
        return;
    }
    fputs("\"name\":", stream);
    dft_text_print_json(stream, event->name);
    fputs(",\"attributes\":[", stream);
    dft_otlp_put_attributes(stream, event);
    fputc(']', stream);
    fclose(stream);
    uint64_t detail = put_body(state, text, length);
    dft_gather_add(&state->gather, reader, event, is_point, detail);
    free(text);
}

static void add_event(void *context, struct dft_reader *reader, const struct dft_event *event)
{
    struct state *state = context;
    struct dft_gather *gather = &state->gather;

    if (dft_gather_is_call(event))
        add_body(state, reader, event, false);
    else if (event->kind == DFT_TRACE_INSTANT)
        add_body(state, reader, event, true);
    else if (!dft_rows_note(&gather->rows, gather->conversion->trace, reader, event))
        dft_gather_leave_out(gather, event);
}

/* --- spans --- */

/* Different numbers have different ids. */
static uint64_t mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

static uint64_t span_id(const struct state *state, const struct dft_nest_record *record)
{
    uint64_t id = mix(record->order ^ mix(state->trace_id[1]));

    return id ? id : 1;
}

static uint64_t wall_ns(const struct state *state, const struct dft_nest_record *record, int64_t ns)
{
    return (uint64_t)ns + (uint64_t)state->gather.rows.processes[record->row >> 32].offset;
}

static void put_span(struct state *state, const struct dft_nest_record *record,
                     const struct dft_nest_record *around, const struct inside *inside)
{
    struct dft_out_file *out = state->out;

    dft_out_file_format(
        out, "%s\n{\"traceId\":\"%016" PRIx64 "%016" PRIx64 "\",\"spanId\":\"%016" PRIx64 "\"",
        state->has_span ? "," : "", state->trace_id[0], state->trace_id[1], span_id(state, record));
    if (around)
        dft_out_file_format(out, ",\"parentSpanId\":\"%016" PRIx64 "\"", span_id(state, around));
    dft_out_file_format(out,
                        ",\"kind\":1,\"startTimeUnixNano\":\"%" PRIu64
                        "\",\"endTimeUnixNano\":\"%" PRIu64 "\",",
                        wall_ns(state, record, record->start), wall_ns(state, record, record->end));
    copy_body(state, record->detail);
    for (size_t i = 0; inside && i < inside->count; i++) {
        dft_out_file_text(out, i == 0 ? ",\"events\":[" : ",");
        copy_body(state, inside->details[i]);
    }
    dft_out_file_text(out, inside && inside->count > 0 ? "],\"status\":{}}" : ",\"status\":{}}");
    state->has_span = true;
}

static void open_call(void *context, struct dft_nest_call *calls, size_t depth)
{
    (void)context, (void)calls, (void)depth;
}

static void close_call(void *context, struct dft_nest_call *calls, size_t depth)
{
    struct dft_nest_call *call = &calls[depth - 1];

    put_span(context, &call->record, depth > 1 ? &calls[depth - 2].record : NULL, call->own);
    free(call->own);
    call->own = NULL;
}

/* An event of the span needs its time beside its body. */
static uint64_t make_event(struct state *state, const struct dft_nest_record *point)
{
    uint64_t size = 0;
    char *text;

    if (!read_at(state, &size, sizeof size, point->detail))
        return 0;
    char *body = dft_tool_zeroed(size + 1, 1);
    read_at(state, body, size, point->detail + sizeof size);
    text = dft_tool_format("{\"timeUnixNano\":\"%" PRIu64 "\",%s}",
                           wall_ns(state, point, point->start), body);
    uint64_t at = put_body(state, text, strlen(text));
    if (fflush(state->bodies) != 0 && state->error == 0)
        state->error = errno;
    free(body);
    free(text);
    return at;
}

static void add_point(void *context, struct dft_nest_call *calls, size_t depth,
                      const struct dft_nest_record *point)
{
    struct state *state = context;
    struct dft_nest_call *around = depth > 0 ? &calls[depth - 1] : NULL;
    struct inside *inside = around ? around->own : NULL;

    if (!around || (inside && inside->count == EVENTS_MAX)) {
        put_span(state, point, around ? &around->record : NULL, NULL);
        return;
    }
    if (!inside)
        around->own = inside = dft_tool_zeroed(1, sizeof *inside);
    inside->details[inside->count++] = make_event(state, point);
}

/* --- resources --- */

static void put_text_attribute(struct dft_out_file *out, const char *before, const char *key,
                               struct dft_text value)
{
    dft_out_file_format(out, "%s{\"key\":\"%s\",\"value\":{\"stringValue\":", before, key);
    dft_out_file_json(out, value);
    dft_out_file_text(out, "}}");
}

static void put_resource(struct state *state, const struct dft_row_process *process)
{
    struct dft_out_file *out = state->out;
    struct dft_text name = process->name.length > 0 ? process->name : dft_text("unknown");

    dft_out_file_text(out, state->has_process ? "\n]}]},\n" : "\n");
    dft_out_file_text(out, "{\"resource\":{\"attributes\":[");
    put_text_attribute(out, "", "service.name", name);
    dft_out_file_format(out, ",{\"key\":\"process.pid\",\"value\":{\"intValue\":\"%" PRId64 "\"}}",
                        process->pid);
    if (process->command.length > 0)
        put_text_attribute(out, ",", "process.command_line", process->command);
    if (process->host.length > 0)
        put_text_attribute(out, ",", "host.name", process->host);
    if (process->metadata.length > 0) {
        char *text = NULL;
        size_t length = 0;
        FILE *stream = open_memstream(&text, &length);

        if (stream) {
            dft_otlp_put_members(stream, process->metadata);
            fclose(stream);
            dft_out_file_text(out, ",");
            dft_out_file_write(out, text, length);
        }
        free(text);
    }
    dft_out_file_text(
        out, "]},\"scopeSpans\":[{\"scope\":{\"name\":\"dftrace\",\"version\":\"" DFTRACE_VERSION
             "\"},\"spans\":[");
}

static void begin_row(void *context, uint64_t key)
{
    struct state *state = context;
    uint32_t process = (uint32_t)(key >> 32);

    if (state->has_process && state->process == process)
        return;
    put_resource(state, &state->gather.rows.processes[process]);
    state->process = process;
    state->has_process = true;
    state->has_span = false;
}

static void end_row(void *context, uint64_t key)
{
    (void)context, (void)key;
}

/* All processes of one conversion belong to one trace. */
static void make_trace_id(struct state *state)
{
    const struct dft_rows *rows = &state->gather.rows;
    uint64_t hash = dft_hash_number(14, (uint64_t)state->gather.first_ns);

    for (size_t i = 0; i < rows->process_count; i++) {
        const struct dft_row_process *process = &rows->processes[i];

        hash = dft_hash_text(dft_hash_text(hash, process->host), process->command);
        hash = dft_hash_number(dft_hash_number(hash, (uint64_t)process->pid),
                               (uint64_t)process->offset);
    }
    state->trace_id[0] = mix(hash);
    state->trace_id[1] = mix(state->trace_id[0]) | 1;
}

static void end(void *context)
{
    struct state *state = context;
    struct dft_nest_visitor visitor = {
        .context = state,
        .open = open_call,
        .close = close_call,
        .point = add_point,
        .begin_row = begin_row,
        .end_row = end_row,
    };
    bool is_complete;

    make_trace_id(state);
    if (state->error == 0 && fflush(state->bodies) != 0)
        state->error = errno;
    dft_out_file_text(state->out, "{\"resourceSpans\":[");
    dft_nest_walk(state->gather.nest, &visitor, &is_complete);
    dft_out_file_text(state->out, state->has_process ? "\n]}]}\n]}\n" : "]}\n");
    if (state->error != 0)
        dft_tool_error("the temporary file failed: %s", strerror(state->error));
    if (state->error != 0 || !is_complete)
        dft_out_file_give_up(state->out);
    if (state->bodies)
        fclose(state->bodies);
    dft_gather_end(&state->gather);
    free(state->body);
    free(state);
}

const struct dft_target dft_target_otlp = {
    .name = "otlp",
    .extensions = ".otlp.json .otlp",
    .help = "spans of OpenTelemetry (OTLP/JSON)",
    .has_members = true,
    .begin = begin,
    .event = add_event,
    .end = end,
};
