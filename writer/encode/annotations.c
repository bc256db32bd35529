/*
 * Debug annotations: see annotations.h. Pure; runs in any of the writer's threads.
 *
 * Most args are made from the JSON that the JSON format has for them, so that both formats have the
 * same args by construction. The fields of the program are written directly, because protobuf has
 * types that JSON lacks.
 */
#include "writer/encode/annotations.h"
#include "writer/encode/json_text.h"
#include "writer/encode/protobuf.h"

#include <stdio.h>
#include <stdlib.h>

/* Fields of TrackEvent and of DebugAnnotation. */
enum {
    EVENT_ANNOTATIONS = 4,
    VALUE_BOOL = 2,
    VALUE_UINT = 3,
    VALUE_INT = 4,
    VALUE_DOUBLE = 5,
    VALUE_TEXT = 6,
    VALUE_POINTER = 7,
    VALUE_DICT = 11,
    VALUE_ARRAY = 12,
    VALUE_TEXT_NUMBER = 17,
    KEY_NUMBER = 1,
    KEY_TEXT = 10,
};

#define EXACT_DIGITS_MAX 15 /* a double has every integer of so many digits */
#define NUMBER_MAX 64       /* characters */

static bool append_key(const struct dft_annotations *to, const char *key, size_t length)
{
    uint32_t number;

    if (!to->interned)
        return dft_pb_append_text(to->out, KEY_TEXT, key, length);
    return dft_intern(to->interned, DFT_INTERNED_KEY, key, length, &number) &&
           dft_pb_append_number(to->out, KEY_NUMBER, number);
}

static bool append_text(const struct dft_annotations *to, const char *text, size_t length)
{
    uint32_t number = 0;

    if (to->interned && !dft_intern(to->interned, DFT_INTERNED_TEXT, text, length, &number))
        return false;
    return number ? dft_pb_append_number(to->out, VALUE_TEXT_NUMBER, number)
                  : dft_pb_append_text(to->out, VALUE_TEXT, text, length);
}

/* --- from JSON ------------------------------------------------------------------------------ */

struct json {
    const char *at, *end;
};

static bool skip(struct json *json, char c)
{
    if (json->at < json->end && *json->at == c) {
        json->at++;
        return true;
    }
    return false;
}

static char hex_value(const char *digits)
{
    char text[5] = {digits[0], digits[1], digits[2], digits[3], '\0'};

    return (char)strtoul(text, NULL, 16); /* only control characters are written in this way */
}

/* Reads a string into the scratch buffer. `json` is after the opening quote. */
static bool read_string(const struct dft_annotations *to, struct json *json)
{
    to->scratch->used = 0;
    if (!dft_buffer_reserve(to->scratch, (size_t)(json->end - json->at)))
        return false;
    while (json->at < json->end && *json->at != '"') {
        char c = *json->at++;
        if (c == '\\' && json->at < json->end) {
            c = *json->at++;
            if (c == 'u' && json->end - json->at >= 4) {
                c = hex_value(json->at);
                json->at += 4;
            }
        }
        dft_put_bytes(to->scratch, &c, 1);
    }
    skip(json, '"');
    return true;
}

/* The locale of the program may have another decimal point. */
static double read_any_double(const char *text, size_t length)
{
    char copy[NUMBER_MAX + 1], half[8];
    int size = snprintf(half, sizeof half, "%.1f", 0.5);

    memcpy(copy, text, length);
    copy[length] = '\0';
    char *point = strchr(copy, '.');
    if (point && size > 1)
        *point = half[1];
    return strtod(copy, NULL);
}

static double read_double(const char *text, size_t length)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    uint64_t digits = 0;
    unsigned count = 0, decimals = 0;
    bool is_negative = text[0] == '-', has_point = false;

    for (size_t i = is_negative; i < length; i++) {
        if (text[i] == '.') {
            has_point = true;
            continue;
        }
        if (text[i] < '0' || text[i] > '9' || ++count > EXACT_DIGITS_MAX)
            return read_any_double(text, length);
        digits = digits * 10 + (uint64_t)(text[i] - '0');
        decimals += has_point;
    }
    /* Both operands are exact, so the quotient is the double that is closest to the number. */
    double value = (double)digits / powers[decimals];
    return is_negative ? -value : value;
}

