/*
 * The parts of a call besides its time, as JSON: samples, arguments, results. Pure; runs in any of
 * the writer's threads. Attachments and descriptions may come from a damaged spool: an attachment
 * with the wrong size for its kind is ignored, and the first value that does not fit its
 * description ends the values.
 */
#include "writer/encode/json_args.h"
#include "dftrace/abi.h"
#include "spool/values.h"
#include "writer/encode/json_text.h"
#include "writer/encode/real.h"

#include <stdio.h>

/* --- samples -------------------------------------------------------------------------------- */

/* A share of `whole`, in percent with one decimal. */
static bool append_percent(struct dft_buffer *out, const char *key, uint64_t part, uint64_t whole)
{
    uint64_t tenths = whole ? (uint64_t)(((unsigned __int128)part * 1000 + whole / 2) / whole) : 0;

    return dft_json_append_tenths(out, key, tenths);
}

static bool append_sample_args(const struct dft_call *call, const struct dft_sample *sample,
                               struct dft_buffer *out)
{
    uint64_t duration = call->end_ns - call->start_ns;

    return dft_json_append_time(out, ",\"cpu_us\":", sample->cpu_ns) &&
           append_percent(out, ",\"cpu_pct\":", sample->cpu_ns, duration) &&
           (sample->rss_kb == 0 || /* there is no /proc */
            (dft_json_append_unsigned(out, ",\"rss_kb\":", sample->rss_kb) &&
             dft_json_append_signed(out, ",\"rss_delta_kb\":", sample->rss_delta_kb))) &&
           (sample->peak_rss_kb == 0 ||
            dft_json_append_unsigned(out, ",\"peak_rss_kb\":", sample->peak_rss_kb)) &&
           dft_json_append_unsigned(out, ",\"minflt\":", sample->minor_faults) &&
           dft_json_append_unsigned(out, ",\"majflt\":", sample->major_faults) &&
           dft_json_append_unsigned(out, ",\"vcsw\":", sample->voluntary_switches) &&
           dft_json_append_unsigned(out, ",\"ivcsw\":", sample->involuntary_switches);
}

static bool append_heap_args(const struct dft_attachment_view *view, struct dft_buffer *out)
{
    struct dft_heap_sample heap;

    if (view->kind != DFT_ATTACHMENT_HEAP || view->length != sizeof heap)
        return true;
    memcpy(&heap, view->bytes, sizeof heap);
    return dft_json_append_unsigned(out, ",\"alloc_bytes\":", heap.bytes) &&
           dft_json_append_unsigned(out, ",\"alloc_count\":", heap.count);
}

/* Appends the time of calls inside that have no event of their own. */
static bool append_added_args(const struct dft_attachment_view *view, struct dft_buffer *out)
{
    struct dft_added added;

    if (view->kind != DFT_ATTACHMENT_ADDED || view->length != sizeof added)
        return true;
    memcpy(&added, view->bytes, sizeof added);
    bool negative = added.ns < 0;
    uint64_t ns = negative ? -(uint64_t)added.ns : (uint64_t)added.ns;
    return dft_append_text(out, added.estimated ? ",\"estimated_us\":" : ",\"aggregated_us\":") &&
           dft_json_append_time(out, negative ? "-" : "", ns);
}

static bool read_sample(const struct dft_call *call, const struct dft_attachment_view *view,
                        struct dft_sample *sample)
{
    uint64_t duration = call->end_ns - call->start_ns;

    if (view->kind != DFT_ATTACHMENT_SAMPLE || view->length != sizeof *sample)
        return false;
    memcpy(sample, view->bytes, sizeof *sample);
    /*
     * The sample is read before the call's start and after its end, so its CPU time may be too
     * long. No thread uses more than one processor.
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

bool dft_attached_sample(const struct dft_call *call, const struct dft_attached *attached,
                         struct dft_sample *sample)
{
    const unsigned char *at = attached->bytes, *end = at + attached->length;
    struct dft_attachment_view view;

    while (dft_attachments_next(&at, end, &view))
        if (read_sample(call, &view, sample))
            return true;
    return false;
}

bool dft_json_append_attached_fields(const struct dft_call *call,
                                     const struct dft_attached *attached, struct dft_buffer *out)
{
    struct dft_sample sample;

    return !dft_attached_sample(call, attached, &sample) ||
           (dft_json_append_time(out, ",\"tts\":", sample.cpu_start_ns) &&
            dft_json_append_time(out, ",\"tdur\":", sample.cpu_ns));
}

/* --- values --------------------------------------------------------------------------------- */

#define RESULT_KEY "return"

/* The bytes that are left to read. */
struct in {
    const unsigned char *at, *end;
};

/* The next `length` bytes; NULL if there are fewer. */
static const unsigned char *take(struct in *in, size_t length)
{
    const unsigned char *bytes = in->at;

    if ((size_t)(in->end - in->at) < length)
        return NULL;
    in->at += length;
    return bytes;
}

static uint64_t read_unsigned(const unsigned char *bytes, unsigned size)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight = 0;

