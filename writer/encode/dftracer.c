/*
 * DFTracer's line format, version 2: one JSON object a line, no commas between lines, `[` first and
 * `]` last. Times are integer microseconds of the wall clock. docs/FORMAT.md has the details.
 *
 * Pure; runs in any of the writer's threads. Every event is one line, except for the start, which
 * has START_LINES lines. So a line's id follows from the number of events before it, and members
 * can be encoded in parallel. The constant parts of a function's calls are rendered once and copied
 * from then on.
 *
 * Strings that events refer to by hash (HH, FH, SH) are announced before their first use: at the
 * start, and names of files in the member that first uses them. Instants are X events without a duration: not all readers know the phase `i`.
 */
#include "writer/encode/json_args.h"
#include "writer/encode/json_meta.h"
#include "writer/encode/json_text.h"
#include "writer/encode/json_values.h"

#include <stdio.h>

#define START_LINES 6
#define HASH_SIZE 17
#define NUMBERS_ROOM 160 /* id, tid, ts and dur of a call with their keys */
#define HINTS_MAX 2      /* for one call */

/* The parts of a function's calls that never change, in the state's text. */
struct rendered_site {
    uint32_t head, head_length;    /* `,"name":…,"cat":…,"pid":P,"tid":` */
    uint32_t tail, tail_length;    /* `,"ph":"X","args":{…`, without its end */
    uint32_t last_head, last_tail; /* positions of both in the latest call */
};

struct dftracer_state {
    struct dft_buffer index; /* struct rendered_site, by number */
    struct dft_buffer text;
    uint64_t next_id;
    char host_hash[HASH_SIZE];
};

/* FNV-1a. Readers compare hashes and never compute them. */
static void make_hash(const char *text, char hash[HASH_SIZE])
{
    uint64_t value = 14695981039346656037u;

    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * 1099511628211u;
    snprintf(hash, HASH_SIZE, "%016llx", (unsigned long long)value);
}

static uint64_t wall_us(const struct dft_trace_start *start, uint64_t ns)
{
    return (ns + start->realtime_ns - start->monotonic_ns) / 1000;
}

static uint64_t round_us(uint64_t ns)
{
    return (ns + 500) / 1000;
}

/* Appends the line up to `"tid":T`. */
static bool begin_line(const struct dft_trace_start *start, struct dftracer_state *state,
                       const char *name, const char *category, int32_t tid, struct dft_buffer *out)
{
    return dft_json_append_unsigned(out, "{\"id\":", state->next_id++) &&
           dft_json_append_text(out, ",\"name\":", name) &&
           dft_json_append_text(out, ",\"cat\":", category) &&
           dft_json_append_unsigned(out, ",\"pid\":", (uint64_t)start->pid) &&
           dft_json_append_unsigned(out, ",\"tid\":", (uint64_t)tid);
}

/* Appends `"ph":P,"args":{"hhash":H`. Further args follow, each after a comma. */
static bool begin_args(const struct dftracer_state *state, const char *phase,
                       struct dft_buffer *out)
{
    return dft_append_text(out, ",\"ph\":\"") && dft_append_text(out, phase) &&
           dft_json_append_text(out, "\",\"args\":{\"hhash\":", state->host_hash);
}

static bool end_line(struct dft_buffer *out)
{
    return dft_append_text(out, "}}\n");
}

static bool begin_metadata(const struct dft_trace_start *start, struct dftracer_state *state,
                           const char *name, int32_t tid, struct dft_buffer *out)
{
    return begin_line(start, state, name, "dftracer", tid, out) && begin_args(state, "M", out);
}

/* Begins an event of the whole process at one moment, without a duration. */
static bool begin_moment(const struct dft_trace_start *start, struct dftracer_state *state,
                         const char *name, uint64_t ns, struct dft_buffer *out)
{
    return begin_line(start, state, name, "dftracer", start->pid, out) &&
           dft_json_append_unsigned(out, ",\"ts\":", wall_us(start, ns)) &&
           dft_append_text(out, ",\"dur\":0") && begin_args(state, "X", out);
}

static bool begin_counter(const struct dft_trace_start *start, struct dftracer_state *state,
                          const char *name, uint64_t ns, struct dft_buffer *out)
{
    return begin_line(start, state, name, "dftracer", start->pid, out) &&
           dft_json_append_unsigned(out, ",\"ts\":", wall_us(start, ns)) &&
           begin_args(state, "C", out);
}

