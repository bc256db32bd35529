/*
 * Fields of a program's own events: see fields.h. Readers trust nothing: fields may be damaged.
 */
#include "spool/fields.h"

#include <string.h>

#define TEXT_CUT 0x80000000u
#define TEXT_LEAST 8 /* bytes of a cut text; with less room, the text is omitted */

static size_t padded(size_t length)
{
    return (length + 3) & ~(size_t)3;
}

static size_t key_size(struct dft_field_key key)
{
    return key.number == DFT_FIELD_INLINE_KEY ? sizeof key.length + padded(key.length) : 0;
}

static void put(struct dft_fields *fields, const void *bytes, size_t length)
{
    memcpy(fields->at, bytes, length);
    memset(fields->at + length, 0, padded(length) - length);
    fields->at += padded(length);
    fields->room -= padded(length);
}

static void put_head(struct dft_fields *fields, struct dft_field_key key, enum dft_field_type type)
{
    uint32_t head = (uint32_t)type | key.number << 8;

    put(fields, &head, sizeof head);
    if (key.number == DFT_FIELD_INLINE_KEY) {
        put(fields, &key.length, sizeof key.length);
        put(fields, key.text, key.length);
    }
}

static bool has_bits(enum dft_field_type type)
{
    return type == DFT_FIELD_INT || type == DFT_FIELD_UINT || type == DFT_FIELD_DOUBLE ||
           type == DFT_FIELD_POINTER;
}

static bool refuse(struct dft_fields *fields)
{
    fields->room = 0;
    return false;
}

bool dft_fields_put(struct dft_fields *fields, struct dft_field_key key, enum dft_field_type type,
                    uint64_t bits)
{
    size_t size = sizeof(uint32_t) + key_size(key) + (has_bits(type) ? sizeof bits : 0);

    if (size > fields->room)
        return refuse(fields);
    put_head(fields, key, type);
    if (has_bits(type))
        put(fields, &bits, sizeof bits);
    return true;
}

bool dft_fields_put_name(struct dft_fields *fields, struct dft_field_key key, uint32_t number)
{
    if (sizeof(uint32_t) + key_size(key) + sizeof number > fields->room)
        return refuse(fields);
    put_head(fields, key, DFT_FIELD_NAME);
    put(fields, &number, sizeof number);
    return true;
}

/* The longest part of the text that has at most `room` bytes and ends with a whole character. */
static size_t cut_length(const char *text, size_t length, size_t room)
{
    size_t cut = room;

    if (length <= room)
        return length;
    while (cut > 0 && room - cut < 4 && ((unsigned char)text[cut] & 0xc0) == 0x80)
        cut--;
    return ((unsigned char)text[cut] & 0xc0) == 0x80 ? room : cut; /* not UTF-8 */
}

bool dft_fields_put_text(struct dft_fields *fields, struct dft_field_key key, const char *text,
                         size_t length)
{
    size_t before = 2 * sizeof(uint32_t) + key_size(key);
    size_t room = fields->room > before ? (fields->room - before) & ~(size_t)3 : 0;
    size_t kept = cut_length(text, length, room);

    if (fields->room < before || (kept < length && kept < TEXT_LEAST))
        return refuse(fields);
    uint32_t state = (uint32_t)kept | (kept < length ? TEXT_CUT : 0);
    put_head(fields, key, DFT_FIELD_TEXT);
    put(fields, &state, sizeof state);
    put(fields, text, kept);
    return true;
}

static const unsigned char *take(const unsigned char **at, const unsigned char *end, size_t length)
{
    const unsigned char *bytes = *at;

    if ((size_t)(end - *at) < padded(length))
        return NULL;
    *at += padded(length);
    return bytes;
}

static bool take_number(const unsigned char **at, const unsigned char *end, uint32_t *number)
{
    const unsigned char *bytes = take(at, end, sizeof *number);

    if (bytes)
        memcpy(number, bytes, sizeof *number);
    return bytes != NULL;
}

static bool take_text(const unsigned char **at, const unsigned char *end, uint32_t length,
                      const char **text)
{
    *text = (const char *)take(at, end, length);
    return *text != NULL;
}

bool dft_fields_next(const unsigned char **at, const unsigned char *end,
                     struct dft_field_view *view)
{
    uint32_t head, length;

    if (!take_number(at, end, &head) || (head & 0xff) == 0 || (head & 0xff) > DFT_FIELD_SHORT)
        return false;
    *view = (struct dft_field_view){.type = (enum dft_field_type)(head & 0xff),
                                    .key = {.number = head >> 8}};
    if (view->key.number == DFT_FIELD_INLINE_KEY &&
        (!take_number(at, end, &view->key.length) ||
         !take_text(at, end, view->key.length, &view->key.text)))
        return false;
    if (has_bits(view->type)) {
        const unsigned char *bytes = take(at, end, sizeof view->bits);
        if (bytes)
            memcpy(&view->bits, bytes, sizeof view->bits);
        return bytes != NULL;
    }
    if (view->type != DFT_FIELD_TEXT && view->type != DFT_FIELD_NAME &&
        view->type != DFT_FIELD_SHORT)
        return true;
    if (!take_number(at, end, &length))
        return false;
    if (view->type == DFT_FIELD_SHORT) {
        view->type = DFT_FIELD_INT;
        view->bits = (uint64_t)(int64_t)(int32_t)length;
        return true;
    }
    if (view->type == DFT_FIELD_NAME) {
        view->bits = length;
        return true;
    }
    view->is_cut = length & TEXT_CUT;
    view->length = length & ~TEXT_CUT;
    return take_text(at, end, view->length, &view->text);
}
