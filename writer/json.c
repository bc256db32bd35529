/*
 * The default format: strict JSON, one event a line, each separating comma on a line of its own.
 *
 * JSON parsers want the commas, DFTracer's readers want lines that are whole objects, Perfetto
 * takes both. What an event of one function always repeats is rendered once and copied from then
 * on.
 */
#include "writer/encoder.h"

#include <stdio.h>

/* Where a site's two constant parts stand in the state's text. */
struct rendered_site {
    uint32_t offset;
    uint32_t head; /* `,\n{"name":…,"tid":` */
    uint32_t tail; /* `,"args":{…` without its closing braces, or nothing */
};

/* Behind the head: tid, ts, dur with their keys, unfinished, closing braces. */
#define VARIABLE_ROOM 160

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

static bool json_begin(const struct dft_trace_info *info, struct dft_encoder_state *state,
                       struct dft_buffer *out)
{
    const struct dft_spool_header *header = info->spool->header;
    uint64_t pid = (uint64_t)info->pid;

    (void)state;
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
    if (info->metadata && (!append_string(text, ",\"args\":{\"file\":", site.file) ||
                           !append_number(text, ",\"line\":", site.line)))
        return false;
    rendered->tail = (uint32_t)text->used - rendered->offset - rendered->head;
    return true;
}

static const struct rendered_site *find_site(const struct dft_trace_info *info, uint32_t id,
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

static bool json_call(const struct dft_trace_info *info, struct dft_encoder_state *state,
                      const struct dft_call *call, struct dft_buffer *out)
{
    const struct rendered_site *site = find_site(info, call->site, state);

    if (!site || !dft_buffer_reserve(out, site->head + site->tail + VARIABLE_ROOM))
        return false;
    const char *text = state->text.data + site->offset;
    dft_put_bytes(out, text, site->head);
    dft_put_unsigned(out, (uint64_t)call->tid);
    DFT_PUT_LITERAL(out, ",\"ts\":");
    dft_put_microseconds(out, call->start_ns);
    DFT_PUT_LITERAL(out, ",\"dur\":");
    dft_put_microseconds(out, call->end_ns - call->start_ns);
    dft_put_bytes(out, text + site->head, site->tail);
    if (call->unfinished && site->tail)
        DFT_PUT_LITERAL(out, ",\"unfinished\":true}");
    else if (call->unfinished)
        DFT_PUT_LITERAL(out, ",\"args\":{\"unfinished\":true}");
    else if (site->tail)
        DFT_PUT_LITERAL(out, "}");
    DFT_PUT_LITERAL(out, "}\n");
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
    .call = json_call,
    .thread = json_thread,
    .end = json_end,
};
