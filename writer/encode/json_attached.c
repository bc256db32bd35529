/*
 * Attachments of a call as JSON. Runs in any of the writer's threads; pure. The attachments may
 * come from a damaged spool: what is not of the size that its kind has is left out.
 */
#include "writer/encode/json_attached.h"

#include <string.h>

#define NUMBER_ROOM 24

static bool append_unsigned(struct dft_buffer *out, const char *key, uint64_t value)
{
    if (!dft_append_text(out, key) || !dft_buffer_reserve(out, NUMBER_ROOM))
        return false;
    dft_put_unsigned(out, value);
    return true;
}

static bool append_signed(struct dft_buffer *out, const char *key, int64_t value)
{
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;

    if (!dft_append_text(out, key) || (value < 0 && !dft_append_text(out, "-")) ||
        !dft_buffer_reserve(out, NUMBER_ROOM))
        return false;
    dft_put_unsigned(out, size);
    return true;
}

static bool append_microseconds(struct dft_buffer *out, const char *key, uint64_t ns)
{
    if (!dft_append_text(out, key) || !dft_buffer_reserve(out, NUMBER_ROOM))
        return false;
    dft_put_microseconds(out, ns);
    return true;
}

/* A share of `whole`, in percent with one decimal. */
static bool append_percent(struct dft_buffer *out, const char *key, uint64_t part, uint64_t whole)
{
    uint64_t tenths = whole ? (uint64_t)(((unsigned __int128)part * 1000 + whole / 2) / whole) : 0;

    return append_unsigned(out, key, tenths / 10) && append_unsigned(out, ".", tenths % 10);
}

static bool append_sample_args(const struct dft_call *call, const struct dft_sample *sample,
                               struct dft_buffer *out)
{
    uint64_t duration = call->end_ns - call->start_ns;

    return append_microseconds(out, ",\"cpu_us\":", sample->cpu_ns) &&
           append_percent(out, ",\"cpu_pct\":", sample->cpu_ns, duration) &&
           (sample->rss_kb == 0 || /* there is no /proc */
            (append_unsigned(out, ",\"rss_kb\":", sample->rss_kb) &&
             append_signed(out, ",\"rss_delta_kb\":", sample->rss_delta_kb))) &&
           (sample->peak_rss_kb == 0 ||
            append_unsigned(out, ",\"peak_rss_kb\":", sample->peak_rss_kb)) &&
           append_unsigned(out, ",\"minflt\":", sample->minor_faults) &&
           append_unsigned(out, ",\"majflt\":", sample->major_faults) &&
           append_unsigned(out, ",\"vcsw\":", sample->voluntary_switches) &&
           append_unsigned(out, ",\"ivcsw\":", sample->involuntary_switches);
}

static bool append_heap_args(const struct dft_attachment_view *view, struct dft_buffer *out)
{
    struct dft_heap_sample heap;

    if (view->kind != DFT_ATTACHMENT_HEAP || view->length != sizeof heap)
        return true;
    memcpy(&heap, view->bytes, sizeof heap);
    return append_unsigned(out, ",\"alloc_bytes\":", heap.bytes) &&
           append_unsigned(out, ",\"alloc_count\":", heap.count);
}

/* Time of calls inside that have no event of their own. */
static bool append_added_args(const struct dft_attachment_view *view, struct dft_buffer *out)
{
    struct dft_added added;

    if (view->kind != DFT_ATTACHMENT_ADDED || view->length != sizeof added)
        return true;
    memcpy(&added, view->bytes, sizeof added);
    bool negative = added.ns < 0;
    uint64_t ns = negative ? -(uint64_t)added.ns : (uint64_t)added.ns;
    return dft_append_text(out, added.estimated ? ",\"estimated_us\":" : ",\"aggregated_us\":") &&
           append_microseconds(out, negative ? "-" : "", ns);
}

static bool read_sample(const struct dft_call *call, const struct dft_attachment_view *view,
                        struct dft_sample *sample)
{
    uint64_t duration = call->end_ns - call->start_ns;

    if (view->kind != DFT_ATTACHMENT_SAMPLE || view->length != sizeof *sample)
        return false;
    memcpy(sample, view->bytes, sizeof *sample);
    /* Its readings stand around those of the call's times; no thread has more than one processor.
     */
    if (sample->cpu_ns > duration)
        sample->cpu_ns = duration;
    return true;
}

bool dft_json_append_attached_args(const struct dft_call *call, const struct dft_attached *attached,
                                   struct dft_buffer *out)
{
    const unsigned char *at = attached->bytes, *end = at + attached->length;
    struct dft_attachment_view view;
    struct dft_sample sample;

    while (dft_attachments_next(&at, end, &view))
        if ((read_sample(call, &view, &sample) && !append_sample_args(call, &sample, out)) ||
            !append_heap_args(&view, out) || !append_added_args(&view, out))
            return false;
    return true;
}

bool dft_json_append_attached_fields(const struct dft_call *call,
                                     const struct dft_attached *attached, struct dft_buffer *out)
{
    const unsigned char *at = attached->bytes, *end = at + attached->length;
    struct dft_attachment_view view;
    struct dft_sample sample;

    while (dft_attachments_next(&at, end, &view))
        if (read_sample(call, &view, &sample) &&
            (!append_microseconds(out, ",\"tts\":", sample.cpu_start_ns) ||
             !append_microseconds(out, ",\"tdur\":", sample.cpu_ns)))
            return false;
    return true;
}