    switch (size) {
    case sizeof one:
        memcpy(&one, bytes, sizeof one);
        return one;
    case sizeof two:
        memcpy(&two, bytes, sizeof two);
        return two;
    case sizeof four:
        memcpy(&four, bytes, sizeof four);
        return four;
    default:
        memcpy(&eight, bytes, size < sizeof eight ? size : sizeof eight);
        return eight;
    }
}

/* An integer of 128 bits, in this machine's byte order. */
static bool append_wide(struct dft_buffer *out, const unsigned char *bytes, bool is_signed)
{
    unsigned __int128 bits;
    char text[48], *at = text + sizeof text;

    memcpy(&bits, bytes, sizeof bits);
    bool negative = is_signed && (__int128)bits < 0;
    bool fits = negative ? (__int128)bits >= INT64_MIN : bits <= INT64_MAX;
    if (negative)
        bits = -bits;
    *--at = '\0';
    if (!fits)
        *--at = '"';
    do
        *--at = (char)('0' + (int)(bits % 10));
    while ((bits /= 10) != 0);
    if (negative)
        *--at = '-';
    if (!fits)
        *--at = '"';
    return dft_append_text(out, at);
}

static bool append_complex(struct dft_buffer *out, const unsigned char *bytes, unsigned size)
{
    return dft_append_text(out, "[") && dft_append_json_real(out, bytes, size / 2) &&
           dft_append_text(out, ",") && dft_append_json_real(out, bytes + size / 2, size / 2) &&
           dft_append_text(out, "]");
}

/* A damaged description may name any size. */
static bool append_quad(struct dft_buffer *out, const unsigned char *bytes, unsigned size)
{
    unsigned char whole[16] = {0};

    memcpy(whole, bytes, size < sizeof whole ? size : sizeof whole);
    return dft_append_json_quad(out, whole);
}

static bool append_integer(struct dft_buffer *out, uint64_t bits, unsigned size, bool is_signed)
{
    unsigned shift = size < 8 ? 64 - 8 * size : 0;

    return is_signed ? dft_json_append_signed(out, "", (int64_t)(bits << shift) >> shift)
                     : dft_json_append_any_unsigned(out, bits);
}

static bool append_char(struct dft_buffer *out, unsigned char byte)
{
    char text[8];
    int length = byte >= 0x20 && byte < 0x7f ? snprintf(text, sizeof text, "%c", byte)
                                             : snprintf(text, sizeof text, "\\x%02x", byte);
    return dft_json_append_bytes(out, text, (size_t)length);
}

/* Sets `*missing` if the bytes end before the text does. */
static bool append_text(struct dft_buffer *out, struct in *in, unsigned char state, bool *missing)
{
    const unsigned char *length = take(in, 1);
    const unsigned char *text = length ? take(in, *length) : NULL;

    if (!text || state > DFT_VALUE_CUT) {
        *missing = true;
        return true;
    }
    return state == DFT_VALUE_CUT ? dft_json_append_cut(out, (const char *)text, *length)
                                  : dft_json_append_bytes(out, (const char *)text, *length);
}

/*
 * Text, or a value that is read from an address, begins with a state. If only the address is known,
 * appends the address.
 */
static bool append_stated(struct dft_buffer *out, struct in *in, bool *is_whole, bool *missing,
                          unsigned char *state)
{
    const unsigned char *byte = take(in, 1), *address;

    *is_whole = byte && *byte != DFT_VALUE_ADDRESS;
    *state = byte ? *byte : 0;
    if (*is_whole)
        return true;
    address = byte ? take(in, sizeof(uint64_t)) : NULL;
    *missing = !address;
    return *missing || dft_json_append_hex(out, read_unsigned(address, sizeof(uint64_t)));
}

static bool is_text(char letter)
{
    return letter == DFTRACE_VALUE_TEXT || letter == DFTRACE_VALUE_STRING ||
           letter == DFTRACE_VALUE_VIEW;
}

