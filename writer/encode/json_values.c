/*
 * What a program records with dftrace.h, as JSON: values, and events that are not calls. Pure; runs
 * in any of the writer's threads.
 *
 * Lists and maps are JSON arrays and objects. What a JSON number cannot express is a string:
 * unsigned integers above INT64_MAX, NaN, infinities, pointers.
 */
#include "writer/encode/json_values.h"
#include "dftrace/events.h"
#include "writer/encode/json_meta.h"
#include "writer/encode/json_text.h"
#include "writer/encode/real.h"

#include <stdio.h>

/* --- fields --------------------------------------------------------------------------------- */

static bool append_key(const struct dft_encoder_field *field, struct dft_buffer *out)
{
    char position[16];

    if (!dft_json_append_bytes(out, field->key, field->key_length))
        return false;
    if (field->position > 0) {
        snprintf(position, sizeof position, "#%u\"", field->position);
        out->used--;
        if (!dft_append_text(out, position))
            return false;
    }
    return dft_append_text(out, ":");
}

/* Appends a value; of a list or map, only its beginning. */
static bool append_value(const struct dft_field_view *view, struct dft_buffer *out)
{
    switch (view->type) {
    case DFT_FIELD_NULL:
        return dft_append_text(out, "null");
    case DFT_FIELD_FALSE:
        return dft_append_text(out, "false");
    case DFT_FIELD_TRUE:
        return dft_append_text(out, "true");
    case DFT_FIELD_INT:
        return dft_json_append_signed(out, "", (int64_t)view->bits);
    case DFT_FIELD_UINT:
        return dft_json_append_any_unsigned(out, view->bits);
    case DFT_FIELD_DOUBLE:
        return dft_append_json_real(out, (const unsigned char *)&view->bits, sizeof view->bits);
    case DFT_FIELD_POINTER:
        return dft_json_append_hex(out, view->bits);
    case DFT_FIELD_TEXT:
        return view->is_cut ? dft_json_append_cut(out, view->text, view->length)
                            : dft_json_append_bytes(out, view->text, view->length);
    case DFT_FIELD_LIST:
        return dft_append_text(out, "[");
    case DFT_FIELD_MAP:
        return dft_append_text(out, "{");
    case DFT_FIELD_NAME:  /* seen as TEXT */
    case DFT_FIELD_SHORT: /* seen as INT */
    case DFT_FIELD_END:
        break;
    }
    return true;
}

/* The lists and maps around the next field. */
struct nesting {
    unsigned depth;
    bool is_list[DFT_FIELD_DEPTH_MAX + 1];
    bool is_first; /* the next field needs no comma */
};

static bool append_field(const struct dft_encoder_field *field, struct nesting *in,
                         struct dft_buffer *out)
{
    enum dft_field_type type = field->view.type;

    if (type == DFT_FIELD_END) {
        in->is_first = false;
        return dft_append_text(out, in->is_list[in->depth--] ? "]" : "}");
    }
    if ((!in->is_first && !dft_append_text(out, ",")) ||
        (!in->is_list[in->depth] && !append_key(field, out)) || !append_value(&field->view, out))
        return false;
    in->is_first = type == DFT_FIELD_LIST || type == DFT_FIELD_MAP;
    if (in->is_first)
        in->is_list[++in->depth] = type == DFT_FIELD_LIST;
    return true;
}

bool dft_json_append_fields_with(const struct dft_trace_start *start,
                                 const struct dft_attached *attached,
                                 dft_json_append_file *append_file, struct dft_buffer *out)
{
    struct nesting in = {.depth = 0};
    struct dft_encoder_field field;
    struct dft_field_walk walk;

    dft_field_walk_begin(&walk, start, attached);
    while (dft_field_walk_next(&walk, &field))
        if (field.is_name && append_file && in.depth == 0 ? !append_file(&field, out)
                                                          : !append_field(&field, &in, out))
            return false;
    return true;
}

