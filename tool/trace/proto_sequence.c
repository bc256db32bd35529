/*
 * State that packets of a sequence share: interned texts, defaults, clocks.
 */
#include "tool/trace/proto_internal.h"

#include "tool/base/tool.h"

#include <stdlib.h>

#define CLOCK_MONOTONIC_ID 3
#define CLOCK_BOOTTIME_ID 6
#define CLOCK_SEQUENCE_FIRST 64
#define CLOCK_SEQUENCE_LAST 127
#define SEQUENCES_MAX ((size_t)1 << 20)

/* --- finding a sequence --- */

struct sequence_key {
    const struct dft_proto *proto;
    uint64_t id;
};

static bool matches_sequence(const void *context, uint32_t number)
{
    const struct sequence_key *key = context;

    return key->proto->sequences[number].id == key->id;
}

struct dft_proto_sequence *dft_proto_sequence_find(struct dft_proto *proto, uint64_t id)
{
    struct sequence_key key = {proto, id};
    uint64_t hash = dft_hash_number(4, id);
    uint32_t found = dft_index_find(&proto->sequence_index, hash, matches_sequence, &key);

    if (found != DFT_INDEX_NONE)
        return &proto->sequences[found];
    if (proto->sequence_count == SEQUENCES_MAX) {
        dft_proto_fail(proto, "the trace has too many sequences");
        return NULL;
    }
    proto->sequences = dft_tool_grow(proto->sequences, proto->sequence_count, &proto->sequence_room,
                                     sizeof *proto->sequences);
    struct dft_proto_sequence *sequence = &proto->sequences[proto->sequence_count];
    *sequence = (struct dft_proto_sequence){.id = id};
    dft_index_add(&proto->sequence_index, hash, (uint32_t)proto->sequence_count++);
    return sequence;
}

void dft_proto_sequence_clear(struct dft_proto *proto, struct dft_proto_sequence *sequence)
{
    for (size_t i = 0; i < sequence->count; i++) {
        proto->memory -= sizeof *sequence->interned + sequence->interned[i].text.length;
        dft_text_free(sequence->interned[i].text);
    }
    free(sequence->interned);
    dft_index_free(&sequence->index);
    free(sequence->clocks.list);
    *sequence = (struct dft_proto_sequence){.id = sequence->id};
}

/* --- interned data --- */

struct interned_key {
    const struct dft_proto_sequence *sequence;
    enum dft_proto_interned_kind kind;
    uint64_t iid;
};

static bool matches_interned(const void *context, uint32_t number)
{
    const struct interned_key *key = context;
    const struct dft_proto_interned *entry = &key->sequence->interned[number];

    return entry->iid == key->iid && entry->kind == key->kind;
}

static uint32_t find_interned(const struct dft_proto_sequence *sequence,
                              enum dft_proto_interned_kind kind, uint64_t iid, uint64_t *hash)
{
    struct interned_key key = {sequence, kind, iid};

    *hash = dft_hash_number(dft_hash_number(5, (uint64_t)kind), iid);
    return dft_index_find(&sequence->index, *hash, matches_interned, &key);
}

const struct dft_proto_interned *dft_proto_sequence_get(const struct dft_proto_sequence *sequence,
                                                        enum dft_proto_interned_kind kind,
                                                        uint64_t iid)
{
    uint64_t hash;
    uint32_t found = find_interned(sequence, kind, iid, &hash);

    return found == DFT_INDEX_NONE ? NULL : &sequence->interned[found];
}

/* {iid 1, name or file 2, function 3, line 4} */
static bool read_interned(struct dft_proto *proto, enum dft_proto_interned_kind kind,
                          struct dft_proto_message message, struct dft_proto_interned *entry)
{
    struct dft_proto_field field;
    enum dft_proto_step step;

    *entry = (struct dft_proto_interned){.kind = kind, .text = {"", 0}};
    while ((step = dft_proto_next(&message, &field)) == DFT_PROTO_FIELD) {
        if (field.number == 1)
            entry->iid = field.value;
        else if (field.number == 2 && field.wire == DFT_PROTO_BYTES)
            entry->text = dft_proto_text(field.bytes);
        else if (field.number == 3)
            entry->is_function = true;
        else if (field.number == 4)
            entry->line = field.value;
    }
    return step == DFT_PROTO_DONE || dft_proto_fail(proto, "interned data is damaged");
}

