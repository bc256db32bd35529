/*
 * Batches of events, each of which becomes a member of the trace.
 */
#include "tool/convert/encoding.h"

#include "tool/base/tool.h"
#include "tool/convert/call_order.h"
#include "tool/convert/site_table.h"
#include "writer/encode/encoder.h"

#include <stdlib.h>
#include <string.h>

#define BATCH_CALLS 65536
#define BATCH_BYTES ((size_t)8 << 20)
#define PIECE_CALLS 256
#define SEQUENCE_BITS 22
#define BLOCK_TEXT ((size_t)128 << 10)

struct dft_encoding_process {
    struct dft_encoding *encoding;
    struct dft_encoding_process *next;
    struct dft_trace_start start;
    struct dft_site_table sites;
    struct dft_call_order order;
    struct dft_buffer state; /* the encoder's */
    struct dft_output output;
    struct dft_gzip gzip;     /* of Perfetto's packets */
    struct dft_buffer member; /* compressed */
    uint64_t events;          /* of all kinds in earlier batches */
    bool has_begun;           /* the start has been written */
    bool has_ended;           /* the batch has the end */

    /* The batch: */
    struct dft_buffer heads; /* struct dft_event */
    struct dft_buffer calls; /* struct dft_call */
    struct dft_buffer attached;
    struct dft_buffer after; /* struct dft_event */
};

struct dft_encoding {
    const struct dft_encoder *encoder;
    enum dft_trace_format format;
    struct dft_out_file *out;
    struct dft_encoding_process *processes;
    uint64_t process_count;
    bool has_text; /* something was written */
};

static void need(bool has_memory)
{
    if (has_memory)
        return;
    dft_tool_error("out of memory");
    exit(DFT_EXIT_FAILED);
}

static void append(struct dft_buffer *buffer, const void *bytes, size_t length)
{
    need(dft_buffer_reserve(buffer, length));
    if (length > 0)
        dft_put_bytes(buffer, bytes, length);
}

/* --- output --------------------------------------------------------------------------------- */

/* JSON and DFTracer's lines have brackets around them: one pair for all processes. */
static bool has_brackets(const struct dft_encoding *encoding)
{
    return encoding->format != DFT_FORMAT_PERFETTO;
}

static void write_text(struct dft_encoding_process *process, bool begins, bool ends)
{
    struct dft_encoding *encoding = process->encoding;
    bool is_json = encoding->format == DFT_FORMAT_JSON;
    struct dft_buffer *text = &process->output.text;
    size_t skipped = 0;

    if (begins && encoding->has_text) {
        skipped = strlen("[\n");
        dft_out_file_text(encoding->out, is_json ? ",\n" : "");
    }
    if (ends)
        text->used -= strlen(is_json ? "]" : "]\n");
    dft_out_file_write(encoding->out, text->data + skipped, text->used - skipped);
    encoding->has_text = true;
    text->used = process->output.repeats.used = 0;
}

/* Each member of Perfetto's format is compressed, unless the whole file is. */
static void write_packets(struct dft_encoding_process *process, bool is_last)
{
    struct dft_output *output = &process->output;
    struct dft_out_file *out = process->encoding->out;

    if (dft_out_file_is_compressed(out)) {
        dft_out_file_write(out, output->text.data, output->text.used);
        output->text.used = output->repeats.used = 0;
        return;
    }
    need(dft_gzip_add(&process->gzip, output, &process->member));
    if (!is_last)
        return;
    need(dft_gzip_close_member(&process->gzip, output, &process->member));
    dft_out_file_write(out, process->member.data, process->member.used);
    process->member.used = 0;
}

static void write_if_due(struct dft_encoding_process *process)
{
    const struct dft_output *output = &process->output;

    if (output->text.used - output->kept < BLOCK_TEXT)
        return;
    if (has_brackets(process->encoding))
        write_text(process, false, false);
    else
        write_packets(process, false);
}

/* --- batches -------------------------------------------------------------------------------- */

static bool is_empty(const struct dft_encoding_process *process)
{
    return process->has_begun && process->heads.used == 0 && process->calls.used == 0 &&
           process->after.used == 0;
}

