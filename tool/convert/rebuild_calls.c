/*
 * Calls: what their args say becomes the attachments that the args were made from.
 */
#include "tool/convert/rebuild.h"

#include <string.h>

/* Args of samples: if the first one is there, the others are as well. */
#define SAMPLE_KEY "cpu_us"
#define HEAP_KEY "alloc_bytes"

static uint64_t number_arg(const struct dft_event *event, const char *key)
{
    int64_t number;

    return dft_event_arg_int(event, key, &number) && number > 0 ? (uint64_t)number : 0;
}

static void add_sample(struct dft_rebuild *rebuild, const struct dft_event *event)
{
    struct dft_sample sample = {
        .cpu_start_ns = event->has_tts ? (uint64_t)event->tts_ns : 0,
        .rss_kb = number_arg(event, "rss_kb"),
        .peak_rss_kb = number_arg(event, "peak_rss_kb"),
        .minor_faults = (uint32_t)number_arg(event, "minflt"),
        .major_faults = (uint32_t)number_arg(event, "majflt"),
        .voluntary_switches = (uint32_t)number_arg(event, "vcsw"),
        .involuntary_switches = (uint32_t)number_arg(event, "ivcsw"),
    };
    int64_t cpu_ns;

    if (!dft_event_arg_decimal(event, SAMPLE_KEY, 3, &cpu_ns) || cpu_ns < 0)
        return;
    sample.cpu_ns = (uint64_t)cpu_ns;
    if (!dft_event_arg_int(event, "rss_delta_kb", &sample.rss_delta_kb))
        sample.rss_delta_kb = 0;
    dft_attachment_list_add(&rebuild->attachments, DFT_ATTACHMENT_SAMPLE, &sample, sizeof sample);
}

static void add_heap(struct dft_rebuild *rebuild, const struct dft_event *event)
{
    const struct dft_heap_sample heap = {number_arg(event, HEAP_KEY),
                                         number_arg(event, "alloc_count")};

    if (dft_event_arg(event, HEAP_KEY))
        dft_attachment_list_add(&rebuild->attachments, DFT_ATTACHMENT_HEAP, &heap, sizeof heap);
}

static void add_added(struct dft_rebuild *rebuild, const struct dft_event *event)
{
    struct dft_added added = {.estimated = 0};

    if (!dft_event_arg_decimal(event, "aggregated_us", 3, &added.ns)) {
        if (!dft_event_arg_decimal(event, "estimated_us", 3, &added.ns))
            return;
        added.estimated = 1;
    }
    dft_attachment_list_add(&rebuild->attachments, DFT_ATTACHMENT_ADDED, &added, sizeof added);
}

/* Whether an arg of a call is something else than a value of the program. */
static bool is_attachment(const struct dft_event *event, struct dft_text key)
{
    static const char *const always[] = {"unfinished", "aggregated_us", "estimated_us"};
    static const char *const of_samples[] = {"cpu_us",       "cpu_pct",     "rss_kb",
                                             "rss_delta_kb", "peak_rss_kb", "minflt",
                                             "majflt",       "vcsw",        "ivcsw"};

    if (dft_event_is_place_arg(event, key) || dft_rebuild_is_file(event, key))
        return true;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        if (dft_text_is(key, always[i]))
            return true;
    }
    for (size_t i = 0; i < sizeof of_samples / sizeof *of_samples; i++) {
        if (dft_text_is(key, of_samples[i]))
            return dft_event_arg(event, SAMPLE_KEY) != NULL;
    }
    return (dft_text_is(key, HEAP_KEY) || dft_text_is(key, "alloc_count")) &&
           dft_event_arg(event, HEAP_KEY) != NULL;
}

void dft_rebuild_args(struct dft_rebuild *rebuild, const struct dft_event *event,
                      bool (*is_other)(const struct dft_event *event, struct dft_text key))
{
    for (size_t i = 0; i < event->arg_count; i++) {
        const struct dft_arg *arg = &event->args[i];

        if (dft_record_is_format_arg(arg->key) || (is_other && is_other(event, arg->key)))
            continue;
        if (!dft_attachment_list_add_arg(&rebuild->attachments, arg->key, arg->value,
                                         &rebuild->scratch))
            dft_losses_add(rebuild->conversion->losses, "value longer than 64 KB (cut)",
                           "values longer than 64 KB (cut)", 1);
    }
}

void dft_rebuild_call(struct dft_rebuild *rebuild, struct dft_reader *reader,
                      const struct dft_event *event)
{
    struct dft_encoding_process *process = dft_rebuild_process(rebuild, event);
    struct dft_encoding_site site = {
        .name = dft_rebuild_text(rebuild, event->name),
        .category = dft_rebuild_text(rebuild, event->cat),
        /* The place of a function is in the args. */
        .flags = dft_event_is_place_arg(event, dft_text("line")) ? 0 : DFT_SITE_EVENT,
    };
    struct dft_text file;
    int64_t line;

    dft_event_place(reader, event, &file, &line);
    site.file = dft_rebuild_text(rebuild, file);
    if (line > 0 && line <= UINT32_MAX)
        site.line = (uint32_t)line;
    add_sample(rebuild, event);
    add_heap(rebuild, event);
    add_added(rebuild, event);
    dft_rebuild_files(rebuild, reader, event);
    dft_rebuild_args(rebuild, event, is_attachment);
    const struct dft_encoding_event call = {
        .kind = DFT_RECORDED_CALL,
        .start_ns = (uint64_t)event->ts_ns,
        .end_ns = (uint64_t)(event->ts_ns + event->dur_ns),
        .site = dft_encoding_site(process, &site),
        .tid = dft_rebuild_id(rebuild, event->tid),
        .unfinished = dft_event_arg_true(event, "unfinished"),
        .from_pair = event->raw.length == 0,
        .attachments = rebuild->attachments.bytes,
        .length = (uint32_t)rebuild->attachments.used,
    };
    dft_encoding_add(process, &call);
}
