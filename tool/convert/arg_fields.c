/*
 * From JSON to fields. An attachment has at most 64 KiB, so every arg has one of its own.
 */
#include "tool/convert/arg_fields.h"

#include "tool/base/tool.h"
#include "tool/trace/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ATTACHMENT_MAX 65532u
#define KEY_MAX 4096u

struct walk {
    struct dft_scanner scanner;
    struct dft_fields fields;
    struct dft_scratch *scratch;
    bool is_cut;
};

void dft_attachment_list_add(struct dft_attachment_list *list, enum dft_attachment_kind kind,
                             const void *bytes, size_t length)
{
    struct dft_attachment head = {.kind = (uint16_t)kind, .length = (uint16_t)length};
    size_t padded = (length + 3) & ~(size_t)3;
    size_t needed = list->used + sizeof head + padded;

    if (needed > list->room) {
        list->room = needed * 2;
        list->bytes = dft_tool_resize(list->bytes, list->room, 1);
    }
    memcpy(list->bytes + list->used, &head, sizeof head);
    memset(list->bytes + list->used + sizeof head, 0, padded);
    memcpy(list->bytes + list->used + sizeof head, bytes, length);
    list->used = needed;
}

static void put(struct walk *walk, struct dft_field_key key, enum dft_field_type type,
                uint64_t bits)
{
    walk->is_cut |= !dft_fields_put(&walk->fields, key, type, bits);
}

static void put_text(struct walk *walk, struct dft_field_key key, struct dft_text text)
{
    size_t before = walk->fields.room;

    walk->is_cut |= !dft_fields_put_text(&walk->fields, key, text.at, text.length) ||
                    before - walk->fields.room < text.length;
}

static void put_double(struct walk *walk, struct dft_field_key key, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    put(walk, key, DFT_FIELD_DOUBLE, bits);
}

static void put_number(struct walk *walk, struct dft_field_key key, struct dft_text token)
{
    char *copy = dft_tool_copy(token.at, token.length);
    char *end;

    errno = 0;
    long long value = strtoll(copy, &end, 10);
    bool fits = errno == 0 && *end == '\0';
    errno = 0;
    unsigned long long bits = fits ? 0 : strtoull(copy, &end, 10);
    if (fits)
        put(walk, key, DFT_FIELD_INT, (uint64_t)value);
    else if (errno == 0 && *end == '\0' && *copy != '-')
        put(walk, key, DFT_FIELD_UINT, bits);
    else
        put_double(walk, key, strtod(copy, NULL));
    free(copy);
}

static struct dft_field_key inline_key(struct dft_text key)
{
    size_t length = key.length < KEY_MAX ? key.length : KEY_MAX;

    return (struct dft_field_key){DFT_FIELD_INLINE_KEY, (uint32_t)length, key.at};
}

static void put_value(struct walk *walk, struct dft_field_key key, unsigned depth);

static void put_list(struct walk *walk, unsigned depth)
{
    static const struct dft_field_key none = {.number = DFT_FIELD_NO_KEY};
    char byte;

    walk->scanner.at++;
    while (dft_scan_peek(&walk->scanner, &byte) == DFT_SCAN_OK && byte != ']') {
        if (byte == ',')
            walk->scanner.at++;
        else
            put_value(walk, none, depth + 1);
    }
    walk->scanner.at++;
}

static void put_map(struct walk *walk, unsigned depth)
{
    struct dft_scan_string key;
    bool first = true, done = false;

    walk->scanner.at++;
    while (dft_scan_member(&walk->scanner, &first, &done, &key) == DFT_SCAN_OK && !done)
        put_value(walk, inline_key(dft_scan_decode(key, walk->scratch)), depth + 1);
}

/* A list or map; as text where it is nested too deeply. */
static void put_container(struct walk *walk, struct dft_field_key key, char byte, unsigned depth)
{
    static const struct dft_field_key none = {.number = DFT_FIELD_NO_KEY};
    struct dft_text raw;

    if (depth >= DFT_FIELD_DEPTH_MAX) {
        dft_scan_value(&walk->scanner, &raw);
        put_text(walk, key, raw);
        return;
    }
    put(walk, key, byte == '[' ? DFT_FIELD_LIST : DFT_FIELD_MAP, 0);
    if (byte == '[')
        put_list(walk, depth);
    else
        put_map(walk, depth);
    put(walk, none, DFT_FIELD_END, 0);
}

/* Puts the value at the scanner, which has been scanned before and is correct. */
static void put_value(struct walk *walk, struct dft_field_key key, unsigned depth)
{
    struct dft_scan_string string;
    struct dft_text raw;
    char byte;

    if (dft_scan_peek(&walk->scanner, &byte) != DFT_SCAN_OK)
        return;
    if (byte == '[' || byte == '{') {
        put_container(walk, key, byte, depth);
    } else if (byte == '"') {
        dft_scan_string(&walk->scanner, &string);
        put_text(walk, key, dft_scan_decode(string, walk->scratch));
    } else {
        dft_scan_value(&walk->scanner, &raw);
        if (*raw.at == 't' || *raw.at == 'f' || *raw.at == 'n')
            put(walk, key,
                *raw.at == 't'   ? DFT_FIELD_TRUE
                : *raw.at == 'f' ? DFT_FIELD_FALSE
                                 : DFT_FIELD_NULL,
                0);
        else
            put_number(walk, key, raw);
    }
}

bool dft_attachment_list_add_arg(struct dft_attachment_list *list, struct dft_text key,
                                 struct dft_text raw, struct dft_scratch *scratch)
{
    static unsigned char bytes[ATTACHMENT_MAX];
    /* A space ends numbers: the scanner needs to see what is behind them. */
    char *text = dft_scratch_take(scratch, raw.length + 1);
    struct walk walk = {
        .scanner = {.at = text, .end = text + raw.length + 1},
        .fields = {bytes, sizeof bytes},
        .scratch = scratch,
    };

    memcpy(text, raw.at, raw.length);
    text[raw.length] = ' ';
    put_value(&walk, inline_key(key), 0);
    dft_attachment_list_add(list, DFT_ATTACHMENT_FIELDS, bytes, (size_t)(walk.fields.at - bytes));
    return !walk.is_cut;
}