static void encode_events(struct dft_encoding_process *process, struct dft_buffer *events)
{
    const struct dft_event *list = (const struct dft_event *)events->data;
    const struct dft_encoder *encoder = process->encoding->encoder;

    for (size_t i = 0; i < events->used / sizeof *list; i++) {
        need(encoder->event(&process->start, process->state.data, &list[i], &process->output));
        process->events++;
        if (list[i].kind != DFT_EVENT_END)
            write_if_due(process);
    }
    events->used = 0;
}

static void encode_start(struct dft_encoding_process *process)
{
    const struct dft_event event = {.kind = DFT_EVENT_START};
    const struct dft_encoder *encoder = process->encoding->encoder;

    need(encoder->event(&process->start, process->state.data, &event, &process->output));
    process->events++;
    process->has_begun = true;
    if (has_brackets(process->encoding))
        write_text(process, true, false);
}

static void encode_calls(struct dft_encoding_process *process)
{
    const struct dft_call *calls = (const struct dft_call *)process->calls.data;
    size_t count = process->calls.used / sizeof *calls;
    const struct dft_encoder *encoder = process->encoding->encoder;

    for (size_t i = 0; i < count; i += PIECE_CALLS) {
        struct dft_calls piece = {.calls = calls + i,
                                  .count = count - i < PIECE_CALLS ? count - i : PIECE_CALLS,
                                  .attached = process->attached.data};

        need(encoder->calls(&process->start, process->state.data, &piece, &process->output));
        write_if_due(process);
    }
    process->events += count;
}

static void make_state(struct dft_encoding_process *process)
{
    size_t size = process->encoding->encoder->state_size;

    if (process->state.used > 0)
        return;
    need(dft_buffer_reserve(&process->state, size));
    process->state.used = size; /* fresh pages are zero */
}

/* Writes the batch as a member. */
static void flush(struct dft_encoding_process *process)
{
    struct dft_member member = {.first_event = process->events,
                                .calls = (struct dft_call *)process->calls.data,
                                .call_count = process->calls.used / sizeof(struct dft_call),
                                .attached = process->attached.data};

    if (is_empty(process))
        return;
    make_state(process);
    need(process->encoding->encoder->begin_member(&process->start, process->state.data, &member,
                                                  &process->output));
    if (!process->has_begun)
        encode_start(process);
    encode_events(process, &process->heads);
    encode_calls(process);
    encode_events(process, &process->after);
    if (has_brackets(process->encoding))
        write_text(process, false, process->has_ended);
    else
        write_packets(process, true);
    process->has_ended = false;
    process->calls.used = process->attached.used = 0;
}

static void put_event(struct dft_encoding_process *process, struct dft_buffer *to,
                      const struct dft_event *event)
{
    append(to, event, sizeof *event);
    if (to->used > BATCH_BYTES)
        flush(process);
}

/* --- the program's events ------------------------------------------------------------------- */

/* Takes a call whose turn it is, or another event. */
static void take(void *context, const struct dft_encoding_event *event)
{
    struct dft_encoding_process *process = context;
    struct dft_call call = {
        .start_ns = event->start_ns,
        .end_ns = event->end_ns,
        .site = event->site & 0x3fffffffu,
        .unfinished = event->unfinished,
    };

    if (event->kind == DFT_RECORDED_CALL && event->length == 0) {
        call.tid = event->tid;
    } else {
        struct dft_attached attached = {
            .kind = event->kind,
            .tid = event->tid,
            .length = event->length,
            .detail = event->detail,
            .value = event->value,
        };
        static const char padding[8];

        call.attached = 1;
        call.place = (uint32_t)process->attached.used;
        append(&process->attached, &attached, sizeof attached);
        append(&process->attached, event->attachments, event->length);
        append(&process->attached, padding, (8 - process->attached.used % 8) % 8);
    }
    append(&process->calls, &call, sizeof call);
    if (process->calls.used / sizeof call >= BATCH_CALLS || process->attached.used >= BATCH_BYTES)
        flush(process);
}