bool dft_json_append_fields(const struct dft_trace_start *start,
                            const struct dft_attached *attached, struct dft_buffer *out)
{
    return dft_json_append_fields_with(start, attached, NULL, out);
}

bool dft_json_append_first_field(const struct dft_trace_start *start,
                                 const struct dft_attached *attached, struct dft_buffer *out)
{
    struct nesting in = {.is_list = {true}, .is_first = true}; /* without the key */
    struct dft_encoder_field field;
    struct dft_field_walk walk;

    dft_field_walk_begin(&walk, start, attached);
    if (!dft_field_walk_next(&walk, &field))
        return dft_append_text(out, ",\"name\":\"unknown\",\"value\":null");
    if (!dft_append_text(out, ",\"name\":") ||
        !dft_json_append_bytes(out, field.key, field.key_length) ||
        !dft_append_text(out, ",\"value\":"))
        return false;
    do {
        if (!append_field(&field, &in, out))
            return false;
    } while (in.depth > 0 && dft_field_walk_next(&walk, &field));
    return true;
}

bool dft_json_append_program_counter(const struct dft_event_name *name,
                                     const struct dft_attached *attached, struct dft_buffer *out)
{
    enum dft_field_type type = attached->detail == DFTRACE_TYPE_DOUBLE ? DFT_FIELD_DOUBLE
                               : attached->detail == DFTRACE_TYPE_UINT ? DFT_FIELD_UINT
                                                                       : DFT_FIELD_INT;

    return dft_json_append_string(out, name->unit[0] ? name->unit : "value") &&
           dft_append_text(out, ":") &&
           append_value(&(struct dft_field_view){.type = type, .bits = attached->value}, out);
}

/* --- events --------------------------------------------------------------------------------- */

/* Appends the event's name and category, and `after`, which ends with the key of the process. */
static bool begin_event(const struct dft_trace_start *start, const struct dft_event_name *name,
                        const char *after, struct dft_buffer *out)
{
    return dft_append_text(out, DFT_JSON_SEPARATOR "{\"name\":") &&
           dft_json_append_bytes(out, name->name, name->length) &&
           dft_json_append_text(out, ",\"cat\":", name->category) &&
           dft_json_append_unsigned(out, after, (uint64_t)start->pid);
}

static bool append_place(const struct dft_call *event, const struct dft_attached *attached,
                         struct dft_buffer *out)
{
    return dft_json_append_unsigned(out, ",\"tid\":", (uint64_t)attached->tid) &&
           dft_json_append_time(out, ",\"ts\":", event->start_ns);
}

/* Ends the event. The args begin at `args`, each after a comma; there may be none. */
static bool end_with_args(size_t args, struct dft_buffer *out)
{
    static const char begin[] = ",\"args\":{";
    const size_t extra = sizeof begin - 1 - 1; /* the first comma is replaced */

    if (out->used > args) {
        if (!dft_buffer_reserve(out, extra))
            return false;
        memmove(out->data + args + extra, out->data + args, out->used - args);
        memcpy(out->data + args, begin, sizeof begin - 1);
        out->used += extra;
    }
    return dft_append_text(out, out->used > args ? "}}\n" : "}\n");
}

static bool append_instant(const struct dft_trace_start *start, const struct dft_call *event,
                           const struct dft_attached *attached, struct dft_buffer *out)
{
    struct dft_event_name name = dft_encoder_event_name(start, event, attached);

    if (!begin_event(start, &name, ",\"ph\":\"i\",\"s\":\"t\",\"pid\":", out) ||
        !append_place(event, attached, out))
        return false;
    size_t args = out->used;
    return dft_json_append_fields(start, attached, out) && end_with_args(args, out);
}

static bool append_counter(const struct dft_trace_start *start, const struct dft_call *event,
                           const struct dft_attached *attached, struct dft_buffer *out)
{
    struct dft_event_name name = dft_encoder_event_name(start, event, attached);

    return begin_event(start, &name, ",\"ph\":\"C\",\"pid\":", out) &&
           append_place(event, attached, out) && dft_append_text(out, ",\"args\":{") &&
           dft_json_append_program_counter(&name, attached, out) && dft_append_text(out, "}}\n");
}

