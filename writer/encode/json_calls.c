/*
 * The default format: strict JSON, one event a line, each separating comma on a line of its own.
 *
 * JSON parsers need the commas, DFTracer's readers need lines that are whole objects, Perfetto
 * accepts both. The text that all calls of a function share is rendered once and then copied. It is
 * in one piece, at the beginning of the line, so that the compressor finds all of it as one match
 * in the function's previous call. The duration is next, because it resembles that of the
 * function's previous call. The start is last, because it resembles that of the line before.
 */
#include "dftrace/abi.h"
#include "writer/encode/json_args.h"
#include "writer/encode/json_meta.h"
#include "writer/encode/json_text.h"
#include "writer/encode/json_values.h"

/* The constant text of a site, and its position in the site's previous call. */
struct rendered_site {
    uint32_t offset;
    uint32_t length; /* of `,\n{"name":…,"args":{…},"tid":` */
    uint32_t last;
    bool has_args; /* the text has args, to which those of a call are added */
};

/* Rendered text that seldom changes. */
struct phrase {
    unsigned length;
    char text[64];
};

/* The previous call, with which the next one shares some text. */
struct recent {
    uint32_t moment; /* position of its start time in the text */
    int32_t tid;
    uint64_t second;      /* of its start */
    struct phrase thread; /* `TID,"dur":` */
    struct phrase since;  /* `,"ts":SECONDS` */
};

/* The state of one encoding thread. */
struct json_state {
    struct dft_buffer index; /* struct rendered_site, by number */
    struct dft_buffer text;
    struct recent recent;
};

/*
 * For tid, ts and dur with their keys, for "unfinished", and for the bytes that dft_copy_wild
 * writes past the end.
 */
#define VARIABLE_ROOM 192
#define REPEATS_MAX 2 /* hints for one call */

#define TID ",\"tid\":"
#define DUR ",\"dur\":"
#define TS ",\"ts\":"
#define END "}\n"

/* The place in the source. That of a region is next to its args, which the program names freely. */
static bool append_place(const struct dft_trace_start *start, const struct dft_site_view *site,
                         struct dft_buffer *text)
{
    bool is_region = site->flags & DFT_SITE_EVENT;

    if (!start->metadata || (is_region && !site->file[0]))
        return true;
    return dft_json_append_text(text,
                                is_region ? ",\"file\":" : ",\"args\":{\"file\":", site->file) &&
           dft_json_append_unsigned(text, ",\"line\":", site->line) &&
           (!(site->flags & DFTRACE_SITE_RESUMED) || dft_append_text(text, ",\"resumed\":true")) &&
           (is_region || dft_append_text(text, "}"));
}

static bool render_site(const struct dft_trace_start *start, uint32_t id, struct json_state *state,
                        struct rendered_site *rendered)
{
    struct dft_site_view site;
    char unknown[DFT_UNKNOWN_SITE_SIZE];
    struct dft_buffer *text = &state->text;

    dft_encoder_site(start, id, &site, unknown);
    rendered->offset = (uint32_t)text->used;
    if (!dft_json_append_text(text, DFT_JSON_SEPARATOR "{\"name\":", site.name) ||
        !dft_json_append_text(text, ",\"cat\":", site.category) ||
        !dft_json_append_unsigned(text, ",\"ph\":\"X\",\"pid\":", (uint64_t)start->pid))
        return false;
    if (!append_place(start, &site, text) || !dft_append_text(text, TID))
        return false;
    if (!dft_buffer_reserve(text, DFT_WILD)) /* dft_copy_wild reads past the end */
        return false;
    rendered->length = (uint32_t)text->used - rendered->offset;
    rendered->has_args = start->metadata && !(site.flags & DFT_SITE_EVENT);
    return true;
}

static struct rendered_site *find_site(const struct dft_trace_start *start, uint32_t id,
                                       struct json_state *state)
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
    if (rendered->length == 0 && !render_site(start, id, state, rendered))
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

/* Writes the microseconds since the last whole second, with three decimals. */
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

/* Inserts "unfinished" into the args of the constant text, which ends at `at`. */
static char *put_unfinished(char *at, bool has_args)
{
    static const char among[] = ",\"unfinished\":true}" TID;
    static const char alone[] = ",\"args\":{\"unfinished\":true}" TID;
    size_t length = has_args ? sizeof among - 1 : sizeof alone - 1;

    at -= has_args ? sizeof "}" TID - 1 : sizeof TID - 1;
    memcpy(at, has_args ? among : alone, length);
    return at + length;
}

/*
 * Tells the compressor where the parts of this call, at these positions in the text, occurred last.
 * The end of the line before is always the same, so the first match includes it.
 */
