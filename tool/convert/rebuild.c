/*
 * The formats that the writer has encoders for: JSON, DFTracer's lines, Perfetto's format.
 */
#include "tool/convert/rebuild.h"

#include "dftrace/events.h"
#include "tool/base/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct dft_encoding_site named_site(struct dft_rebuild *rebuild,
                                           const struct dft_event *event)
{
    return (struct dft_encoding_site){
        .name = dft_rebuild_text(rebuild, event->name),
        .category = dft_rebuild_text(rebuild, event->cat),
        .flags = DFT_SITE_EVENT,
    };
}

static struct dft_encoding_event moment(struct dft_rebuild *rebuild, const struct dft_event *event,
                                        unsigned kind)
{
    uint64_t ns = event->has_ts && event->ts_ns > 0 ? (uint64_t)event->ts_ns : 0;

    return (struct dft_encoding_event){
        .kind = kind,
        .start_ns = ns,
        .end_ns = ns,
        .tid = dft_rebuild_id(rebuild, event->tid),
        .attachments = rebuild->attachments.bytes,
        .length = (uint32_t)rebuild->attachments.used,
    };
}

/* --- the program's events --- */

static bool is_mark(const struct dft_event *event, struct dft_text key)
{
    (void)event;
    return dft_text_is(key, "instant");
}

static void add_instant(struct dft_rebuild *rebuild, const struct dft_event *event)
{
    struct dft_encoding_process *process = dft_rebuild_process(rebuild, event);
    struct dft_encoding_site site = named_site(rebuild, event);

    dft_rebuild_args(rebuild, event, is_mark);
    struct dft_encoding_event instant = moment(rebuild, event, DFT_RECORDED_INSTANT);
    instant.site = dft_encoding_site(process, &site);
    dft_encoding_add(process, &instant);
}

static void add_flow(struct dft_rebuild *rebuild, struct dft_reader *reader,
                     const struct dft_event *event)
{
    struct dft_record_flow read = dft_record_read_flow(reader, event);
    struct dft_encoding_event flow = moment(rebuild, event, DFT_RECORDED_FLOW);

    flow.detail = (unsigned char)read.phase;
    flow.value = read.id;
    dft_encoding_add(dft_rebuild_process(rebuild, event), &flow);
}

static void add_metadata(struct dft_rebuild *rebuild, struct dft_reader *reader,
                         const struct dft_event *event)
{
    struct dft_record_metadata read = dft_record_read_metadata(reader, event);

    dft_attachment_list_add_arg(&rebuild->attachments, read.key, read.value, &rebuild->scratch);
    struct dft_encoding_event metadata = moment(rebuild, event, DFT_RECORDED_METADATA);
    struct dft_encoding_process *process = dft_rebuild_process(rebuild, event);
    if (!event->has_ts) /* it holds for the whole process */
        metadata.start_ns = metadata.end_ns = dft_encoding_start_ns(process);
    dft_encoding_add(process, &metadata);
}

/* A number, or a string with a number that JSON cannot express. False: something else. */
static bool read_value(struct dft_reader *reader, struct dft_text raw,
                       struct dft_encoding_event *counter)
{
    char text[64];
    char *end;
    struct dft_text token = *raw.at == '"' ? dft_reader_decode(reader, raw) : raw;
    double number;

    if (token.length == 0 || token.length >= sizeof text)
        return false;
    memcpy(text, token.at, token.length);
    text[token.length] = '\0';
    errno = 0;
    counter->detail = DFTRACE_TYPE_INT;
    counter->value = (uint64_t)strtoll(text, &end, 10);
    if (*end == '\0' && errno == 0)
        return true;
    errno = 0;
    counter->detail = DFTRACE_TYPE_UINT;
    counter->value = strtoull(text, &end, 10);
    if (*end == '\0' && errno == 0 && *text != '-')
        return true;
    number = strtod(text, &end);
    counter->detail = DFTRACE_TYPE_DOUBLE;
    memcpy(&counter->value, &number, sizeof number);
    return *end == '\0';
}

/* Each value of a counter is a counter of its own, with the key as its unit. */
static void add_counter(struct dft_rebuild *rebuild, struct dft_reader *reader,
                        const struct dft_event *event)
{
    struct dft_encoding_process *process = dft_rebuild_process(rebuild, event);
    struct dft_encoding_site site = named_site(rebuild, event);
    struct dft_encoding_event counter = moment(rebuild, event, DFT_RECORDED_COUNTER);

    for (size_t i = 0; i < event->arg_count; i++) {
        const struct dft_arg *arg = &event->args[i];

        if (dft_record_is_format_arg(arg->key))
            continue;
        if (!read_value(reader, arg->value, &counter)) {
            dft_losses_add(rebuild->conversion->losses, "value of a counter that is no number",
                           "values of counters that are no numbers", 1);
            continue;
        }
        bool has_unit = !dft_text_is(arg->key, "value");
        site.types = has_unit ? dft_rebuild_text(rebuild, arg->key) : "";
        counter.site = dft_encoding_site(process, &site);
        dft_encoding_add(process, &counter);
    }
}

