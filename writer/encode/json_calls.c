/*
 * The default format: strict JSON, one event a line, each separating comma on a line of its own.
 *
 * JSON parsers want the commas, DFTracer's readers want lines that are whole objects, Perfetto
 * takes both. What an event of one function always repeats is rendered once and copied from then
 * on. It stands in one piece, before what differs from call to call: so the function's last call
 * gives all of it to the compressor as one match. The duration, which is like that one's, comes
 * next, and last the start, which is like that of the line before.
 */
#include "writer/encode/json_aggregate.h"
#include "writer/encode/json_attached.h"
#include "writer/encode/json_meta.h"
#include "writer/encode/json_args.h"
#include "writer/writer.h"

#include <stdio.h>

/* A site's constant part in the state's text, and where it stands in the last call of it. */
struct rendered_site {
    uint32_t offset;
    uint32_t length; /* of `,\n{"name":…,"args":{…},"tid":` */
    uint32_t last;
};

/* A text that changes now and then. */
struct phrase {
    unsigned length;
    char text[64];
};

/* The call before: the next one has some words in common with it. */
struct recent {
    uint32_t moment; /* where its start stands */
    int32_t tid;
    uint64_t second;      /* of its start */
    struct phrase thread; /* `TID,"dur":` */
    struct phrase since;  /* `,"ts":SECONDS` */
};

/* tid, ts, dur with their keys, unfinished, and what is copied too much. */
#define VARIABLE_ROOM 192
#define REPEATS_MOST 2 /* hints for one call */

#define TID ",\"tid\":"
#define DUR ",\"dur\":"
#define TS ",\"ts\":"
#define END "}\n"

static bool append_number(struct dft_buffer *out, const char *key, uint64_t value)
{
    if (!dft_append_text(out, key) || !dft_buffer_reserve(out, 20))
        return false;
    dft_put_unsigned(out, value);
    return true;
}

static bool append_string(struct dft_buffer *out, const char *key, const char *value)
{
    return dft_append_text(out, key) && dft_append_json_string(out, value);
}

static bool append_moment(struct dft_buffer *out, uint64_t ns)
{
    if (!dft_append_text(out, ",\"ts\":") || !dft_buffer_reserve(out, 24))
        return false;
    dft_put_microseconds(out, ns);
    return dft_append_text(out, ",\"dur\":0.000");
}

/* Not gmtime_r: it takes a lock that the traced program may hold. Days are counted from March. */
static bool append_date(struct dft_buffer *out, uint64_t realtime_ns)
{
    char date[40];
    uint64_t seconds = realtime_ns / 1000000000u;
    unsigned clock = (unsigned)(seconds % 86400);
    uint64_t days = seconds / 86400 + 719468;
    unsigned era_day = (unsigned)(days % 146097);
    unsigned era_year = (era_day - era_day / 1460 + era_day / 36524 - era_day / 146096) / 365;
    unsigned year_day = era_day - (365 * era_year + era_year / 4 - era_year / 100);
    unsigned month = (5 * year_day + 2) / 153;

    snprintf(date, sizeof date, "%04u-%02u-%02uT%02u:%02u:%02uZ",
             (unsigned)(days / 146097) * 400 + era_year + (month >= 10),
             month < 10 ? month + 3 : month - 9, year_day - (153 * month + 2) / 5 + 1, clock / 3600,
             clock / 60 % 60, clock % 60);
    return append_string(out, ",\"date\":", date);
}

/* Thousandths of a percent as a number without zeros at its end. */
static bool append_percent(struct dft_buffer *out, const char *key, uint32_t thousandths)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%u.%03u", thousandths / 1000, thousandths % 1000);

    while (length > 0 && text[length - 1] == '0')
        length--;
    text[length > 0 && text[length - 1] == '.' ? length - 1 : length] = '\0';
    return dft_append_text(out, key) && dft_append_text(out, text);
}

/* What the user allows tracing to cost, and what it was measured to cost. */
static bool append_budget(const struct dft_spool_header *header, struct dft_buffer *out)
{
    return header->settings.budget == 0 ||
           (append_percent(out, ",\"budget_pct\":", header->settings.budget) &&
            append_number(out, ",\"call_cost_ns\":", header->call_cost_ns) &&
            append_number(out, ",\"count_cost_ns\":", header->count_cost_ns));
}