static void remember_repeats(struct recent *recent, struct rendered_site *site, uint32_t begin,
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

/* Like put_unfinished, for a call whose only detail is the time of aggregated calls inside. */
static char *put_added(char *at, bool has_args, const struct dft_added *added)
{
    static const char among[] = ",\"aggregated_us\":", alone[] = ",\"args\":{\"aggregated_us\":";
    size_t length = has_args ? sizeof among - 1 : sizeof alone - 1;

    at -= has_args ? sizeof "}" TID - 1 : sizeof TID - 1;
    memcpy(at, has_args ? among : alone, length);
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

/* Like put_unfinished, for all other details. The constant text is the end of `text`. */
static bool append_attached(const struct dft_trace_start *start, bool has_args,
                            const struct dft_call *call, const struct dft_attached *attached,
                            struct dft_buffer *text)
{
    text->used -= has_args ? sizeof "}" TID - 1 : sizeof TID - 1;
    if (!has_args && !dft_append_text(text, ",\"args\":{"))
        return false;
    size_t first = text->used;
    if ((call->unfinished && !dft_append_text(text, ",\"unfinished\":true")) ||
        !dft_json_append_attached_args(call, attached, text) ||
        !dft_json_append_values(start, call, attached, text) ||
        !dft_json_append_fields(start, attached, text))
        return false;
    if (!has_args && text->used > first) /* no comma before the first arg */
        memmove(text->data + first, text->data + first + 1, --text->used - first);
    return dft_append_text(text, "}") && dft_json_append_attached_fields(call, attached, text) &&
           dft_append_text(text, TID) && dft_buffer_reserve(text, VARIABLE_ROOM);
}

static bool append_call(const struct dft_trace_start *start, struct json_state *state,
                        const struct dft_call *call, const char *attached, struct dft_output *out)
{
    struct rendered_site *site = find_site(start, call->site, state);
    struct recent *recent = &state->recent;
    uint64_t second = call->start_ns / 1000000000u;
    int32_t tid = dft_call_tid(call, attached);

    if (!site || !dft_buffer_reserve(&out->text, site->length + VARIABLE_ROOM) ||
        !dft_buffer_reserve(&out->repeats, REPEATS_MAX * sizeof(struct dft_repeat)))
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
        at = put_added(at, site->has_args, &added);
    } else if (call->attached) {
        out->text.used += (size_t)(at - begin);
        if (!append_attached(start, site->has_args, call, dft_call_attached(call, attached),
                             &out->text))
            return false;
        begin = out->text.data + before;
        at = out->text.data + out->text.used;
        out->text.used = before;
    } else if (call->unfinished) {
        at = put_unfinished(at, site->has_args);
    }
    at = put_phrase(at, &recent->thread);
    at = put_duration(at, call->end_ns - call->start_ns);
    const char *moment = at;
    at = put_phrase(at, &recent->since);
    at = put_moment(at, second, (unsigned)(call->start_ns - second * 1000000000u));
    memcpy(at, END, sizeof END - 1);
    at += sizeof END - 1;
    uint32_t position = out->origin + (uint32_t)out->text.used;
    remember_repeats(recent, site, position, position + (uint32_t)(moment - begin), &out->repeats);
    out->text.used += (size_t)(at - begin);
    return true;
}

static bool append_calls(const struct dft_trace_start *start, void *state,
                         const struct dft_calls *calls, struct dft_output *out)
{
    for (size_t i = 0; i < calls->count; i++) {
        const struct dft_call *call = &calls->calls[i];
        bool is_call = dft_call_kind(call, calls->attached) == DFT_RECORDED_CALL;
        if (__builtin_expect(!is_call, 0)) {
            if (!dft_json_append_program_event(
                    start, call, dft_call_attached(call, calls->attached), &out->text))
                return false;
        } else if (!append_call(start, state, call, calls->attached, out)) {
            return false;
        }
    }
    return true;
}

static bool begin_member(const struct dft_trace_start *start, void *state,
                         struct dft_member *member, struct dft_output *out)
{
    (void)start, (void)state, (void)out;
    dft_encoder_put_parents_first(member, 1, 0);
    return true;
}

static void release(void *state)
{
    struct json_state *json = state;

    dft_buffer_release(&json->index);
    dft_buffer_release(&json->text);
}

const struct dft_encoder dft_encoder_json = {
    .name = "json",
    .extension = ".pfw",
    .state_size = sizeof(struct json_state),
    .release = release,
    .begin_member = begin_member,
    .calls = append_calls,
    .event = dft_json_append_event,
};
