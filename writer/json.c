/*
 * The default format: strict JSON, one event a line, each separating comma on a line of its own.
 *
 * JSON parsers want the commas, DFTracer's readers want lines that are whole objects, Perfetto
 * takes both. What an event of one function always repeats is rendered once and copied from then
 * on.
 */
#include "writer/encoder.h"

#include <stdio.h>

/* A site's two constant parts in the state's text, and where they stand in the last call of it. */
struct rendered_site {
    uint32_t offset;
    uint32_t head; /* length of `,\n{"name":…,"tid":` */
    uint32_t tail; /* length of `,"args":{…}}\n` or `}\n` */
    uint32_t last_head;
    uint32_t last_tail;
};

/*
 * The call before: the next one has some words in common with it. Which site follows which tends to
 * repeat itself, so where a pair of them stood last is remembered: the first one's tail with the
 * second one's head is one long match.
 */
#define PAIRS 4096u

struct recent {
    uint32_t site;           /* 0: none yet */
    uint32_t tail, duration; /* where they stand */
    uint32_t tail_length;
    uint32_t before; /* the tail of the site's call before that one */
    int32_t tid;
    uint64_t second; /* of the start, together with the tid: */
    unsigned length; /* of the text that both of them make */
    char text[64];   /* `TID,"ts":SECONDS` */
    uint32_t pairs[PAIRS];
};

/* tid, ts, dur with their keys, unfinished, and what is copied too much. */
#define VARIABLE_ROOM 192
#define REPEATS_MOST 4 /* hints for one call */

#define DUR ",\"dur\":"

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
           dft_append_text(out, "}}\n");
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
        !append_number(text, ",\"ph\":\"X\",\"pid\":", (uint64_t)info->pid) ||
        !dft_append_text(text, ",\"tid\":"))
        return false;
    rendered->head = (uint32_t)text->used - rendered->offset;
    if (info->metadata &&
        (!append_string(text, ",\"args\":{\"file\":", site.file) ||
         !append_number(text, ",\"line\":", site.line) || !dft_append_text(text, "}")))
        return false;
    if (!dft_append_text(text, "}\n"))
        return false;
    rendered->tail = (uint32_t)text->used - rendered->offset - rendered->head;
    return dft_buffer_reserve(text, DFT_WILD); /* it is copied from in steps */
}

static struct rendered_site *find_site(const struct dft_trace_info *info, uint32_t id,
                                       struct dft_encoder_state *state)
{
    struct dft_buffer *index = &state->index;
    size_t needed = ((size_t)id + 1) * sizeof(struct rendered_site);

    if (index->used < needed) {
        /* Fresh pages are zero, and a site that is not rendered yet has no head. */
        if (!dft_buffer_reserve(index, needed - index->used))
            return NULL;
        index->used = needed;
    }
    struct rendered_site *rendered = &((struct rendered_site *)index->data)[id];
    if (rendered->head == 0 && !render_site(info, id, state, rendered))
        return NULL;
    return rendered;
}

