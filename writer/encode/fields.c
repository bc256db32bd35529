/*
 * Iterates over the fields of an event, and finds their keys: see encoder.h. Pure; runs in any of
 * the writer's threads. The fields may be damaged.
 */
#include "writer/encode/encoder.h"

#include <string.h>

#define COMPARED_MAX 256 /* fields of one list or map whose keys are compared with each other */

/* What the args have besides the program's fields, in any format. */
static const char *const taken[] = {
    /* of any event */
    "hhash", "instant",
    /* of calls */
    "unfinished", "cpu_us", "cpu_pct", "rss_kb", "rss_delta_kb", "peak_rss_kb", "minflt", "majflt",
    "vcsw", "ivcsw", "alloc_bytes", "alloc_count", "aggregated_us", "estimated_us"};
#define TAKEN_BY_ANY 2

void dft_field_walk_begin(struct dft_field_walk *walk, const struct dft_trace_start *start,
                          const struct dft_attached *attached)
{
    walk->start = start;
    walk->attached = attached;
    walk->at = attached->bytes;
    walk->end = attached->bytes + attached->length;
    walk->field_at = walk->field_end = NULL;
    walk->depth = 0;
    walk->count[0] = 0;
    walk->first[0] = NULL;
}

static bool is_key(const struct dft_encoder_field *field, const char *key)
{
    return key[0] == field->key[0] && strlen(key) == field->key_length &&
           memcmp(key, field->key, field->key_length) == 0;
}

/* Whether the args have the values of a function's parameters. */
static bool has_values(const struct dft_field_walk *walk)
{
    const unsigned char *at = walk->attached->bytes;
    struct dft_attachment_view view;

    while (dft_attachments_next(&at, walk->end, &view))
        if (view.kind == DFT_ATTACHMENT_ARGUMENTS || view.kind == DFT_ATTACHMENT_RESULT)
            return true;
    return false;
}

static bool is_taken(const struct dft_field_walk *walk, const struct dft_encoder_field *field)
{
    bool is_call = walk->attached->kind == DFT_RECORDED_CALL;
    size_t count = is_call ? sizeof taken / sizeof *taken : TAKEN_BY_ANY;

    if (walk->depth > 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (is_key(field, taken[i]))
            return true;
    return is_call && is_key(field, "values") && has_values(walk);
}

/* Shows a name in the site table as the text that it is. */
static void resolve_name(const struct dft_field_walk *walk, struct dft_field_view *view)
{
    struct dft_site_view site;
    bool known = view->bits <= UINT32_MAX &&
                 walk->start->sites.read(walk->start->sites.source, (uint32_t)view->bits, &site);

    view->type = DFT_FIELD_TEXT;
    view->text = known ? site.name : "unknown";
    view->length = (uint32_t)strlen(view->text);
}

static const char *key_text(const struct dft_trace_start *start, const struct dft_field_key *key,
                            size_t *length)
{
    struct dft_site_view site;
    const char *text = "";

    if (key->number == DFT_FIELD_INLINE_KEY) {
        *length = key->length;
        return key->text;
    }
    if (key->number != DFT_FIELD_NO_KEY)
        text = start->sites.read(start->sites.source, key->number, &site) ? site.name : "unknown";
    *length = strlen(text);
    return text;
}

static bool is_same_key(const struct dft_field_walk *walk, const struct dft_field_key *other,
                        const struct dft_encoder_field *field)
{
    size_t length;

    if (other->number != DFT_FIELD_INLINE_KEY && field->view.key.number != DFT_FIELD_INLINE_KEY)
        return other->number == field->view.key.number;
    const char *text = key_text(walk->start, other, &length);
    return length == field->key_length && memcmp(text, field->key, length) == 0;
}

/* Whether one of these fields, which are before `field`, has its key. */
static bool has_key(const struct dft_field_walk *walk, const unsigned char *at,
                    const unsigned char *end, const struct dft_encoder_field *field)
{
    struct dft_field_view other;
    unsigned depth = 0;

    while (at < end && dft_fields_next(&at, end, &other)) {
        if (other.type == DFT_FIELD_END) {
            depth -= depth > 0;
            continue;
        }
        if (depth == 0 && is_same_key(walk, &other.key, field))
            return true;
        depth += other.type == DFT_FIELD_LIST || other.type == DFT_FIELD_MAP;
    }
    return false;
}

/* Whether an earlier field of the same map has the key. `begin`: where the field begins. */
static bool is_used(const struct dft_field_walk *walk, const unsigned char *begin,
                    const struct dft_encoder_field *field)
{
    const unsigned char *at = walk->attached->bytes;
    struct dft_attachment_view view;

    if (walk->depth > 0)
        return has_key(walk, walk->first[walk->depth], begin, field);
    while (dft_attachments_next(&at, walk->end, &view) && view.bytes <= begin)
        if (view.kind == DFT_ATTACHMENT_FIELDS) {
            const unsigned char *end = view.bytes + view.length;
            if (has_key(walk, view.bytes, end < begin ? end : begin, field))
                return true;
        }
    return false;
}

static void find_key(const struct dft_field_walk *walk, const unsigned char *begin,
                     struct dft_encoder_field *field)
{
    unsigned position = walk->count[walk->depth];

    field->position = 0;
    field->key = key_text(walk->start, &field->view.key, &field->key_length);
    if (field->view.type == DFT_FIELD_END)
        return;
    if (position > COMPARED_MAX || (position > 1 && is_used(walk, begin, field)) ||
        is_taken(walk, field))
        field->position = position;
}

/* Finds the next attachment with fields. */
static bool find_fields(struct dft_field_walk *walk)
{
    struct dft_attachment_view view;

    while (dft_attachments_next(&walk->at, walk->end, &view))
        if (view.kind == DFT_ATTACHMENT_FIELDS) {
            walk->field_at = view.bytes;
            walk->field_end = view.bytes + view.length;
            return true;
        }
    return false;
}

/* Takes the field that was just read; false if it is not to be shown. */
static bool take(struct dft_field_walk *walk, const unsigned char *begin,
                 struct dft_encoder_field *field)
{
    bool opens = field->view.type == DFT_FIELD_LIST || field->view.type == DFT_FIELD_MAP;

    field->is_name = field->view.type == DFT_FIELD_NAME;
    if (field->is_name)
        resolve_name(walk, &field->view);
    if (field->view.type == DFT_FIELD_END) {
        find_key(walk, begin, field);
        if (walk->depth == 0) /* a damaged spool */
            return false;
        walk->depth--;
        return true;
    }
    if (opens && walk->depth == DFT_FIELD_DEPTH_MAX) {
        walk->field_at = walk->field_end;
        return false;
    }
    walk->count[walk->depth]++;
    find_key(walk, begin, field);
    if (opens) {
        walk->count[++walk->depth] = 0;
        walk->first[walk->depth] = walk->field_at;
    }
    return true;
}

bool dft_field_walk_next(struct dft_field_walk *walk, struct dft_encoder_field *field)
{
    for (;;) {
        const unsigned char *begin = walk->field_at;
        if (begin && dft_fields_next(&walk->field_at, walk->field_end, &field->view)) {
            if (take(walk, begin, field))
                return true;
            continue;
        }
        walk->field_at = walk->field_end;
        if (walk->depth > 0) { /* what was cut off */
            *field = (struct dft_encoder_field){.view = {.type = DFT_FIELD_END}, .key = ""};
            walk->depth--;
            return true;
        }
        if (!find_fields(walk))
            return false;
    }
}