static bool append_number(const struct dft_annotations *to, struct json *json)
{
    const char *begin = json->at;
    bool is_double = false, is_negative = *begin == '-';
    uint64_t digits = 0;

    for (; json->at < json->end && *json->at && strchr("+-.0123456789eE", *json->at); json->at++) {
        is_double |= strchr(".eE", *json->at) != NULL;
        if (*json->at >= '0' && *json->at <= '9')
            digits = digits * 10 + (uint64_t)(*json->at - '0');
    }
    size_t length = (size_t)(json->at - begin);
    if (length == 0) { /* cannot occur; goes on all the same */
        json->at++;
        return true;
    }
    if (is_double)
        return dft_pb_append_double(to->out, VALUE_DOUBLE,
                                    read_double(begin, length < NUMBER_MAX ? length : NUMBER_MAX));
    if (!is_negative && digits > INT64_MAX)
        return dft_pb_append_number(to->out, VALUE_UINT, digits);
    return dft_pb_append_number(to->out, VALUE_INT, is_negative ? -digits : digits);
}

static bool append_list(const struct dft_annotations *to, struct json *json);
static bool append_members(const struct dft_annotations *to, struct json *json, unsigned field);

static bool append_word(const struct dft_annotations *to, struct json *json)
{
    bool is_true = *json->at == 't', is_null = *json->at == 'n';

    while (json->at < json->end && *json->at >= 'a' && *json->at <= 'z')
        json->at++;
    return is_null || dft_pb_append_number(to->out, VALUE_BOOL, is_true);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the JSON that this writer makes */
static bool append_value(const struct dft_annotations *to, struct json *json)
{
    if (json->at >= json->end)
        return true;
    if (skip(json, '"'))
        return read_string(to, json) && append_text(to, to->scratch->data, to->scratch->used);
    if (skip(json, '{'))
        return append_members(to, json, VALUE_DICT) && (skip(json, '}') || true);
    if (skip(json, '['))
        return append_list(to, json);
    if (*json->at >= 'a' && *json->at <= 'z')
        return append_word(to, json);
    return append_number(to, json);
}

/* NOLINTNEXTLINE(misc-no-recursion): see above */
static bool append_list(const struct dft_annotations *to, struct json *json)
{
    size_t begin;

    while (json->at < json->end && !skip(json, ']')) {
        if (!dft_pb_begin(to->out, VALUE_ARRAY, &begin) || !append_value(to, json) ||
            !dft_pb_end(to->out, begin))
            return false;
        skip(json, ',');
    }
    return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): see above */
static bool append_members(const struct dft_annotations *to, struct json *json, unsigned field)
{
    size_t begin;

    while (skip(json, '"')) {
        if (!read_string(to, json) || !dft_pb_begin(to->out, field, &begin) ||
            !append_key(to, to->scratch->data, to->scratch->used))
            return false;
        skip(json, ':');
        if (!append_value(to, json) || !dft_pb_end(to->out, begin))
            return false;
        skip(json, ',');
    }
    return true;
}

bool dft_annotate_json(const struct dft_annotations *to, const char *json, size_t length)
{
    struct json cursor = {json, json + length};

    skip(&cursor, ',');
    return append_members(to, &cursor, EVENT_ANNOTATIONS);
}

/* --- fields of the program ------------------------------------------------------------------ */

static bool append_cut_text(const struct dft_annotations *to, const struct dft_field_view *view)
{
    size_t whole = dft_whole_characters(view->text, view->length);

    to->scratch->used = 0;
    if (!dft_buffer_reserve(to->scratch, whole + sizeof DFT_CUT_MARK))
        return false;
    dft_put_bytes(to->scratch, view->text, whole);
    DFT_PUT_LITERAL(to->scratch, DFT_CUT_MARK);
    return append_text(to, to->scratch->data, to->scratch->used);
}

static bool append_field_value(const struct dft_annotations *to, const struct dft_field_view *view)
{
    switch (view->type) {
    case DFT_FIELD_FALSE:
    case DFT_FIELD_TRUE:
        return dft_pb_append_number(to->out, VALUE_BOOL, view->type == DFT_FIELD_TRUE);
    case DFT_FIELD_INT:
        return dft_pb_append_number(to->out, VALUE_INT, view->bits);
    case DFT_FIELD_UINT:
        return dft_pb_append_number(to->out, VALUE_UINT, view->bits);
    case DFT_FIELD_DOUBLE:
        return dft_pb_append_fixed(to->out, VALUE_DOUBLE, view->bits);
    case DFT_FIELD_POINTER:
        return dft_pb_append_number(to->out, VALUE_POINTER, view->bits);
    case DFT_FIELD_TEXT:
        return view->is_cut ? append_cut_text(to, view) : append_text(to, view->text, view->length);
    case DFT_FIELD_NULL:
    case DFT_FIELD_LIST:
    case DFT_FIELD_MAP:
    case DFT_FIELD_END:
    case DFT_FIELD_NAME:  /* seen as TEXT */
    case DFT_FIELD_SHORT: /* seen as INT */
        break;
    }
    return true;
}

static bool append_field_key(const struct dft_annotations *to,
                             const struct dft_encoder_field *field)
{
    char position[16];
    int length = snprintf(position, sizeof position, "#%u", field->position);

    if (field->position == 0)
        return append_key(to, field->key, field->key_length);
    to->scratch->used = 0;
    if (!dft_buffer_reserve(to->scratch, field->key_length + sizeof position))
        return false;
    if (field->key_length)
        dft_put_bytes(to->scratch, field->key, field->key_length);
    dft_put_bytes(to->scratch, position, (size_t)length);
    return append_key(to, to->scratch->data, to->scratch->used);
}

bool dft_annotate_fields(const struct dft_annotations *to, const struct dft_trace_start *start,
                         const struct dft_attached *attached)
{
    size_t begins[DFT_FIELD_DEPTH_MAX + 1] = {0};
    unsigned entries[DFT_FIELD_DEPTH_MAX + 1] = {EVENT_ANNOTATIONS}, depth = 0;
    struct dft_encoder_field field;
    struct dft_field_walk walk;

    dft_field_walk_begin(&walk, start, attached);
    while (dft_field_walk_next(&walk, &field)) {
        enum dft_field_type type = field.view.type;
        if (type == DFT_FIELD_END) {
            if (depth == 0 || !dft_pb_end(to->out, begins[--depth])) /* the walk is balanced */
                return false;
            continue;
        }
        if (!dft_pb_begin(to->out, entries[depth], &begins[depth]) ||
            (entries[depth] != VALUE_ARRAY && !append_field_key(to, &field)) ||
            !append_field_value(to, &field.view))
            return false;
        if (type == DFT_FIELD_LIST || type == DFT_FIELD_MAP)
            entries[++depth] = type == DFT_FIELD_LIST ? VALUE_ARRAY : VALUE_DICT;
        else if (!dft_pb_end(to->out, begins[depth]))
            return false;
    }
    return true;
}

/* --- single ones ---------------------------------------------------------------------------- */

bool dft_annotate_number(const struct dft_annotations *to, const char *key, uint64_t value)
{
    size_t begin;

    return dft_pb_begin(to->out, EVENT_ANNOTATIONS, &begin) && append_key(to, key, strlen(key)) &&
           dft_pb_append_number(to->out, VALUE_INT, value) && dft_pb_end(to->out, begin);
}

bool dft_annotate_text(const struct dft_annotations *to, const char *key, const char *text)
{
    size_t begin;

    return dft_pb_begin(to->out, EVENT_ANNOTATIONS, &begin) && append_key(to, key, strlen(key)) &&
           append_text(to, text, strlen(text)) && dft_pb_end(to->out, begin);
}
