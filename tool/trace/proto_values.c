/*
 * Debug annotations become args in JSON, as the other formats have them.
 */
#include "tool/trace/proto_internal.h"

#include "text/json_string.h"
#include "tool/base/tool.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

/* Deeper lists and maps are cut. */
#define DEPTH_MAX 32

/* --- text that grows in the scratch memory --- */

struct growing {
    struct dft_proto *proto;
    char *at;
    size_t used;
    size_t room;
};

static void put(struct growing *text, const char *bytes, size_t length)
{
    if (length == 0)
        return;
    if (!text->at || text->room - text->used < length) {
        size_t room = (text->used + length) * 2 + 64;
        char *grown = dft_scratch_take(&text->proto->scratch, room);

        if (text->at)
            memcpy(grown, text->at, text->used);
        text->at = grown;
        text->room = room;
    }
    memcpy(text->at + text->used, bytes, length);
    text->used += length;
}

static void put_string(struct growing *text, struct dft_text value)
{
    char escaped[DFT_JSON_CHARACTER_MAX];
    uint32_t point;

    put(text, "\"", 1);
    while (value.length > 0)
        put(text, escaped, dft_json_take_character(&value.at, &value.length, escaped, &point));
    put(text, "\"", 1);
}

/* The shortest number that reads back as the same one; a string where JSON has no number. */
static void put_double(struct growing *text, double value)
{
    char number[40];
    int length = 0;

    if (!isfinite(value)) {
        put_string(text, dft_text(isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity"));
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(number, sizeof number, "%.*g", digits, value);
        if (strtod(number, NULL) == value)
            break;
    }
    put(text, number, (size_t)length);
    if (strspn(number, "-0123456789") == (size_t)length) /* it stays a number with a fraction */
        put(text, ".0", 2);
}

__attribute__((format(printf, 2, 3))) static void put_format(struct growing *text,
                                                             const char *format, ...)
{
    char number[40];
    va_list list;

    va_start(list, format);
    int length = vsnprintf(number, sizeof number, format, list);
    va_end(list);
    put(text, number, (size_t)length);
}

/* --- annotations --- */

struct annotation {
    const struct dft_proto_sequence *sequence;
    struct growing *out;
};

static bool put_annotation(const struct annotation *in, struct dft_proto_message message,
                           unsigned depth);

static double as_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static const struct dft_proto_interned *look_up(const struct annotation *in,
                                                enum dft_proto_interned_kind kind, uint64_t iid)
{
    return dft_proto_sequence_get(in->sequence, kind, iid);
}

/* The key of an annotation: its own text, or an interned one. */
static bool find_key(const struct annotation *in, struct dft_proto_message message,
                     struct dft_text *key)
{
    struct dft_proto_field field;
    enum dft_proto_step step;

    *key = dft_text("");
    while ((step = dft_proto_next(&message, &field)) == DFT_PROTO_FIELD) {
        if (field.number == 1) {
            const struct dft_proto_interned *name = look_up(in, DFT_PROTO_KEY, field.value);

            *key = name ? name->text : dft_text("unknown");
        } else if (field.number == 10 && field.wire == DFT_PROTO_BYTES) {
            *key = dft_proto_text(field.bytes);
        }
    }
    return step == DFT_PROTO_DONE;
}

static void put_number(const struct annotation *in, const struct dft_proto_field *field)
{
    struct growing *out = in->out;
    const struct dft_proto_interned *text;

    switch (field->number) {
    case 2:
        put(out, field->value ? "true" : "false", field->value ? 4 : 5);
        break;
    case 3: /* what a signed integer cannot hold is a string, as in dftrace's JSON */
        put_format(out, field->value > INT64_MAX ? "\"%" PRIu64 "\"" : "%" PRIu64, field->value);
        break;
    case 4:
        put_format(out, "%" PRId64, (int64_t)field->value);
        break;
    case 5:
        put_double(out, as_double(field->value));
        break;
    case 7:
        put_format(out, "\"0x%" PRIx64 "\"", field->value);
        break;
    default:
        text = look_up(in, DFT_PROTO_VALUE, field->value);
        put_string(out, text ? text->text : dft_text("unknown"));
        break;
    }
}

/* One element of a list or map. */
static bool put_element(const struct annotation *in, const struct dft_proto_field *field,
                        size_t first, unsigned depth)
{
    struct dft_text key;

    if (in->out->used > first)
        put(in->out, ",", 1);
    if (field->number == 11) {
        if (!find_key(in, field->bytes, &key))
            return false;
        put_string(in->out, key);
        put(in->out, ":", 1);
    }
    return put_annotation(in, field->bytes, depth + 1);
}

static bool put_elements(const struct annotation *in, struct dft_proto_message message,
                         uint32_t number, unsigned depth)
{
    struct dft_proto_field field;

    put(in->out, number == 11 ? "{" : "[", 1);
    size_t first = in->out->used;
    while (depth < DEPTH_MAX && dft_proto_next(&message, &field) == DFT_PROTO_FIELD) {
        if (field.number == number && field.wire == DFT_PROTO_BYTES &&
            !put_element(in, &field, first, depth))
            return false;
    }
    put(in->out, number == 11 ? "}" : "]", 1);
    return true;
}

/* Puts the value of an annotation; "null" if it has none. */
static bool put_annotation(const struct annotation *in, struct dft_proto_message message,
                           unsigned depth)
{
    struct dft_proto_message rest = message;
    struct dft_proto_field field;
    enum dft_proto_step step;
    bool has_value = false;

    while ((step = dft_proto_next(&rest, &field)) == DFT_PROTO_FIELD) {
        bool is_bytes = field.wire == DFT_PROTO_BYTES;

        if (has_value)
            continue;
        if (is_bytes && (field.number == 6 || field.number == 9)) {
            put_string(in->out, dft_proto_text(field.bytes));
            has_value = true;
        } else if (is_bytes && (field.number == 11 || field.number == 12)) {
            if (!put_elements(in, message, field.number, depth))
                return false;
            has_value = true;
        } else if (!is_bytes && ((field.number >= 2 && field.number <= 5) || field.number == 7 ||
                                 field.number == 17)) {
            put_number(in, &field);
            has_value = true;
        }
    }
    if (!has_value)
        put(in->out, "null", 4);
    return step == DFT_PROTO_DONE;
}

bool dft_proto_annotation(struct dft_proto *proto, const struct dft_proto_sequence *sequence,
                          struct dft_proto_message message)
{
    struct growing text = {.proto = proto};
    struct annotation in = {sequence, &text};
    struct dft_text key;

    if (!find_key(&in, message, &key) || !put_annotation(&in, message, 0))
        return dft_proto_fail(proto, "a debug annotation is damaged");
    dft_proto_add_arg(proto, dft_proto_valid(proto, key), (struct dft_text){text.at, text.used});
    return true;
}

/* --- args --- */

struct dft_text dft_proto_valid(struct dft_proto *proto, struct dft_text text)
{
    struct growing valid = {.proto = proto};
    char bytes[4];

    while (text.length > 0)
        put(&valid, bytes, dft_text_encode(dft_text_next(&text), bytes));
    return (struct dft_text){valid.used > 0 ? valid.at : "", valid.used};
}

void dft_proto_add_arg(struct dft_proto *proto, struct dft_text key, struct dft_text raw)
{
    proto->args =
        dft_tool_grow(proto->args, proto->arg_count, &proto->arg_room, sizeof *proto->args);
    proto->args[proto->arg_count++] = (struct dft_arg){key, raw};
}

void dft_proto_add_text_arg(struct dft_proto *proto, struct dft_text key, struct dft_text text)
{
    struct growing raw = {.proto = proto};

    put_string(&raw, text);
    dft_proto_add_arg(proto, key, (struct dft_text){raw.at, raw.used});
}

void dft_proto_add_int_arg(struct dft_proto *proto, struct dft_text key, int64_t value)
{
    struct growing raw = {.proto = proto};

    put_format(&raw, "%" PRId64, value);
    dft_proto_add_arg(proto, key, (struct dft_text){raw.at, raw.used});
}

void dft_proto_add_double_arg(struct dft_proto *proto, struct dft_text key, double value)
{
    struct growing raw = {.proto = proto};

    put_double(&raw, value);
    dft_proto_add_arg(proto, key, (struct dft_text){raw.at, raw.used});
}