/* What a thread's calls within one second share. */
static void render_moment(struct recent *recent, int32_t tid, uint64_t second)
{
    struct dft_buffer text = {.data = recent->text, .size = sizeof recent->text};

    dft_put_unsigned(&text, (uint64_t)tid);
    DFT_PUT_LITERAL(&text, ",\"ts\":");
    if (second)
        dft_put_unsigned(&text, second);
    recent->tid = tid;
    recent->second = second;
    recent->length = (unsigned)text.used;
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

static char *put_unfinished(char *at, bool metadata)
{
    static const char among[] = ",\"unfinished\":true}}\n";
    static const char alone[] = ",\"args\":{\"unfinished\":true}}\n";
    size_t length = metadata ? sizeof among - 1 : sizeof alone - 1;

    at -= metadata ? 3 : 2; /* the closing braces */
    memcpy(at, metadata ? among : alone, length);
    return at + length;
}

/* Of one call, as positions in the text. */
struct places {
    uint32_t head, duration, tail;
};

static uint32_t *find_pair(struct recent *recent, uint32_t site)
{
    return &recent->pairs[(recent->site * 0x9e3779b1u ^ site * 0x85ebca6bu) >> 20];
}

_Static_assert(PAIRS == 1u << 12, "find_pair's result is 12 bits");

/* Where the words of this call may have stood before; then it is the one to be looked back to. */
static void note_repeats(struct recent *recent, struct rendered_site *site, uint32_t number,
                         const struct places *places, struct dft_buffer *repeats)
{
    struct dft_repeat *next = (struct dft_repeat *)(repeats->data + repeats->used);

    if (recent->site) {
        uint32_t *pair = find_pair(recent, number);
        *next++ = (struct dft_repeat){recent->tail, *pair, recent->tail_length + site->head};
        *next++ = (struct dft_repeat){recent->tail, recent->before, recent->tail_length};
        *pair = recent->tail;
    }
    *next++ = (struct dft_repeat){places->head, site->last_head, site->head};
    *next++ = (struct dft_repeat){places->duration, recent->duration, sizeof DUR - 1};
    repeats->used = (size_t)((char *)next - repeats->data);
    recent->before = site->last_tail;
    recent->site = number;
    recent->duration = places->duration;
    recent->tail = places->tail;
    recent->tail_length = site->tail;
    site->last_head = places->head;
    site->last_tail = places->tail;
}

static bool json_call(const struct dft_trace_info *info, struct dft_encoder_state *state,
                      const struct dft_call *call, struct dft_output *out)
{
    struct rendered_site *site = find_site(info, call->site, state);
    struct recent *recent = (struct recent *)state->recent.data;
    uint64_t second = call->start_ns / 1000000000u;

    if (!site || !dft_buffer_reserve(&out->text, site->head + site->tail + VARIABLE_ROOM) ||
        !dft_buffer_reserve(&out->repeats, REPEATS_MOST * sizeof(struct dft_repeat)))
        return false;
    if (second != recent->second || call->tid != recent->tid)
        render_moment(recent, call->tid, second);

    char *begin = out->text.data + out->text.used;
    const char *text = state->text.data + site->offset;
    struct places places = {.head = out->origin + (uint32_t)out->text.used};
    char *at = dft_copy_wild(begin, text, site->head);
    at = dft_copy_wild(at, recent->text, recent->length);
    at = put_moment(at, second, (unsigned)(call->start_ns - second * 1000000000u));
    places.duration = places.head + (uint32_t)(at - begin);
    memcpy(at, DUR, sizeof DUR - 1);
    at = put_duration(at + sizeof DUR - 1, call->end_ns - call->start_ns);
    places.tail = places.head + (uint32_t)(at - begin);
    at = dft_copy_wild(at, text + site->head, site->tail);
    if (call->unfinished)
        at = put_unfinished(at, info->metadata);
    out->text.used += (size_t)(at - begin);
    note_repeats(recent, site, call->site, &places, &out->repeats);
    return true;
}

static bool json_calls(const struct dft_trace_info *info, struct dft_encoder_state *state,
                       const struct dft_call *calls, size_t count, struct dft_output *out)
{
    if (!dft_buffer_reserve(&state->recent, sizeof(struct recent)))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!json_call(info, state, &calls[i], out))
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

static bool json_end(const struct dft_trace_info *info, const struct dft_trace_end *end,
                     struct dft_buffer *out)
{
    uint64_t pid = (uint64_t)info->pid;

    return append_number(out,
                         ",\n{\"name\":\"end\",\"cat\":\"dftrace\",\"ph\":\"X\",\"pid\":", pid) &&
           append_number(out, ",\"tid\":", pid) && append_moment(out, end->ns) &&
           append_number(out, ",\"args\":{\"num_events\":", end->events) &&
           append_number(out, ",\"dropped\":", end->dropped) && dft_append_text(out, "}}\n]");
}

const struct dft_encoder dft_encoder_json = {
    .name = "json",
    .extension = ".pfw",
    .begin = json_begin,
    .calls = json_calls,
    .thread = json_thread,
    .end = json_end,
};