void dft_encoding_add(struct dft_encoding_process *process, const struct dft_encoding_event *event)
{
    if (event->kind == DFT_RECORDED_CALL) {
        dft_call_order_add(&process->order, event);
        return;
    }
    dft_call_order_advance(&process->order, event->tid, event->start_ns);
    take(process, event);
}

uint64_t dft_encoding_start_ns(const struct dft_encoding_process *process)
{
    return process->start.monotonic_ns;
}

/* --- sites ---------------------------------------------------------------------------------- */

uint32_t dft_encoding_site(struct dft_encoding_process *process,
                           const struct dft_encoding_site *site)
{
    return dft_site_table_find(&process->sites, site);
}

void dft_encoding_track(struct dft_encoding_process *process, int32_t tid, const char *path,
                        int32_t parent)
{
    if (tid >= DFT_TRACK_TID)
        dft_site_table_add_track(&process->sites, (uint32_t)(tid - DFT_TRACK_TID), path,
                                 parent >= DFT_TRACK_TID ? (uint32_t)(parent - DFT_TRACK_TID) : 0);
}

/* --- events of the process ------------------------------------------------------------------ */

void dft_encoding_describe(struct dft_encoding_process *process, uint32_t site)
{
    const struct dft_event event = {.kind = DFT_EVENT_FUNCTION, .site = site};

    put_event(process, &process->heads, &event);
}

uint32_t dft_encoding_file(struct dft_encoding_process *process, const char *name)
{
    const struct dft_encoding_site site = {
        .name = name, .category = DFT_FILE_CATEGORY, .flags = DFT_SITE_EVENT};
    size_t before = process->sites.count;
    const struct dft_event event = {.kind = DFT_EVENT_FILE,
                                    .site = dft_encoding_site(process, &site)};

    if (process->sites.count > before && process->encoding->encoder->wants_files)
        put_event(process, &process->heads, &event);
    return event.site;
}

void dft_encoding_name_thread(struct dft_encoding_process *process, int32_t tid, const char *name)
{
    struct dft_event event = {.kind = DFT_EVENT_THREAD, .thread = {.tid = tid}};
    const struct dft_encoding_site site = {.name = name, .flags = DFT_SITE_EVENT};

    if (strlen(name) < sizeof event.thread.name)
        memcpy(event.thread.name, name, strlen(name) + 1);
    else
        event.thread.label = dft_encoding_site(process, &site);
    put_event(process, &process->after, &event);
}

void dft_encoding_counter(struct dft_encoding_process *process, const char *name, uint64_t ns,
                          const struct dft_encoding_value *values, unsigned count)
{
    const struct dft_encoding_site names[2] = {{.name = name, .flags = DFT_SITE_EVENT}};
    struct dft_event event = {.kind = DFT_EVENT_COUNTER, .counter = {.ns = ns, .count = count}};
    struct dft_site_view view;

    /* The texts must stay valid until the batch is written. */
    dft_site_table_read(&process->sites, dft_encoding_site(process, &names[0]), &view);
    event.counter.name = view.name;
    for (unsigned i = 0; i < count && i < DFT_ENCODING_VALUES_MAX; i++) {
        const struct dft_encoding_site key = {.name = values[i].key, .flags = DFT_SITE_EVENT};

        dft_site_table_read(&process->sites, dft_encoding_site(process, &key), &view);
        event.counter.values[i].key = view.name;
        event.counter.values[i].value = values[i].value;
        event.counter.values[i].tenths = values[i].tenths;
    }
    put_event(process, &process->after, &event);
}

void dft_encoding_aggregate(struct dft_encoding_process *process,
                            const struct dft_encoding_aggregate *aggregate)
{
    const struct dft_event event = {
        .kind = DFT_EVENT_AGGREGATE,
        .aggregate = {.site = aggregate->site,
                      .estimated = aggregate->estimated,
                      .first_ns = aggregate->first_ns,
                      .count = aggregate->count,
                      .sum_ns = aggregate->sum_ns,
                      .min_ns = aggregate->min_ns,
                      .max_ns = aggregate->max_ns,
                      .self_ns = aggregate->self_ns,
                      .self_estimated = aggregate->self_estimated},
    };

    put_event(process, &process->after, &event);
}