/* --- all --- */

static void add_any(struct dft_rebuild *rebuild, struct dft_reader *reader,
                    const struct dft_event *event)
{
    struct dft_losses *losses = rebuild->conversion->losses;

    switch (event->kind) {
    case DFT_TRACE_CALL:
    case DFT_TRACE_WAIT:
    case DFT_TRACE_BOOKKEEPING:
        dft_rebuild_call(rebuild, reader, event);
        break;
    case DFT_TRACE_INSTANT:
        add_instant(rebuild, event);
        break;
    case DFT_TRACE_OWN_COUNTER:
        add_counter(rebuild, reader, event);
        break;
    case DFT_TRACE_COUNTER:
        if (!dft_rebuild_usage(rebuild, event))
            add_counter(rebuild, reader, event);
        break;
    case DFT_TRACE_FLOW:
        add_flow(rebuild, reader, event);
        break;
    case DFT_TRACE_METADATA:
        add_metadata(rebuild, reader, event);
        break;
    case DFT_TRACE_FUNCTION:
        dft_rebuild_function(rebuild, reader, event);
        break;
    case DFT_TRACE_AGGREGATE:
    case DFT_TRACE_THROTTLED:
        dft_rebuild_aggregate(rebuild, event);
        break;
    case DFT_TRACE_THROTTLING:
        dft_rebuild_throttling(rebuild, reader, event);
        break;
    case DFT_TRACE_THREAD_NAME:
        dft_encoding_name_thread(dft_rebuild_process(rebuild, event),
                                 dft_rebuild_id(rebuild, event->tid),
                                 dft_rebuild_text_arg(rebuild, reader, event, "name"));
        break;
    case DFT_TRACE_PROCESS_NAME:
    case DFT_TRACE_START:
        dft_rebuild_process(rebuild, event);
        break;
    case DFT_TRACE_END:
        dft_rebuild_end(rebuild, reader, event);
        break;
    case DFT_TRACE_HASH:
    case DFT_TRACE_FLOW_MARK: /* never passed on */
        break;
    case DFT_TRACE_PAIR:
        dft_losses_add(losses, "end of a call without its begin", "ends of calls without begins",
                       1);
        break;
    case DFT_TRACE_FOREIGN:
        dft_losses_add_foreign(losses, event->ph);
        break;
    }
}

static void add_event(void *context, struct dft_reader *reader, const struct dft_event *event)
{
    struct dft_rebuild *rebuild = context;
    struct dft_event shifted = *event;
    int64_t end;

    if (event->has_ts &&
        (__builtin_add_overflow(event->ts_ns, dft_rebuild_shift(rebuild, event), &shifted.ts_ns) ||
         __builtin_add_overflow(shifted.ts_ns, event->dur_ns, &end) || shifted.ts_ns < 0)) {
        dft_losses_add(rebuild->conversion->losses, "event with a negative time",
                       "events with negative times", 1);
        return;
    }
    dft_scratch_reset(&rebuild->scratch);
    rebuild->attachments.used = 0;
    add_any(rebuild, reader, &shifted);
}

static void *begin(struct dft_conversion *conversion, enum dft_trace_format format)
{
    struct dft_rebuild *rebuild = dft_tool_zeroed(1, sizeof *rebuild);

    rebuild->conversion = conversion;
    rebuild->encoding = dft_encoding_new(format, conversion->out);
    return rebuild;
}

static void end(void *context)
{
    struct dft_rebuild *rebuild = context;

    dft_encoding_finish(rebuild->encoding);
    dft_rebuild_free_processes(rebuild);
    dft_scratch_free(&rebuild->scratch);
    free(rebuild->attachments.bytes);
    free(rebuild);
}

static void *begin_json(struct dft_conversion *conversion)
{
    return begin(conversion, DFT_FORMAT_JSON);
}

static void *begin_dftracer(struct dft_conversion *conversion)
{
    return begin(conversion, DFT_FORMAT_DFTRACER);
}

static void *begin_perfetto(struct dft_conversion *conversion)
{
    return begin(conversion, DFT_FORMAT_PERFETTO);
}

/* Everything but the name, the extensions, the help and the beginning is the same for all. */
#define REBUILT                                                                                    \
    .has_members = true, .survey = dft_rebuild_survey, .event = add_event,                         \
    .end_trace = dft_rebuild_end_trace, .end = end

const struct dft_target dft_target_json = {
    .name = "json",
    .extensions = ".pfw .json",
    .help = "JSON as dftrace writes it by default: for Perfetto and many others",
    .begin = begin_json,
    REBUILT,
};

const struct dft_target dft_target_dftracer = {
    .name = "dftracer",
    .extensions = ".dftracer.pfw .dftracer",
    .help = "the lines of DFTracer, for DFAnalyzer and dftracer-utils",
    .begin = begin_dftracer,
    REBUILT,
};

const struct dft_target dft_target_perfetto = {
    .name = "perfetto",
    .extensions = ".pftrace .perfetto-trace",
    .help = "Perfetto's own format, which is smaller and faster to open",
    .begin = begin_perfetto,
    REBUILT,
};