/*
 * Perfetto binds a flow to the slice that began last on the thread, even if that slice has ended. So
 * an instant, which is a slice without a duration, precedes each point of a flow.
 */
static bool append_flow_mark(const struct dft_trace_start *start, const struct dft_call *event,
                             const struct dft_attached *attached, struct dft_buffer *out)
{
    const char *phase = attached->detail == 's'   ? "begin"
                        : attached->detail == 'f' ? "end"
                                                  : "step";

    return dft_append_text(out, DFT_JSON_SEPARATOR "{\"name\":\"flow\",\"cat\":\"flow\"") &&
           dft_json_append_unsigned(out,
                                    ",\"ph\":\"i\",\"s\":\"t\",\"pid\":", (uint64_t)start->pid) &&
           append_place(event, attached, out) &&
           dft_json_append_text(out, ",\"args\":{\"phase\":", phase) &&
           dft_append_text(out, "}}\n");
}

static bool append_flow(const struct dft_trace_start *start, const struct dft_call *event,
                        const struct dft_attached *attached, struct dft_buffer *out)
{
    const char *begin = attached->detail == 's'   ? ",\"ph\":\"s\",\"bp\":\"e\",\"id\":"
                        : attached->detail == 'f' ? ",\"ph\":\"f\",\"bp\":\"e\",\"id\":"
                                                  : ",\"ph\":\"t\",\"bp\":\"e\",\"id\":";

    return append_flow_mark(start, event, attached, out) &&
           dft_append_text(out, DFT_JSON_SEPARATOR "{\"name\":\"flow\",\"cat\":\"flow\"") &&
           dft_append_text(out, begin) && dft_json_append_hex(out, attached->value) &&
           dft_json_append_unsigned(out, ",\"pid\":", (uint64_t)start->pid) &&
           append_place(event, attached, out) && dft_append_text(out, "}\n");
}

static bool append_metadata(const struct dft_trace_start *start,
                            const struct dft_attached *attached, struct dft_buffer *out)
{
    if (!dft_json_append_unsigned(
            out,
            DFT_JSON_SEPARATOR "{\"name\":\"metadata\",\"cat\":\"dftrace\",\"ph\":\"M\",\"pid\":",
            (uint64_t)start->pid) ||
        !dft_json_append_unsigned(out, ",\"tid\":", (uint64_t)attached->tid))
        return false;
    size_t args = out->used;
    return dft_json_append_fields(start, attached, out) && end_with_args(args, out);
}

static bool append_thread_name(const struct dft_trace_start *start, const struct dft_call *event,
                               const struct dft_attached *attached, struct dft_buffer *out)
{
    struct dft_event_name name = dft_encoder_event_name(start, event, attached);

    return dft_json_append_unsigned(
               out, DFT_JSON_SEPARATOR "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":",
               (uint64_t)start->pid) &&
           dft_json_append_unsigned(out, ",\"tid\":", (uint64_t)attached->tid) &&
           dft_append_text(out, ",\"args\":{\"name\":") &&
           dft_json_append_bytes(out, name.name, name.length) && dft_append_text(out, "}}\n");
}

bool dft_json_append_program_event(const struct dft_trace_start *start,
                                   const struct dft_call *event,
                                   const struct dft_attached *attached, struct dft_buffer *out)
{
    switch ((enum dft_recorded_kind)attached->kind) {
    case DFT_RECORDED_INSTANT:
        return append_instant(start, event, attached, out);
    case DFT_RECORDED_COUNTER:
        return append_counter(start, event, attached, out);
    case DFT_RECORDED_FLOW:
        return append_flow(start, event, attached, out);
    case DFT_RECORDED_METADATA:
        return append_metadata(start, attached, out);
    case DFT_RECORDED_THREAD_NAME:
        return append_thread_name(start, event, attached, out);
    case DFT_RECORDED_NOTHING:
    case DFT_RECORDED_CALL:
        break;
    }
    return true;
}