/* --- the trace ------------------------------------------------------------------------------ */

/* Announces the hash of a string. */
static bool append_hashed(const struct dft_trace_start *start, struct dftracer_state *state,
                          const char *kind, const char *text, char hash[HASH_SIZE],
                          struct dft_buffer *out)
{
    make_hash(text, hash);
    return begin_metadata(start, state, kind, start->pid, out) &&
           dft_json_append_text(out, ",\"name\":", text) &&
           dft_json_append_text(out, ",\"value\":", hash) && end_line(out);
}

static bool append_start(const struct dft_trace_start *start, struct dftracer_state *state,
                         struct dft_buffer *out)
{
    char host[HASH_SIZE], exe[HASH_SIZE], command[HASH_SIZE], directory[HASH_SIZE];
    bool has_rank = start->rank >= 0;

    state->next_id = 0;
    return dft_append_text(out, "[\n") &&
           append_hashed(start, state, "HH", start->host, host, out) &&
           append_hashed(start, state, "FH", start->directory, directory, out) &&
           append_hashed(start, state, "SH", start->exe, exe, out) &&
           append_hashed(start, state, "SH", start->command, command, out) &&
           begin_metadata(start, state, "process_name", start->pid, out) &&
           dft_json_append_text(out, ",\"name\":", start->app) && end_line(out) &&
           begin_moment(start, state, "start", start->monotonic_ns, out) &&
           dft_json_append_text(out, ",\"version\":", DFTRACE_VERSION) &&
           dft_json_append_text(out, ",\"exec_hash\":", exe) &&
           dft_json_append_text(out, ",\"cmd_hash\":", command) &&
           dft_json_append_text(out, ",\"cwd\":", directory) &&
           dft_json_append_date(out, ",\"date\":", start->realtime_ns) &&
           dft_json_append_unsigned(out, ",\"ppid\":", (uint64_t)start->ppid) &&
           (!has_rank || dft_json_append_unsigned(out, ",\"rank\":", (uint64_t)start->rank)) &&
           (!start->cores[0] || dft_json_append_text(out, ",\"cores\":", start->cores)) &&
           end_line(out);
}

static bool append_file(const struct dft_trace_start *start, struct dftracer_state *state,
                        uint32_t id, struct dft_buffer *out)
{
    char unknown[DFT_UNKNOWN_SITE_SIZE], hash[HASH_SIZE];
    struct dft_site_view site;

    dft_encoder_site(start, id, &site, unknown);
    return append_hashed(start, state, "FH", site.name, hash, out);
}

static bool append_end(const struct dft_trace_start *start, struct dftracer_state *state,
                       const struct dft_trace_end *end, struct dft_buffer *out)
{
    return begin_moment(start, state, "end", end->ns, out) && dft_append_text(out, ",") &&
           dft_json_append_totals(end, out) && end_line(out) && dft_append_text(out, "]\n");
}

/*
 * Appends the place in the source: to the args of a call; and next to the args of a region, which the
 * program names freely, and of an aggregate.
 */
static bool append_place(const struct dft_site_view *site, struct dft_buffer *out)
{
    return dft_json_append_text(out, ",\"file\":", site->file) &&
           dft_json_append_unsigned(out, ",\"line\":", site->line);
}

/* --- other events --------------------------------------------------------------------------- */

static bool append_counter(const struct dft_trace_start *start, struct dftracer_state *state,
                           const struct dft_counter *counter, struct dft_buffer *out)
{
    if (!begin_counter(start, state, counter->name, counter->ns, out))
        return false;
    for (unsigned i = 0; i < counter->count; i++)
        if (!dft_append_text(out, ",") || !dft_json_append_counter_value(counter, i, out))
            return false;
    return end_line(out);
}

