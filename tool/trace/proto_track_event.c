/* Reads a TrackEvent: see proto_track_event.h. */
#include "tool/trace/proto_track_event.h"

static struct dft_text interned_text(const struct dft_proto_sequence *sequence,
                                     enum dft_proto_interned_kind kind, uint64_t iid)
{
    const struct dft_proto_interned *found = dft_proto_sequence_get(sequence, kind, iid);

    return found ? found->text : dft_text("unknown");
}

/* Adds the numbers of a repeated field, packed or not, to a list that may be full. */
static void add_numbers(const struct dft_proto_field *field, uint64_t *list, size_t *count)
{
    struct dft_proto_message bytes = field->bytes;
    uint64_t value;

    if (field->wire != DFT_PROTO_BYTES && *count < DFT_PROTO_EXTRA_MAX)
        list[(*count)++] = field->value;
    while (field->wire == DFT_PROTO_BYTES && *count < DFT_PROTO_EXTRA_MAX &&
           dft_proto_varint(&bytes, &value))
        list[(*count)++] = value;
}

static void add_flow(struct dft_proto_track_event *read, uint64_t id, bool ends)
{
    if (read->flow_count < DFT_PROTO_FLOWS_MAX)
        read->flows[read->flow_count++] = (struct dft_proto_flow){id, ends};
}

static uint64_t read_fixed(const unsigned char *bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static void add_flows(struct dft_proto_track_event *read, const struct dft_proto_field *field,
                      bool ends)
{
    const unsigned char *at = field->bytes.at;

    if (field->wire != DFT_PROTO_BYTES)
        add_flow(read, field->value, ends);
    for (; field->bytes.end - at >= 8; at += 8)
        add_flow(read, read_fixed(at), ends);
}

/* The phase of an event in the form that Chrome used before. */
static bool read_legacy(struct dft_proto *proto, struct dft_proto_message message,
                        struct dft_proto_track_event *read)
{
    struct dft_proto_field field;
    enum dft_proto_step step;

    while ((step = dft_proto_next(&message, &field)) == DFT_PROTO_FIELD) {
        if (field.number == 2)
            read->legacy_phase = (char)field.value;
    }
    return step == DFT_PROTO_DONE || dft_proto_fail(proto, "a legacy event is damaged");
}

/* A source location in the event itself: {file 2, line 4} */
static bool read_place(struct dft_proto *proto, struct dft_proto_message message)
{
    struct dft_proto_field field;
    enum dft_proto_step step;

    while ((step = dft_proto_next(&message, &field)) == DFT_PROTO_FIELD) {
        if (field.number == 2 && field.wire == DFT_PROTO_BYTES)
            dft_proto_add_text_arg(proto, dft_text("file"), dft_proto_text(field.bytes));
        else if (field.number == 4)
            dft_proto_add_int_arg(proto, dft_text("line"), (int64_t)field.value);
    }
    return step == DFT_PROTO_DONE || dft_proto_fail(proto, "a source location is damaged");
}

static bool take_bytes(struct dft_proto *proto, const struct dft_proto_sequence *sequence,
                       const struct dft_proto_field *field, struct dft_proto_track_event *read)
{
    switch (field->number) {
    case 4:
        return dft_proto_annotation(proto, sequence, field->bytes);
    case 6:
        return read_legacy(proto, field->bytes, read);
    case 22:
        read->category = dft_proto_valid(proto, dft_proto_text(field->bytes));
        return true;
    case 23:
        read->name = dft_proto_valid(proto, dft_proto_text(field->bytes));
        return true;
    case 33:
        return read_place(proto, field->bytes);
    default:
        return true;
    }
}

static void take_number(const struct dft_proto_sequence *sequence,
                        const struct dft_proto_field *field, struct dft_proto_track_event *read)
{
    switch (field->number) {
    case 9:
        read->type = field->value;
        break;
    case 10:
        read->name = interned_text(sequence, DFT_PROTO_NAME, field->value);
        break;
    case 11:
        read->has_track = true;
        read->track = field->value;
        break;
    case 30:
        read->has_value = true;
        read->value = (int64_t)field->value;
        break;
    case 34:
        read->place = dft_proto_sequence_get(sequence, DFT_PROTO_PLACE, field->value);
        break;
    case 44:
        read->has_value = read->is_double = true;
        memcpy(&read->real, &field->value, sizeof read->real);
        break;
    default:
        break;
    }
}

bool dft_proto_read_track_event(struct dft_proto *proto, const struct dft_proto_sequence *sequence,
                                struct dft_proto_message message,
                                struct dft_proto_track_event *read)
{
    struct dft_proto_field field;
    enum dft_proto_step step;
    uint64_t iids[DFT_PROTO_EXTRA_MAX];
    size_t iid_count = 0;

    while ((step = dft_proto_next(&message, &field)) == DFT_PROTO_FIELD) {
        if (field.number == 3)
            add_numbers(&field, iids, &iid_count);
        else if (field.number == 12)
            add_numbers(&field, (uint64_t *)read->extra_values, &read->extra_value_count);
        else if (field.number == 31)
            add_numbers(&field, read->extra_tracks, &read->extra_track_count);
        else if (field.number == 47 || field.number == 48)
            add_flows(read, &field, field.number == 48);
        else if (field.wire != DFT_PROTO_BYTES)
            take_number(sequence, &field, read);
        else if (!take_bytes(proto, sequence, &field, read))
            return false;
    }
    if (iid_count > 0)
        read->category = interned_text(sequence, DFT_PROTO_CATEGORY, iids[0]);
    return step == DFT_PROTO_DONE || dft_proto_fail(proto, "a track event is damaged");
}