void dft_encoding_throttling(struct dft_encoding_process *process, uint32_t site, uint64_t ns,
                             uint64_t calls, uint64_t calls_ns, uint64_t cost_ns,
                             uint64_t window_ns)
{
    const struct dft_event event = {
        .kind = DFT_EVENT_THROTTLED,
        .throttling = {.site = site,
                       .ns = ns,
                       .calls = calls,
                       .calls_ns = calls_ns,
                       .cost_ns = cost_ns,
                       .window_ns = window_ns},
    };

    put_event(process, &process->after, &event);
}

void dft_encoding_end(struct dft_encoding_process *process, uint64_t ns,
                      const struct dft_totals *totals, int write_error)
{
    const struct dft_event event = {
        .kind = DFT_EVENT_END, .end = {.ns = ns, .totals = *totals, .write_error = write_error}};

    dft_call_order_finish(&process->order);
    append(&process->after, &event, sizeof event);
    process->has_ended = true;
    flush(process);
}

/* --- files ---------------------------------------------------------------------------------- */

struct dft_encoding *dft_encoding_new(enum dft_trace_format format, struct dft_out_file *out)
{
    struct dft_encoding *encoding = dft_tool_zeroed(1, sizeof *encoding);

    encoding->encoder = dft_encoder_of(format);
    encoding->format = format;
    encoding->out = out;
    return encoding;
}

static const char *copy(const char *text)
{
    return text ? dft_tool_copy(text, strlen(text)) : dft_tool_copy("", 0);
}

struct dft_encoding_process *dft_encoding_begin(struct dft_encoding *encoding,
                                                const struct dft_encoding_start *start)
{
    struct dft_encoding_process *process = dft_tool_zeroed(1, sizeof *process);

    /* Perfetto's encoder makes the numbers of sequences from that of the first event. */
    if (!has_brackets(encoding))
        process->events = encoding->process_count++ << SEQUENCE_BITS;
    process->encoding = encoding;
    process->next = encoding->processes;
    encoding->processes = process;
    process->order.context = process;
    process->order.take = take;
    process->gzip.container = encoding->encoder->container;
    process->start = (struct dft_trace_start){
        .monotonic_ns = start->monotonic_ns,
        .realtime_ns = start->realtime_ns,
        .metadata = start->metadata,
        .pid = start->pid,
        .ppid = start->ppid,
        .rank = start->rank,
        .rank_count = start->rank_count,
        .app = copy(start->app),
        .command = copy(start->command),
        .exe = copy(start->exe),
        .directory = copy(start->directory),
        .host = copy(start->host),
        .cores = copy(start->cores),
        .sample_cost_ns = start->sample_cost_ns,
        .budget = start->budget,
        .call_cost_ns = start->call_cost_ns,
        .count_cost_ns = start->count_cost_ns,
        .sites = {dft_site_table_read, &process->sites},
    };
    return process;
}

static void free_process(struct dft_encoding_process *process)
{
    struct dft_trace_start *start = &process->start;
    const char *texts[] = {start->app,       start->command, start->exe,
                           start->directory, start->host,    start->cores};
    struct dft_buffer *buffers[] = {
        &process->state, &process->output.text, &process->output.repeats, &process->member,
        &process->heads, &process->calls,       &process->attached,       &process->after};

    if (process->state.used > 0)
        process->encoding->encoder->release(process->state.data);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free((char *)texts[i]);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        dft_buffer_release(buffers[i]);
    dft_gzip_release(&process->gzip);
    dft_site_table_free(&process->sites);
    dft_call_order_free(&process->order);
    free(process);
}

void dft_encoding_finish(struct dft_encoding *encoding)
{
    while (encoding->processes) {
        struct dft_encoding_process *process = encoding->processes;

        dft_call_order_finish(&process->order);
        flush(process);
        encoding->processes = process->next;
        free_process(process);
    }
    if (has_brackets(encoding) && !encoding->has_text)
        dft_out_file_text(encoding->out, "[\n");
    if (has_brackets(encoding))
        dft_out_file_text(encoding->out, encoding->format == DFT_FORMAT_JSON ? "]" : "]\n");
    free(encoding);
}