static bool append_aggregate(const struct dft_trace_start *start, struct dftracer_state *state,
                             const struct dft_aggregate *aggregate, struct dft_buffer *out)
{
    struct dft_site_view site;
    char unknown[DFT_UNKNOWN_SITE_SIZE];

    dft_encoder_site(start, aggregate->site, &site, unknown);
    if (!begin_line(start, state, site.name, site.category, start->pid, out) ||
        !dft_json_append_unsigned(out, ",\"ts\":", wall_us(start, aggregate->first_ns)) ||
        (site.file[0] && !append_place(&site, out)) || !begin_args(state, "C", out) ||
        !dft_json_append_unsigned(out, ",\"dft_cnt\":", aggregate->count) ||
        (site.flags & DFTRACE_SITE_RESUMED &&
         !dft_json_append_unsigned(out, ",\"resumed\":", aggregate->count)) ||
        !dft_json_append_unsigned(out, ",\"dur_sum\":", round_us(aggregate->sum_ns)))
        return false;
    if (aggregate->estimated)
        return dft_append_text(out, ",\"estimated\":true") && end_line(out);
    uint64_t self_ns = aggregate->self_ns > 0 ? (uint64_t)aggregate->self_ns : 0;
    return dft_json_append_unsigned(out, ",\"dur_min\":", round_us(aggregate->min_ns)) &&
           dft_json_append_unsigned(out, ",\"dur_max\":", round_us(aggregate->max_ns)) &&
           dft_json_append_unsigned(
               out, aggregate->self_estimated ? ",\"estimated_self_sum\":" : ",\"self_sum\":",
               round_us(self_ns)) &&
           end_line(out);
}

static bool append_throttling(const struct dft_trace_start *start, struct dftracer_state *state,
                              const struct dft_throttling *throttling, struct dft_buffer *out)
{
    struct dft_site_view site;
    char unknown[DFT_UNKNOWN_SITE_SIZE];

    dft_encoder_site(start, throttling->site, &site, unknown);
    return begin_moment(start, state, "counted", throttling->ns, out) &&
           dft_json_append_text(out, ",\"function\":", site.name) &&
           dft_json_append_unsigned(out, ",\"calls\":", throttling->calls) && end_line(out);
}

static bool append_event(const struct dft_trace_start *start, void *opaque,
                         const struct dft_event *event, struct dft_output *output)
{
    struct dftracer_state *state = opaque;
    struct dft_buffer *out = &output->text;

    switch (event->kind) {
    case DFT_EVENT_START:
        return append_start(start, state, out);
    case DFT_EVENT_FUNCTION:
        return begin_metadata(start, state, "function", start->pid, out) &&
               dft_append_text(out, ",") &&
               dft_json_append_function_args(start, event->site, out) && end_line(out);
    case DFT_EVENT_FILE:
        return append_file(start, state, event->site, out);
    case DFT_EVENT_THREAD:
        return begin_metadata(start, state, "thread_name", event->thread.tid, out) &&
               dft_json_append_text(out,
                                    ",\"name\":", dft_encoder_thread_name(start, &event->thread)) &&
               dft_json_append_parent(start, event->thread.tid, out) && end_line(out);
    case DFT_EVENT_COUNTER:
        return append_counter(start, state, &event->counter, out);
    case DFT_EVENT_AGGREGATE:
        return append_aggregate(start, state, &event->aggregate, out);
    case DFT_EVENT_THROTTLED:
        return append_throttling(start, state, &event->throttling, out);
    case DFT_EVENT_END:
        return append_end(start, state, &event->end, out);
    }
    return true;
}

/* --- calls ---------------------------------------------------------------------------------- */

static bool render_site(const struct dft_trace_start *start, uint32_t id,
                        struct dftracer_state *state, struct rendered_site *rendered)
{
    struct dft_site_view site;
    char unknown[DFT_UNKNOWN_SITE_SIZE];
    struct dft_buffer *text = &state->text;

    dft_encoder_site(start, id, &site, unknown);
    bool is_region = site.flags & DFT_SITE_EVENT;
    rendered->head = (uint32_t)text->used;
    if (!dft_json_append_text(text, ",\"name\":", site.name) ||
        !dft_json_append_text(text, ",\"cat\":", site.category) ||
        (is_region && site.file[0] && start->metadata && !append_place(&site, text)) ||
        !dft_json_append_unsigned(text, ",\"pid\":", (uint64_t)start->pid) ||
        !dft_append_text(text, ",\"tid\":"))
        return false;
    rendered->tail = (uint32_t)text->used;
    if (!begin_args(state, "X", text) ||
        (!is_region && start->metadata && !append_place(&site, text)) ||
        (site.flags & DFTRACE_SITE_RESUMED && !dft_append_text(text, ",\"resumed\":true")))
        return false;
    rendered->tail_length = (uint32_t)text->used - rendered->tail;
    rendered->head_length = rendered->tail - rendered->head;
    return true;
}

static struct rendered_site *find_site(const struct dft_trace_start *start, uint32_t id,
                                       struct dftracer_state *state)
{
    struct dft_buffer *index = &state->index;
    size_t needed = ((size_t)id + 1) * sizeof(struct rendered_site);

