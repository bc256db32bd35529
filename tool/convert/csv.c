/*
 * Comma-separated values (RFC 4180): one row for each event, one for each value of a counter. Args
 * are in one field, as JSON.
 */
#include "tool/convert/convert.h"

#include "tool/base/tool.h"

#include <inttypes.h>
#include <stdlib.h>

struct state {
    struct dft_out_file *out;
};

static const char *name_kind(const struct dft_event *event)
{
    switch (event->kind) {
    case DFT_TRACE_CALL:
        return "call";
    case DFT_TRACE_WAIT:
        return "wait";
    case DFT_TRACE_BOOKKEEPING:
        return "bookkeeping";
    case DFT_TRACE_AGGREGATE:
        return "aggregate";
    case DFT_TRACE_THROTTLED:
        return "throttled";
    case DFT_TRACE_THROTTLING:
        return "throttling";
    case DFT_TRACE_INSTANT:
        return "instant";
    case DFT_TRACE_COUNTER:
        return "process counter";
    case DFT_TRACE_OWN_COUNTER:
        return "counter";
    case DFT_TRACE_FLOW:
        return "flow";
    case DFT_TRACE_METADATA:
        return "metadata";
    case DFT_TRACE_FUNCTION:
        return "function";
    case DFT_TRACE_THREAD_NAME:
        return "thread name";
    case DFT_TRACE_PROCESS_NAME:
        return "process name";
    case DFT_TRACE_START:
        return "start";
    case DFT_TRACE_END:
        return "end";
    case DFT_TRACE_HASH:
        return "hash";
    case DFT_TRACE_PAIR:
        return "end of a call";
    case DFT_TRACE_FLOW_MARK: /* never passed on */
    case DFT_TRACE_FOREIGN:
        break;
    }
    return "other";
}

/* A field with a comma, a quote or a line end is in quotes; quotes inside are doubled. */
static void put_field(struct dft_out_file *out, struct dft_text text)
{
    bool is_plain = true;

    for (size_t i = 0; i < text.length && is_plain; i++)
        is_plain = text.at[i] != ',' && text.at[i] != '"' && text.at[i] != '\n' &&
                   text.at[i] != '\r' && text.at[i] != '\0';
    if (is_plain) {
        dft_out_file_write(out, text.at, text.length);
        return;
    }
    dft_out_file_write(out, "\"", 1);
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] == '"')
            dft_out_file_write(out, "\"", 1);
        dft_out_file_write(out, text.at + i, text.at[i] != '\0');
    }
    dft_out_file_write(out, "\"", 1);
}

static void put_last_comma(struct dft_out_file *out)
{
    dft_out_file_write(out, ",", 1);
}

/* The fields that every row has: type,name,category,pid,tid,start_us,duration_us,file,line */
static void put_common(struct dft_out_file *out, struct dft_reader *reader,
                       const struct dft_event *event)
{
    struct dft_text file;
    int64_t line;

    dft_event_place(reader, event, &file, &line);
    put_field(out, dft_text(name_kind(event)));
    put_last_comma(out);
    put_field(out, event->name);
    put_last_comma(out);
    put_field(out, event->cat);
    dft_out_file_format(out, ",%" PRId64 ",%" PRId64 ",", event->pid, event->tid);
    if (event->has_ts)
        dft_out_file_microseconds(out, event->ts_ns);
    put_last_comma(out);
    if (event->has_dur)
        dft_out_file_microseconds(out, event->dur_ns);
    put_last_comma(out);
    put_field(out, file);
    put_last_comma(out);
    if (file.length > 0)
        dft_out_file_format(out, "%" PRId64, line);
}

/* Whether an arg has a column of its own. */
static bool is_in_column(const struct dft_event *event, struct dft_text key)
{
    return dft_event_is_place_arg(event, key) && event->kind != DFT_TRACE_FUNCTION;
}

static struct dft_text make_args(const struct dft_event *event)
{
    FILE *stream;
    char *text = NULL;
    size_t length = 0;
    bool is_first = true;

    stream = open_memstream(&text, &length);
    for (size_t i = 0; stream && i < event->arg_count; i++) {
        const struct dft_arg *arg = &event->args[i];

        if (is_in_column(event, arg->key) || dft_record_is_format_arg(arg->key))
            continue;
        fputs(is_first ? "{" : ",", stream);
        dft_text_print_json(stream, arg->key);
        fputc(':', stream);
        dft_text_print_utf8(stream, arg->value);
        is_first = false;
    }
    if (stream && !is_first)
        fputc('}', stream);
    if (stream)
        fclose(stream);
    return (struct dft_text){text, length};
}

static void put_counter(struct dft_out_file *out, struct dft_reader *reader,
                        const struct dft_event *event)
{
    for (size_t i = 0; i < event->arg_count; i++) {
        const struct dft_arg *arg = &event->args[i];

        if (dft_record_is_format_arg(arg->key))
            continue;
        put_common(out, reader, event);
        put_last_comma(out);
        put_field(out, arg->value);
        put_last_comma(out);
        put_field(out, arg->key);
        dft_out_file_text(out, ",,\r\n");
    }
}

static void add_event(void *context, struct dft_reader *reader, const struct dft_event *event)
{
    struct state *state = context;
    struct dft_out_file *out = state->out;

    if (event->kind == DFT_TRACE_COUNTER || event->kind == DFT_TRACE_OWN_COUNTER) {
        put_counter(out, reader, event);
        return;
    }
    put_common(out, reader, event);
    dft_out_file_text(out, ",,,");
    if (event->kind == DFT_TRACE_FLOW) {
        struct dft_record_flow flow = dft_record_read_flow(reader, event);

        dft_out_file_format(out, "0x%" PRIx64, flow.id);
        put_last_comma(out);
        put_field(out, dft_text(flow.phase == 's'   ? "{\"flow\":\"begin\"}"
                                : flow.phase == 'f' ? "{\"flow\":\"end\"}"
                                                    : "{\"flow\":\"step\"}"));
    } else {
        put_field(out, event->id);
        put_last_comma(out);
        struct dft_text args = make_args(event);

        put_field(out, args);
        free((char *)args.at);
    }
    dft_out_file_text(out, "\r\n");
}

static void *begin(struct dft_conversion *conversion)
{
    struct state *state = dft_tool_zeroed(1, sizeof *state);

    state->out = conversion->out;
    dft_out_file_text(state->out, "type,name,category,pid,tid,start_us,duration_us,file,line,value,"
                                  "unit,id,args\r\n");
    return state;
}

static void end(void *state)
{
    free(state);
}

const struct dft_target dft_target_csv = {
    .name = "csv",
    .extensions = ".csv",
    .help = "a table with one row for each event",
    .has_members = true,
    .begin = begin,
    .event = add_event,
    .end = end,
};
