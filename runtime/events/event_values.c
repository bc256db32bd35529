/*
 * Encodes values as in spool/fields.h. Runs in traced threads, signal handlers included; keeps errno.
 * Nothing here trusts the program: texts, keys and arrays may be NULL, lists may be endless, and
 * what is too long is cut.
 */
#include "runtime/events/event_values.h"
#include "runtime/events/event_names.h"
#include "runtime/events/mishaps.h"
#include "spool/fields.h"

#include <string.h>

#define ROOM_FOR_ANOTHER 32 /* that a long text leaves to each value behind it */

/* What is done with the values of one event. */
struct encoder {
    struct dft_fields fields;
    bool is_cut;
};

static bool put_fixed(struct encoder *encoder, struct dft_field_key key, enum dft_field_type type,
                      uint64_t bits)
{
    struct dft_fields *fields = &encoder->fields;

    if (__builtin_expect(key.number != DFT_FIELD_INLINE_KEY && fields->room >= 12, 1)) {
        uint32_t head = (uint32_t)type | key.number << 8;
        memcpy(fields->at, &head, sizeof head);
        memcpy(fields->at + sizeof head, &bits, sizeof bits);
        fields->at += sizeof head + sizeof bits;
        fields->room -= sizeof head + sizeof bits;
        return true;
    }
    return dft_fields_put(fields, key, type, bits);
}

/* `behind`: how many values follow, for which a long text leaves some room. */
static bool put_text(struct encoder *encoder, struct dft_field_key key,
                     const struct dftrace_value *value, uint32_t behind)
{
    struct dft_fields *fields = &encoder->fields;
    size_t whole = fields->room;
    size_t wanted = behind < whole / 2 / ROOM_FOR_ANOTHER ? behind * ROOM_FOR_ANOTHER : whole / 2;

    if (!value->as.text)
        return dft_fields_put(fields, key, DFT_FIELD_NULL, 0);
    size_t length =
        value->size == DFTRACE_TERMINATED ? strnlen(value->as.text, whole) : value->size;
    fields->room -= wanted;
    bool fits = length + 3 * sizeof(uint32_t) + key.length + 4 <= fields->room;
    bool is_put = dft_fields_put_text(fields, key, value->as.text, length);
    encoder->is_cut = encoder->is_cut || !fits;
    if (is_put)
        fields->room += wanted;
    return is_put;
}

static bool put_value(struct encoder *encoder, struct dft_field_key key,
                      const struct dftrace_value *value, uint32_t behind, unsigned depth);

static bool put_values(struct encoder *encoder, const struct dftrace_value *value, bool has_keys,
                       unsigned depth)
{
    const struct dftrace_value *values = value->as.values;

    for (uint32_t i = 0; i < value->size; i++) {
        struct dft_field_key key = {.number = DFT_FIELD_NO_KEY};
        if (has_keys)
            key = dft_event_names_key(values[i].key);
        if (!put_value(encoder, key, &values[i], value->size - i - 1, depth))
            return false;
    }
    return true;
}

static bool put_nested(struct encoder *encoder, struct dft_field_key key,
                       const struct dftrace_value *value, unsigned depth)
{
    const struct dft_field_key none = {.number = DFT_FIELD_NO_KEY};
    bool is_map = value->type == DFTRACE_TYPE_MAP;

    if (depth == DFT_FIELD_DEPTH_MAX || (!value->as.values && value->size)) {
        encoder->is_cut = true;
        return dft_fields_put(&encoder->fields, key, DFT_FIELD_NULL, 0);
    }
    return dft_fields_put(&encoder->fields, key, is_map ? DFT_FIELD_MAP : DFT_FIELD_LIST, 0) &&
           put_values(encoder, value, is_map, depth + 1) &&
           dft_fields_put(&encoder->fields, none, DFT_FIELD_END, 0);
}

static bool put_value(struct encoder *encoder, struct dft_field_key key,
                      const struct dftrace_value *value, uint32_t behind, unsigned depth)
{
    switch (value->type) {
    case DFTRACE_TYPE_INT:
        return put_fixed(encoder, key, DFT_FIELD_INT, value->as.bits);
    case DFTRACE_TYPE_UINT:
        return put_fixed(encoder, key, DFT_FIELD_UINT, value->as.bits);
    case DFTRACE_TYPE_DOUBLE:
        return put_fixed(encoder, key, DFT_FIELD_DOUBLE, value->as.bits);
    case DFTRACE_TYPE_POINTER:
        return put_fixed(encoder, key, DFT_FIELD_POINTER, value->as.bits);
    case DFTRACE_TYPE_BOOL:
        return dft_fields_put(&encoder->fields, key,
                              value->as.number ? DFT_FIELD_TRUE : DFT_FIELD_FALSE, 0);
    case DFTRACE_TYPE_TEXT:
    case DFTRACE_TYPE_OPAQUE:
        return put_text(encoder, key, value, behind);
    case DFTRACE_TYPE_LIST:
    case DFTRACE_TYPE_MAP:
        return put_nested(encoder, key, value, depth);
    default:
        return dft_fields_put(&encoder->fields, key, DFT_FIELD_NULL, 0);
    }
}

/* Adds values to the attachment of fields; if they are those of a call, to its map. */
static void add_values(struct dft_event_bytes *all, const struct dftrace_value *values,
                       uint32_t count, bool is_call)
{
    struct dft_attachment head = {.kind = DFT_ATTACHMENT_FIELDS};
    struct dftrace_value whole = {.size = count, .as.values = values};
    bool is_new = all->used == 0;

    if (count == 0 || !values)
        return;
    if (is_new)
        all->used = sizeof head;
    struct encoder encoder = {
        .fields = {.at = all->bytes + all->used, .room = DFT_ATTACHMENTS_MAX - all->used}};
    if (is_new && is_call)
        dft_fields_put(&encoder.fields, dft_event_names_key("values"), DFT_FIELD_MAP, 0);
    bool is_put = put_values(&encoder, &whole, true, is_call);
    all->used = (uint32_t)(encoder.fields.at - all->bytes);
    head.length = (uint16_t)(all->used - sizeof head);
    memcpy(all->bytes, &head, sizeof head);
    if (!is_put || encoder.is_cut)
        dft_mishaps_count(DFT_MISHAP_VALUES);
}

void dft_event_values_add(struct dft_event_bytes *all, const struct dftrace_value *values,
                          uint32_t count)
{
    add_values(all, values, count, false);
}

/* The map has no END, so that more values can follow. See spool/fields.h. */
void dft_event_values_add_to_call(struct dft_event_bytes *all, const struct dftrace_value *values,
                                  uint32_t count)
{
    add_values(all, values, count, true);
}

void dft_event_values_add_name(struct dft_event_bytes *all, const char *name)
{
    struct dft_attachment head = {.kind = DFT_ATTACHMENT_NAME, .length = (uint16_t)strlen(name)};
    size_t size = sizeof head + ((head.length + 3u) & ~3u);

    if (size > DFT_ATTACHMENTS_MAX - all->used)
        return;
    memset(all->bytes + all->used, 0, size);
    memcpy(all->bytes + all->used, &head, sizeof head);
    memcpy(all->bytes + all->used + sizeof head, name, head.length);
    all->used += (uint32_t)size;
}