    if (index->used < needed) {
        if (!dft_buffer_reserve(index, needed - index->used))
            return NULL;
        index->used = needed; /* fresh pages are zero */
    }
    struct rendered_site *rendered = &((struct rendered_site *)index->data)[id];
    if (rendered->head_length == 0 && !render_site(start, id, state, rendered))
        return NULL;
    return rendered;
}

/* Appends text, with a hint to the compressor: where the text has occurred before. */
static void put_repeated(struct dft_output *out, const char *text, uint32_t length, uint32_t *last)
{
    uint32_t at = out->origin + (uint32_t)out->text.used;
    struct dft_repeat hint = {at, *last, length};

    dft_put_bytes(&out->repeats, (const char *)&hint, sizeof hint);
    dft_put_bytes(&out->text, text, length);
    *last = at;
}

/* The file of a call is `fhash`, any other KEY is KEY_hash. */
static bool append_file_hash(const struct dft_encoder_field *field, struct dft_buffer *out)
{
    char hash[HASH_SIZE], key[64]; /* keys of files are short */

    make_hash(field->view.text, hash);
    if (field->key_length == strlen("file") && memcmp(field->key, "file", field->key_length) == 0)
        return dft_json_append_text(out, ",\"fhash\":", hash);
    snprintf(key, sizeof key, ",\"%.*s_hash\":", (int)field->key_length, field->key);
    return dft_json_append_text(out, key, hash);
}

static bool append_call(const struct dft_trace_start *start, struct dftracer_state *state,
                        const struct dft_call *call, const char *attached, struct dft_output *out)
{
    struct rendered_site *site = find_site(start, call->site, state);
    uint64_t begin_us = wall_us(start, call->start_ns), end_us = wall_us(start, call->end_ns);
    struct dft_buffer *text = &out->text;

    if (!site || !dft_buffer_reserve(text, site->head_length + site->tail_length + NUMBERS_ROOM) ||
        !dft_buffer_reserve(&out->repeats, HINTS_MAX * sizeof(struct dft_repeat)))
        return false;
    DFT_PUT_LITERAL(text, "{\"id\":");
    dft_put_unsigned(text, state->next_id++);
    put_repeated(out, state->text.data + site->head, site->head_length, &site->last_head);
    dft_put_unsigned(text, (uint64_t)dft_call_tid(call, attached));
    DFT_PUT_LITERAL(text, ",\"ts\":");
    dft_put_unsigned(text, begin_us);
    DFT_PUT_LITERAL(text, ",\"dur\":");
    dft_put_unsigned(text, end_us - begin_us);
    put_repeated(out, state->text.data + site->tail, site->tail_length, &site->last_tail);
    if (call->unfinished && !dft_append_text(text, ",\"unfinished\":true"))
        return false;
    if (call->attached) {
        const struct dft_attached *details = dft_call_attached(call, attached);
        if (!dft_json_append_attached_args(call, details, text) ||
            !dft_json_append_values(start, call, details, text) ||
            !dft_json_append_fields_with(start, details, append_file_hash, text))
            return false;
    }
    return end_line(text);
}

/* --- events of the program that are not calls ----------------------------------------------- */

/* Begins the line of an event that has a time, up to its time. */
static bool begin_program_event(const struct dft_trace_start *start, struct dftracer_state *state,
                                const struct dft_call *event, const struct dft_attached *attached,
                                const struct dft_event_name *name, struct dft_buffer *out)
{
    return dft_json_append_unsigned(out, "{\"id\":", state->next_id++) &&
           dft_append_text(out, ",\"name\":") &&
           dft_json_append_bytes(out, name->name, name->length) &&
           dft_json_append_text(out, ",\"cat\":", name->category) &&
           dft_json_append_unsigned(out, ",\"pid\":", (uint64_t)start->pid) &&
           dft_json_append_unsigned(out, ",\"tid\":", (uint64_t)attached->tid) &&
           dft_json_append_unsigned(out, ",\"ts\":", wall_us(start, event->start_ns));
}

static bool append_instant(const struct dft_trace_start *start, struct dftracer_state *state,
                           const struct dft_call *event, const struct dft_attached *attached,
                           struct dft_buffer *out)
{
    struct dft_event_name name = dft_encoder_event_name(start, event, attached);