static bool append_number(struct dft_buffer *out, const struct dft_value_shape *shape,
                          const unsigned char *bytes)
{
    uint64_t bits = read_unsigned(bytes, shape->size);

    switch (shape->letter) {
    case DFTRACE_VALUE_BOOL:
        return dft_append_text(out, bits ? "true" : "false");
    case DFTRACE_VALUE_CHAR:
        return append_char(out, bytes[0]);
    case DFTRACE_VALUE_FLOAT:
        return dft_append_json_real(out, bytes, shape->size);
    case DFTRACE_VALUE_QUAD:
        return append_quad(out, bytes, shape->size);
    case DFTRACE_VALUE_COMPLEX:
        return append_complex(out, bytes, shape->size);
    case DFTRACE_VALUE_POINTER:
        return dft_json_append_hex(out, bits);
    default:
        if (shape->size == 16)
            return append_wide(out, bytes, shape->letter == DFTRACE_VALUE_SIGNED);
        return append_integer(out, bits, shape->size, shape->letter == DFTRACE_VALUE_SIGNED);
    }
}

static bool append_value(struct dft_buffer *out, const struct dft_value_shape *shape, struct in *in,
                         bool *missing)
{
    bool is_whole = true;
    unsigned char state;

    if (shape->letter == DFTRACE_VALUE_TYPE)
        return dft_json_append_bytes(out, shape->type, shape->type_length);
    if (shape->is_reference && !append_stated(out, in, &is_whole, missing, &state))
        return false;
    if (!is_whole)
        return true;
    if (is_text(shape->letter)) {
        if (!append_stated(out, in, &is_whole, missing, &state))
            return false;
        return !is_whole || append_text(out, in, state, missing);
    }
    const unsigned char *bytes = take(in, shape->size);
    *missing = !bytes;
    return *missing || append_number(out, shape, bytes);
}

/* Whether an earlier argument, or the result, has the same name. */
static bool is_used(const char *text, const struct dft_value_shape *shape)
{
    struct dft_value_shape other;

    if (shape->name_length == sizeof RESULT_KEY - 1 &&
        memcmp(shape->name, RESULT_KEY, shape->name_length) == 0)
        return true;
    while (dft_value_next(&text, &other) && other.name < shape->name)
        if (!other.is_result && other.name_length == shape->name_length &&
            memcmp(other.name, shape->name, shape->name_length) == 0)
            return true;
    return false;
}

/* An argument without a unique name is called by its position: "#2", "rest#2". */
static bool append_key(struct dft_buffer *out, const char *text,
                       const struct dft_value_shape *shape, unsigned place)
{
    char number[16];

    if (shape->is_result)
        return dft_append_text(out, "\"" RESULT_KEY "\":");
    if (!dft_json_append_bytes(out, shape->name, shape->name_length))
        return false;
    if (shape->name_length == 0 || is_used(text, shape)) {
        snprintf(number, sizeof number, "#%u\"", place);
        out->used--;
        if (!dft_append_text(out, number))
            return false;
    }
    return dft_append_text(out, ":");
}

/* Appends the fields of the result, or of the arguments. `*first`: there is no field yet. */
static bool append_fields(struct dft_buffer *out, const char *text, struct in in, bool result,
                          bool *first)
{
    struct dft_value_shape shape;
    const char *at = text;
    bool missing = false;

    for (unsigned place = 1; dft_value_next(&at, &shape); place += !shape.is_result) {
        size_t before = out->used;
        if (shape.is_result != result)
            continue;
        if ((!*first && !dft_append_text(out, ",")) || !append_key(out, text, &shape, place) ||
            !append_value(out, &shape, &in, &missing))
            return false;
        if (missing) {
            out->used = before;
            return true;
        }
        *first = false;
    }
    return true;
}

bool dft_json_append_values(const struct dft_trace_start *start, const struct dft_call *call,
                            const struct dft_attached *attached, struct dft_buffer *out)
{
    const unsigned char *at = attached->bytes, *end = at + attached->length;
    struct dft_attachment_view view;
    struct dft_site_view site;
    bool found = false, first = true;
    unsigned seen = 0; /* bits of kinds: a damaged spool may have a kind twice */

    while (dft_attachments_next(&at, end, &view)) {
        if ((view.kind != DFT_ATTACHMENT_ARGUMENTS && view.kind != DFT_ATTACHMENT_RESULT) ||
            (seen >> view.kind & 1))
            continue;
        seen |= 1u << view.kind;
        if (!found && !start->sites.read(start->sites.source, call->site, &site))
            return true;
        if (!found && !dft_append_text(out, ",\"values\":{"))
            return false;
        found = true;
        struct in in = {view.bytes, view.bytes + view.length};
        if (!append_fields(out, site.values, in, view.kind == DFT_ATTACHMENT_RESULT, &first))
            return false;
    }
    return !found || dft_append_text(out, "}");
}