static bool json_begin(const struct dft_trace_info *info, struct dft_buffer *out)
{
    const struct dft_spool_header *header = info->spool->header;
    uint64_t pid = (uint64_t)info->pid;

    return append_number(out, "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":", pid) &&
           append_number(out, ",\"tid\":", pid) &&
           append_string(out, ",\"args\":{\"name\":", header->app) &&
           append_number(
               out, "}}\n,\n{\"name\":\"start\",\"cat\":\"dftrace\",\"ph\":\"X\",\"pid\":", pid) &&
           append_number(out, ",\"tid\":", pid) && append_moment(out, info->started_ns) &&
           append_string(out, ",\"args\":{\"version\":", DFTRACE_VERSION) &&
           append_string(out, ",\"cmd\":", header->command) &&
           append_string(out, ",\"exe\":", header->exe) &&
           append_string(out, ",\"cwd\":", header->directory_name) &&
           append_string(out, ",\"host\":", header->host) &&
           append_number(out, ",\"ppid\":", (uint64_t)header->ppid) &&
           append_date(out, header->started.realtime_ns) &&
           append_number(out, ",\"realtime_offset_ns\":",
                         header->started.realtime_ns - header->started.monotonic_ns) &&
           (header->rank < 0 || append_number(out, ",\"rank\":", (uint64_t)header->rank)) &&
           (header->rank < 0 || header->rank_count <= 0 ||
            append_number(out, ",\"ranks\":", (uint64_t)header->rank_count)) &&
           (!header->cores[0] || append_string(out, ",\"cores\":", header->cores)) &&
           (header->sample_cost_ns == 0 ||
            append_number(out, ",\"sample_cost_ns\":", header->sample_cost_ns)) &&
           append_budget(header, out) && dft_append_text(out, "}}\n");
}

static bool render_site(const struct dft_trace_info *info, uint32_t id,
                        struct dft_encoder_state *state, struct rendered_site *rendered)
{
    struct dft_site_view site;
    char unknown[32];
    struct dft_buffer *text = &state->text;

    if (!dft_spool_site(info->spool, id, &site)) {
        snprintf(unknown, sizeof unknown, "site %u", id);
        site = (struct dft_site_view){.name = unknown, .category = "unknown", .file = ""};
    }
    rendered->offset = (uint32_t)text->used;
    if (!append_string(text, ",\n{\"name\":", site.name) ||
        !append_string(text, ",\"cat\":", site.category) ||
        !append_number(text, ",\"ph\":\"X\",\"pid\":", (uint64_t)info->pid))
        return false;
    if (info->metadata &&
        (!append_string(text, ",\"args\":{\"file\":", site.file) ||
         !append_number(text, ",\"line\":", site.line) || !dft_append_text(text, "}")))
        return false;
    if (!dft_append_text(text, TID))
        return false;
    rendered->length = (uint32_t)text->used - rendered->offset;
    return dft_buffer_reserve(text, DFT_WILD); /* it is copied from in steps */
}

static struct rendered_site *find_site(const struct dft_trace_info *info, uint32_t id,
                                       struct dft_encoder_state *state)
{
    struct dft_buffer *index = &state->index;
    size_t needed = ((size_t)id + 1) * sizeof(struct rendered_site);

    if (index->used < needed) {
        /* Fresh pages are zero, and a site that is not rendered yet has no length. */
        if (!dft_buffer_reserve(index, needed - index->used))
            return NULL;
        index->used = needed;
    }
    struct rendered_site *rendered = &((struct rendered_site *)index->data)[id];
    if (rendered->length == 0 && !render_site(info, id, state, rendered))
        return NULL;
    return rendered;
}

static void render_thread(struct recent *recent, int32_t tid)
{
    struct dft_buffer text = {.data = recent->thread.text, .size = sizeof recent->thread.text};

    dft_put_unsigned(&text, (uint64_t)tid);
    DFT_PUT_LITERAL(&text, DUR);
    recent->thread.length = (unsigned)text.used;
    recent->tid = tid;
}

static void render_second(struct recent *recent, uint64_t second)
{
    struct dft_buffer text = {.data = recent->since.text, .size = sizeof recent->since.text};

    DFT_PUT_LITERAL(&text, TS);
    if (second)
        dft_put_unsigned(&text, second);
    recent->since.length = (unsigned)text.used;
    recent->second = second;
}

static char *put_phrase(char *at, const struct phrase *phrase)
{
    return dft_copy_wild(at, phrase->text, phrase->length);
}

static char *put_number(char *at, uint64_t value)
{
    struct dft_buffer digits = {.data = at, .size = 20};

    dft_put_unsigned(&digits, value);
    return at + digits.used;
}

/* The microseconds of a moment behind its second, with three decimals. */
static char *put_moment(char *at, uint64_t second, unsigned ns)
{
    if (second == 0) {
        at = put_number(at, ns / 1000);
    } else {
        at = dft_copy_three(at, ns / 1000000);
        at = dft_copy_three(at, ns / 1000 % 1000);
    }
    *at++ = '.';
    return dft_copy_three(at, ns % 1000);
}

static char *put_duration(char *at, uint64_t ns)
{
    if (ns < 1000) {
        *at++ = '0';
        *at++ = '.';
        return dft_copy_three(at, (unsigned)ns);
    }
    at = put_number(at, ns / 1000);
    *at++ = '.';
    return dft_copy_three(at, (unsigned)(ns % 1000));
}

/* Behind a site's constant part; goes back into its args. */
static char *put_unfinished(char *at, bool metadata)
{
    static const char among[] = ",\"unfinished\":true}" TID;
    static const char alone[] = ",\"args\":{\"unfinished\":true}" TID;
    size_t length = metadata ? sizeof among - 1 : sizeof alone - 1;

    at -= metadata ? sizeof "}" TID - 1 : sizeof TID - 1;
    memcpy(at, metadata ? among : alone, length);
    return at + length;
}

/*
 * Where the words of this call, at these positions in the text, may have stood before. Whatever
 * line comes before it, its end is the same. Then this call is the one to be looked back to.
 */
static void note_repeats(struct recent *recent, struct rendered_site *site, uint32_t begin,
                         uint32_t moment, struct dft_buffer *repeats)
{
    struct dft_repeat *next = (struct dft_repeat *)(repeats->data + repeats->used);
    const uint32_t end = sizeof END - 1;

    *next++ = (struct dft_repeat){begin - end, site->last - end, end + site->length};
    *next++ = (struct dft_repeat){moment, recent->moment, sizeof TS - 1};
    repeats->used = (size_t)((char *)next - repeats->data);
    recent->moment = moment;
    site->last = begin;
}

/* The same of a call that has nothing more to tell than what calls inside took without an event. */
static char *put_added(char *at, bool metadata, const struct dft_added *added)
{
    static const char among[] = ",\"aggregated_us\":", alone[] = ",\"args\":{\"aggregated_us\":";
    size_t length = metadata ? sizeof among - 1 : sizeof alone - 1;

    at -= metadata ? sizeof "}" TID - 1 : sizeof TID - 1;
    memcpy(at, metadata ? among : alone, length);
    at = put_duration(at + length, (uint64_t)added->ns);
    memcpy(at, "}" TID, sizeof "}" TID - 1);
    return at + sizeof "}" TID - 1;
}

static bool is_only_added(const struct dft_call *call, const struct dft_attached *attached,
                          struct dft_added *added)
{
    struct dft_attachment kind;

    if (call->unfinished || attached->length != sizeof kind + sizeof *added)
        return false;
    memcpy(&kind, attached->bytes, sizeof kind);
    memcpy(added, attached->bytes + sizeof kind, sizeof *added);
    return kind.kind == DFT_ATTACHMENT_ADDED && !added->estimated && added->ns >= 0;
}

/* Behind a site's constant part, which ends the text: goes back into its args as well. */
static bool append_attached(const struct dft_trace_info *info, const struct dft_call *call,
                            const struct dft_attached *attached, struct dft_buffer *text)
{
    text->used -= info->metadata ? sizeof "}" TID - 1 : sizeof TID - 1;
    if (!info->metadata && !dft_append_text(text, ",\"args\":{"))
        return false;
    size_t first = text->used;
    if ((call->unfinished && !dft_append_text(text, ",\"unfinished\":true")) ||
        !dft_json_append_attached_args(call, attached, text) ||
        !dft_json_append_values(info, call, attached, text))
        return false;
    if (!info->metadata && text->used > first) /* no comma before the first one */
        memmove(text->data + first, text->data + first + 1, --text->used - first);
    return dft_append_text(text, "}") && dft_json_append_attached_fields(call, attached, text) &&
           dft_append_text(text, TID) && dft_buffer_reserve(text, VARIABLE_ROOM);
}

static bool json_call(const struct dft_trace_info *info, struct dft_encoder_state *state,
                      const struct dft_call *call, const char *attached, struct dft_output *out)
{
    struct rendered_site *site = find_site(info, call->site, state);
    struct recent *recent = (struct recent *)state->recent.data;
    uint64_t second = call->start_ns / 1000000000u;
    int32_t tid = dft_call_tid(call, attached);

    if (!site || !dft_buffer_reserve(&out->text, site->length + VARIABLE_ROOM) ||
        !dft_buffer_reserve(&out->repeats, REPEATS_MOST * sizeof(struct dft_repeat)))
        return false;
    if (tid != recent->tid || recent->thread.length == 0)
        render_thread(recent, tid);
    if (second != recent->second || recent->since.length == 0)
        render_second(recent, second);

    size_t before = out->text.used;
    char *begin = out->text.data + before;
    char *at = dft_copy_wild(begin, state->text.data + site->offset, site->length);
    struct dft_added added;
    if (call->attached && is_only_added(call, dft_call_attached(call, attached), &added)) {
        at = put_added(at, info->metadata, &added);
    } else if (call->attached) {
        out->text.used += (size_t)(at - begin);
        if (!append_attached(info, call, dft_call_attached(call, attached), &out->text))
            return false;
        begin = out->text.data + before;
        at = out->text.data + out->text.used;
        out->text.used = before;
    } else if (call->unfinished) {
        at = put_unfinished(at, info->metadata);
    }
    at = put_phrase(at, &recent->thread);
    at = put_duration(at, call->end_ns - call->start_ns);
    const char *moment = at;
    at = put_phrase(at, &recent->since);
    at = put_moment(at, second, (unsigned)(call->start_ns - second * 1000000000u));
    memcpy(at, END, sizeof END - 1);
    at += sizeof END - 1;
    uint32_t position = out->origin + (uint32_t)out->text.used;
    note_repeats(recent, site, position, position + (uint32_t)(moment - begin), &out->repeats);
    out->text.used += (size_t)(at - begin);
    return true;
}

static bool json_calls(const struct dft_trace_info *info, struct dft_encoder_state *state,
                       const struct dft_calls *calls, struct dft_output *out)
{
    if (!dft_buffer_reserve(&state->recent, sizeof(struct recent)))
        return false;
    for (size_t i = 0; i < calls->count; i++)
        if (!json_call(info, state, &calls->calls[i], calls->attached, out))
            return false;
    return true;
}

static bool json_thread(const struct dft_trace_info *info, int32_t tid, const char *name,
                        struct dft_buffer *out)
{
    return append_number(
               out, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":", (uint64_t)info->pid) &&
           append_number(out, ",\"tid\":", (uint64_t)tid) &&
           append_string(out, ",\"args\":{\"name\":", name) && dft_append_text(out, "}}\n");
}

static bool json_counter(const struct dft_trace_info *info, const struct dft_counter *counter,
                         struct dft_buffer *out)
{
    uint64_t pid = (uint64_t)info->pid;

    if (!append_string(out, ",\n{\"name\":", counter->name) ||
        !append_number(out, ",\"cat\":\"dftrace\",\"ph\":\"C\",\"pid\":", pid) ||
        !append_number(out, ",\"tid\":", pid) || !dft_append_text(out, ",\"ts\":") ||
        !dft_buffer_reserve(out, 24))
        return false;
    dft_put_microseconds(out, counter->ns);
    for (unsigned i = 0; i < counter->count; i++) {
        uint64_t value = counter->values[i].value;
        bool tenths = counter->values[i].tenths;
        if (!append_string(out, i ? "," : ",\"args\":{", counter->values[i].key) ||
            !append_number(out, ":", tenths ? value / 10 : value) ||
            (tenths && !append_number(out, ".", value % 10)))
            return false;
    }
    return dft_append_text(out, "}}\n");
}

static bool json_end(const struct dft_trace_info *info, const struct dft_trace_end *end,
                     struct dft_buffer *out)
{
    const struct dft_totals *totals = &end->totals;
    uint64_t pid = (uint64_t)info->pid;

    return append_number(out,
                         ",\n{\"name\":\"end\",\"cat\":\"dftrace\",\"ph\":\"X\",\"pid\":", pid) &&
           append_number(out, ",\"tid\":", pid) && append_moment(out, end->ns) &&
           append_number(out, ",\"args\":{\"num_events\":", totals->events - totals->aggregated) &&
           (!totals->aggregated || append_number(out, ",\"aggregated\":", totals->aggregated)) &&
           (!totals->omitted || append_number(out, ",\"left_out\":", totals->omitted)) &&
           append_number(out, ",\"dropped\":", totals->dropped) &&
           (!totals->lost || append_number(out, ",\"lost\":", totals->lost)) &&
           (!(totals->dropped || totals->lost) || !end->write_error ||
            append_string(out, ",\"reason\":", dft_writer_error_text(end->write_error))) &&
           dft_append_text(out, "}}\n]");
}

const struct dft_encoder dft_encoder_json = {
    .name = "json",
    .extension = ".pfw",
    .begin = json_begin,
    .calls = json_calls,
    .function = dft_json_append_function,
    .aggregate = dft_json_append_aggregate,
    .switched = dft_json_append_switch,
    .thread = json_thread,
    .counter = json_counter,
    .end = json_end,
};