    return begin_program_event(start, state, event, attached, &name, out) &&
           dft_append_text(out, ",\"dur\":0") && begin_args(state, "X", out) &&
           dft_append_text(out, ",\"instant\":true") &&
           dft_json_append_fields(start, attached, out) && end_line(out);
}

static bool append_program_counter(const struct dft_trace_start *start,
                                   struct dftracer_state *state, const struct dft_call *event,
                                   const struct dft_attached *attached, struct dft_buffer *out)
{
    struct dft_event_name name = dft_encoder_event_name(start, event, attached);

    return begin_program_event(start, state, event, attached, &name, out) &&
           begin_args(state, "C", out) && dft_append_text(out, ",") &&
           dft_json_append_program_counter(&name, attached, out) && end_line(out);
}

/* Readers know no phase for flows. */
static bool append_flow(const struct dft_trace_start *start, struct dftracer_state *state,
                        const struct dft_call *event, const struct dft_attached *attached,
                        struct dft_buffer *out)
{
    static const struct dft_event_name name = {.name = "flow", .category = "flow", .length = 4};
    const char *phase = attached->detail == 's'   ? ",\"flow\":\"begin\""
                        : attached->detail == 'f' ? ",\"flow\":\"end\""
                                                  : ",\"flow\":\"step\"";

    return begin_program_event(start, state, event, attached, &name, out) &&
           dft_append_text(out, ",\"dur\":0") && begin_args(state, "X", out) &&
           dft_append_text(out, phase) && dft_append_text(out, ",\"flow_id\":") &&
           dft_json_append_hex(out, attached->value) && end_line(out);
}

static bool append_thread_name(const struct dft_trace_start *start, struct dftracer_state *state,
                               const struct dft_call *event, const struct dft_attached *attached,
                               struct dft_buffer *out)
{
    struct dft_event_name name = dft_encoder_event_name(start, event, attached);

    return begin_metadata(start, state, "thread_name", attached->tid, out) &&
           dft_append_text(out, ",\"name\":") &&
           dft_json_append_bytes(out, name.name, name.length) && end_line(out);
}

static bool append_program_event(const struct dft_trace_start *start, struct dftracer_state *state,
                                 const struct dft_call *event, const struct dft_attached *attached,
                                 struct dft_buffer *out)
{
    switch ((enum dft_recorded_kind)attached->kind) {
    case DFT_RECORDED_INSTANT:
        return append_instant(start, state, event, attached, out);
    case DFT_RECORDED_COUNTER:
        return append_program_counter(start, state, event, attached, out);
    case DFT_RECORDED_FLOW:
        return append_flow(start, state, event, attached, out);
    case DFT_RECORDED_METADATA:
        return begin_metadata(start, state, "CM", attached->tid, out) &&
               dft_json_append_first_field(start, attached, out) && end_line(out);
    case DFT_RECORDED_THREAD_NAME:
        return append_thread_name(start, state, event, attached, out);
    case DFT_RECORDED_NOTHING:
    case DFT_RECORDED_CALL:
        break;
    }
    return true;
}

static bool append_calls(const struct dft_trace_start *start, void *state,
                         const struct dft_calls *calls, struct dft_output *out)
{
    for (size_t i = 0; i < calls->count; i++)
        if (dft_call_kind(&calls->calls[i], calls->attached) != DFT_RECORDED_CALL) {
            if (!append_program_event(start, state, &calls->calls[i],
                                      dft_call_attached(&calls->calls[i], calls->attached),
                                      &out->text))
                return false;
        } else if (!append_call(start, state, &calls->calls[i], calls->attached, out))
            return false;
    return true;
}

static bool begin_member(const struct dft_trace_start *start, void *opaque,
                         struct dft_member *member, struct dft_output *out)
{
    struct dftracer_state *state = opaque;

    (void)out;
    make_hash(start->host, state->host_hash);
    state->next_id = member->first_event ? member->first_event + START_LINES - 1 : 0;
    dft_encoder_put_parents_first(member, 1000, start->realtime_ns - start->monotonic_ns);
    return true;
}

static void release(void *opaque)
{
    struct dftracer_state *state = opaque;

    dft_buffer_release(&state->index);
    dft_buffer_release(&state->text);
}

const struct dft_encoder dft_encoder_dftracer = {
    .name = "dftracer",
    .extension = ".pfw",
    .wants_files = true,
    .state_size = sizeof(struct dftracer_state),
    .release = release,
    .begin_member = begin_member,
    .calls = append_calls,
    .event = append_event,
};