static bool intern(struct dft_proto *proto, struct dft_proto_sequence *sequence,
                   enum dft_proto_interned_kind kind, struct dft_proto_message message)
{
    struct dft_proto_interned entry;
    uint64_t hash;

    if (!read_interned(proto, kind, message, &entry))
        return false;
    entry.text = dft_proto_valid(proto, entry.text);
    uint32_t found = find_interned(sequence, kind, entry.iid, &hash);
    if (found != DFT_INDEX_NONE) {
        struct dft_proto_interned *old = &sequence->interned[found];

        proto->memory += entry.text.length;
        proto->memory -= old->text.length;
        dft_text_free(old->text);
        old->text = dft_text_copy(entry.text);
        old->line = entry.line;
        old->is_function = entry.is_function;
        return true;
    }
    proto->memory += sizeof entry + entry.text.length;
    if (proto->memory > DFT_PROTO_MEMORY_MAX)
        return dft_proto_fail(proto, "the trace has too many interned texts");
    entry.text = dft_text_copy(entry.text);
    sequence->interned = dft_tool_grow(sequence->interned, sequence->count, &sequence->room,
                                       sizeof *sequence->interned);
    dft_index_add(&sequence->index, hash, (uint32_t)sequence->count);
    sequence->interned[sequence->count++] = entry;
    return true;
}

bool dft_proto_sequence_intern(struct dft_proto *proto, struct dft_proto_sequence *sequence,
                               struct dft_proto_message data)
{
    struct dft_proto_field field;
    enum dft_proto_step step;

    while ((step = dft_proto_next(&data, &field)) == DFT_PROTO_FIELD) {
        bool is_used = (field.number >= DFT_PROTO_CATEGORY && field.number <= DFT_PROTO_PLACE) ||
                       field.number == DFT_PROTO_VALUE;

        if (is_used && field.wire == DFT_PROTO_BYTES &&
            !intern(proto, sequence, (enum dft_proto_interned_kind)field.number, field.bytes))
            return false;
    }
    return step == DFT_PROTO_DONE || dft_proto_fail(proto, "interned data is damaged");
}

/* --- defaults --- */

static bool read_event_defaults(struct dft_proto *proto, struct dft_proto_sequence *sequence,
                                struct dft_proto_message defaults)
{
    struct dft_proto_field field;
    enum dft_proto_step step;

    sequence->extra_count = 0;
    while ((step = dft_proto_next(&defaults, &field)) == DFT_PROTO_FIELD) {
        if (field.number == 11) {
            sequence->has_track = true;
            sequence->track = field.value;
        } else if (field.number == 31 && field.wire == DFT_PROTO_BYTES) {
            uint64_t uuid;

            while (sequence->extra_count < DFT_PROTO_EXTRA_MAX &&
                   dft_proto_varint(&field.bytes, &uuid))
                sequence->extra[sequence->extra_count++] = uuid;
        } else if (field.number == 31 && sequence->extra_count < DFT_PROTO_EXTRA_MAX) {
            sequence->extra[sequence->extra_count++] = field.value;
        }
    }
    return step == DFT_PROTO_DONE || dft_proto_fail(proto, "defaults of a sequence are damaged");
}

bool dft_proto_sequence_defaults(struct dft_proto *proto, struct dft_proto_sequence *sequence,
                                 struct dft_proto_message defaults)
{
    struct dft_proto_field field;
    enum dft_proto_step step;

    while ((step = dft_proto_next(&defaults, &field)) == DFT_PROTO_FIELD) {
        if (field.number == 58)
            sequence->clock = field.value;
        else if (field.number == 11 && field.wire == DFT_PROTO_BYTES &&
                 !read_event_defaults(proto, sequence, field.bytes))
            return false;
    }
    return step == DFT_PROTO_DONE || dft_proto_fail(proto, "defaults of a sequence are damaged");
}

/* --- clocks --- */

/* Where a clock is kept: clocks with these numbers belong to a sequence. */
static struct dft_proto_clocks *clocks_of(struct dft_proto *proto,
                                          struct dft_proto_sequence *sequence, uint64_t id)
{
    bool is_own = id >= CLOCK_SEQUENCE_FIRST && id <= CLOCK_SEQUENCE_LAST;

    return is_own ? &sequence->clocks : &proto->clocks;
}

static struct dft_proto_clock *find_clock(const struct dft_proto_clocks *clocks, uint64_t id)
{
    for (size_t i = 0; i < clocks->count; i++) {
        if (clocks->list[i].id == id)
            return &clocks->list[i];
    }
    return NULL;
}

static void set_clock(struct dft_proto_clocks *clocks, const struct dft_proto_clock *read)
{
    struct dft_proto_clock *clock = find_clock(clocks, read->id);

    if (!clock) {
        if (clocks->count == DFT_PROTO_CLOCKS_MAX)
            return;
        clocks->list =
            dft_tool_grow(clocks->list, clocks->count, &clocks->room, sizeof *clocks->list);
        clock = &clocks->list[clocks->count++];
    }
    *clock = *read;
}

static bool read_clock(struct dft_proto *proto, struct dft_proto_message message,
                       struct dft_proto_clock *clock)
{
    struct dft_proto_field field;
    enum dft_proto_step step;

    while ((step = dft_proto_next(&message, &field)) == DFT_PROTO_FIELD) {
        if (field.number == 1)
            clock->id = field.value;
        else if (field.number == 2)
            clock->value = field.value;
        else if (field.number == 3)
            clock->is_incremental = field.value != 0;
        else if (field.number == 4)
            clock->unit_ns = field.value;
    }
    return step == DFT_PROTO_DONE || dft_proto_fail(proto, "a clock snapshot is damaged");
}

/* In the unit of the trace's clock; wraps around in damaged files. */
static int64_t in_ns(const struct dft_proto_clock *clock, uint64_t value)
{
    return (int64_t)(value * clock->unit_ns);
}

#define SNAPSHOT_MAX 32

bool dft_proto_clock_snapshot(struct dft_proto *proto, struct dft_proto_sequence *sequence,
                              struct dft_proto_message snapshot)
{
    struct dft_proto_clock read[SNAPSHOT_MAX];
    const struct dft_proto_clock *primary = NULL;
    struct dft_proto_field field;
    enum dft_proto_step step;
    size_t count = 0;
    uint64_t wanted = 0;

    while ((step = dft_proto_next(&snapshot, &field)) == DFT_PROTO_FIELD) {
        if (field.number == 2)
            wanted = field.value;
        if (field.number != 1 || field.wire != DFT_PROTO_BYTES || count == SNAPSHOT_MAX)
            continue;
        read[count] = (struct dft_proto_clock){.unit_ns = 1};
        if (!read_clock(proto, field.bytes, &read[count++]))
            return false;
    }
    if (step == DFT_PROTO_BAD)
        return dft_proto_fail(proto, "a clock snapshot is damaged");
    if (proto->primary_clock == 0)
        proto->primary_clock = wanted ? wanted : CLOCK_BOOTTIME_ID;
    for (size_t i = 0; i < count; i++) {
        if (read[i].id == proto->primary_clock)
            primary = &read[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (!primary && (read[i].id == CLOCK_MONOTONIC_ID || read[i].id == CLOCK_BOOTTIME_ID))
            primary = &read[i];
    }
    for (size_t i = 0; i < count; i++) {
        read[i].base = in_ns(&read[i], read[i].value);
        read[i].trace_ns = primary ? in_ns(primary, primary->value) : read[i].base;
    }
    for (size_t i = 0; i < count; i++)
        set_clock(clocks_of(proto, sequence, read[i].id), &read[i]);
    return true;
}

int64_t dft_proto_clock_time(struct dft_proto *proto, struct dft_proto_sequence *sequence,
                             uint64_t id, uint64_t timestamp)
{
    uint64_t wanted = id ? id : sequence->clock ? sequence->clock : proto->primary_clock;
    struct dft_proto_clock *clock = find_clock(clocks_of(proto, sequence, wanted), wanted);

    if (!clock)
        return timestamp > INT64_MAX ? INT64_MAX : (int64_t)timestamp;
    if (clock->is_incremental)
        timestamp = clock->value += timestamp;
    int64_t offset = (int64_t)((uint64_t)clock->trace_ns - (uint64_t)clock->base);
    return (int64_t)((uint64_t)in_ns(clock, timestamp) + (uint64_t)offset);
}

void dft_proto_sequences_free(struct dft_proto *proto)
{
    for (size_t i = 0; i < proto->sequence_count; i++)
        dft_proto_sequence_clear(proto, &proto->sequences[i]);
    free(proto->sequences);
    free(proto->clocks.list);
    dft_index_free(&proto->sequence_index);
}
