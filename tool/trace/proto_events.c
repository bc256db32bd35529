/*
 * The packets that are used, and their events: slices, instants, counters and flows become what
 * they are in JSON.
 */
#include "tool/trace/proto_track_event.h"

#include "tool/base/tool.h"

#define STATE_CLEARED 1u

/* --- the queue --- */

/* A counter may wait for packets that replace what its sequence has interned. */
static void keep_counter_texts(struct dft_proto *proto, struct dft_event *event)
{
    event->name = dft_proto_valid(proto, event->name);
    event->cat = dft_proto_valid(proto, event->cat);
    if (event->file.at)
        event->file = dft_proto_valid(proto, event->file);
}

void dft_proto_queue(struct dft_proto *proto, const struct dft_event *event, size_t first_arg)
{
    proto->queue =
        dft_tool_grow(proto->queue, proto->queued, &proto->queue_room, sizeof *proto->queue);
    struct dft_proto_queued *queued = &proto->queue[proto->queued++];
    queued->event = *event;
    queued->event.arg_count = proto->arg_count - first_arg;
    queued->first_arg = first_arg;
    if (event->ph == 'C')
        keep_counter_texts(proto, &queued->event);
}

/* --- track events --- */

/* The value of a counter, and the sum of an incremental one. */
static int64_t count(struct dft_proto_track *track, int64_t value)
{
    if (track->is_incremental) {
        track->sum = (int64_t)((uint64_t)track->sum + (uint64_t)value);
        value = track->sum;
    }
    return (int64_t)((uint64_t)value * (uint64_t)track->multiplier);
}

static struct dft_text unit_of(const struct dft_proto_track *track)
{
    return track->unit.length > 0 ? track->unit : dft_text("value");
}

/* The name of a process's counter is that of the counter and that of the value. */
static struct dft_text name_counter(const struct dft_event *event, struct dft_text name,
                                    struct dft_text unit)
{
    bool is_process = dft_text_is(event->cat, "dftrace") && unit.length + 1 < name.length &&
                      name.at[name.length - unit.length - 1] == ' ' &&
                      memcmp(name.at + name.length - unit.length, unit.at, unit.length) == 0;

    return is_process ? (struct dft_text){name.at, name.length - unit.length - 1} : name;
}

static void queue_counter(struct dft_proto *proto, const struct dft_proto_sequence *sequence,
                          uint64_t uuid, const struct dft_proto_track_event *read,
                          struct dft_event event)
{
    dft_proto_track_place(proto, sequence, uuid, true, &event);
    size_t first = proto->arg_count;
    struct dft_proto_track *track = dft_proto_track_find(proto, uuid);
    event.ph = 'C';
    if (track->category.length > 0)
        event.cat = dft_proto_valid(proto, track->category);
    struct dft_text unit = dft_proto_valid(proto, unit_of(track));
    if (track->name.length > 0)
        event.name = name_counter(&event, dft_proto_valid(proto, track->name), unit);
    if (read->is_double)
        dft_proto_add_double_arg(proto, unit, read->real * (double)track->multiplier);
    else
        dft_proto_add_int_arg(proto, unit, count(track, read->value));
    dft_proto_queue(proto, &event, first);
}

/* Values of further counters: CPU time belongs to the event, others are counters of their own. */
static void take_extra(struct dft_proto *proto, const struct dft_proto_sequence *sequence,
                       const struct dft_proto_track_event *read, struct dft_event *event)
{
    bool has_own = read->extra_track_count > 0;
    const uint64_t *tracks = has_own ? read->extra_tracks : sequence->extra;
    size_t tracks_known = has_own ? read->extra_track_count : sequence->extra_count;

    for (size_t i = 0; i < read->extra_value_count && i < tracks_known; i++) {
        struct dft_proto_track *track = dft_proto_track_find(proto, tracks[i]);

        if (track->is_thread_time) {
            event->has_tts = true;
            event->tts_ns = count(track, read->extra_values[i]);
        } else {
            struct dft_proto_track_event value = {.value = read->extra_values[i],
                                                  .first_arg = proto->arg_count};

            queue_counter(proto, sequence, tracks[i], &value, *event);
        }
    }
}

/* Whether this is the first point of a flow, as far as is known. */
static bool is_first(struct dft_proto *proto, uint64_t id)
{
    uint64_t *seen = &proto->seen_flows[dft_hash_number(9, id) % DFT_PROTO_FLOWS];
    bool is_new = *seen != id;

    *seen = id;
    return is_new;
}

/* In dftrace's traces, a point of a flow is an instant that says which one it is. */
static bool is_flow_only(const struct dft_proto *proto, const struct dft_proto_track_event *read,
                         char *phase)
{
    if (read->type != DFT_PROTO_TYPE_INSTANT || read->flow_count != 1 ||
        proto->arg_count != read->first_arg + 1 || !dft_text_is(read->name, "flow") ||
        !dft_text_is(read->category, "flow"))
        return false;
    const struct dft_arg *arg = &proto->args[read->first_arg];
    if (!dft_text_is(arg->key, "phase"))
        return false;
    *phase = dft_text_is(arg->value, "\"begin\"") ? 's'
             : dft_text_is(arg->value, "\"end\"") ? 'f'
                                                  : 't';
    return true;
}

static void queue_flows(struct dft_proto *proto, const struct dft_proto_track_event *read,
                        const struct dft_event *event, char phase)
{
    for (size_t i = 0; i < read->flow_count; i++) {
        struct dft_event flow = *event;
        char *id = dft_scratch_take(&proto->scratch, 24);

        flow.ph = phase                                ? phase
                  : read->flows[i].ends                ? 'f'
                  : is_first(proto, read->flows[i].id) ? 's'
                                                       : 't';
        flow.name = flow.cat = dft_text("flow");
        flow.has_tts = false;
        flow.id = (struct dft_text){
            id, (size_t)snprintf(id, 24, "0x%llx", (unsigned long long)read->flows[i].id)};
        dft_proto_queue(proto, &flow, proto->arg_count);
    }
}

/* See dft_event_place. */
static void add_place(struct dft_proto *proto, const struct dft_proto_interned *place,
                      struct dft_event *event)
{
    if (!place->is_function) {
        event->file = place->text;
        event->line = (int64_t)place->line;
        return;
    }
    dft_proto_add_text_arg(proto, dft_text("file"), place->text);
    dft_proto_add_int_arg(proto, dft_text("line"), (int64_t)place->line);
}

static void queue_slice(struct dft_proto *proto, const struct dft_proto_sequence *sequence,
                        const struct dft_proto_track_event *read, uint64_t uuid,
                        struct dft_event *event)
{
    char phase = 0;
    size_t first = read->first_arg;
    bool is_flow = is_flow_only(proto, read, &phase);

    if (read->place)
        add_place(proto, read->place, event);
    size_t args = proto->arg_count; /* args of other events follow */
    dft_proto_track_place(proto, sequence, uuid, read->type == DFT_PROTO_TYPE_INSTANT, event);
    event->ph = read->type == DFT_PROTO_TYPE_BEGIN     ? 'B'
                : read->type == DFT_PROTO_TYPE_END     ? 'E'
                : read->type == DFT_PROTO_TYPE_INSTANT ? 'i'
                : read->legacy_phase                   ? read->legacy_phase
                                                       : '?';
    if (is_flow) {
        queue_flows(proto, read, event, phase);
        return;
    }
    struct dft_event own = *event;
    take_extra(proto, sequence, read, &own);
    size_t all = proto->arg_count;
    proto->arg_count = args;
    dft_proto_queue(proto, &own, first);
    proto->arg_count = all;
    queue_flows(proto, read, event, 0);
}

static bool take_track_event(struct dft_proto *proto, const struct dft_proto_sequence *sequence,
                             struct dft_proto_message message, int64_t ns)
{
    struct dft_proto_track_event read = {.name = {"", 0}, .category = {"", 0}};
    struct dft_event event = {.has_ts = true, .ts_ns = ns, .file = {"", 0}, .id = {"", 0}};

    read.first_arg = proto->arg_count;
    if (!dft_proto_read_track_event(proto, sequence, message, &read))
        return false;
    event.name = read.name;
    event.cat = read.category;
    uint64_t uuid = read.has_track ? read.track : sequence->has_track ? sequence->track : 0;
    if (read.type == DFT_PROTO_TYPE_COUNTER && read.has_value)
        queue_counter(proto, sequence, uuid, &read, event);
    else
        queue_slice(proto, sequence, &read, uuid, &event);
    return !proto->problem;
}

/* --- packets --- */

struct packet {
    uint64_t sequence, timestamp, clock, flags;
    bool has_timestamp;
    struct dft_proto_message snapshot, event, interned, defaults, descriptor;
};

static bool read_packet(struct dft_proto *proto, struct dft_proto_message message,
                        struct packet *packet)
{
    struct dft_proto_field field;
    enum dft_proto_step step;

    while ((step = dft_proto_next(&message, &field)) == DFT_PROTO_FIELD) {
        if (field.wire == DFT_PROTO_BYTES) {
            struct dft_proto_message *to = field.number == 6    ? &packet->snapshot
                                           : field.number == 11 ? &packet->event
                                           : field.number == 12 ? &packet->interned
                                           : field.number == 59 ? &packet->defaults
                                           : field.number == 60 ? &packet->descriptor
                                                                : NULL;
            if (to)
                *to = field.bytes;
        } else if (field.number == 8) {
            packet->timestamp = field.value;
            packet->has_timestamp = true;
        } else if (field.number == 10) {
            packet->sequence = field.value;
        } else if (field.number == 13) {
            packet->flags |= field.value;
        } else if (field.number == 41 && field.value) {
            packet->flags |= STATE_CLEARED;
        } else if (field.number == 58) {
            packet->clock = field.value;
        }
    }
    return step == DFT_PROTO_DONE || dft_proto_fail(proto, "a packet is damaged");
}

bool dft_proto_packet(struct dft_proto *proto, struct dft_proto_message message)
{
    struct packet packet = {0};

    if (!read_packet(proto, message, &packet))
        return false;
    struct dft_proto_sequence *sequence = dft_proto_sequence_find(proto, packet.sequence);
    if (!sequence)
        return false;
    if (packet.flags & STATE_CLEARED)
        dft_proto_sequence_clear(proto, sequence);
    if ((packet.snapshot.at && !dft_proto_clock_snapshot(proto, sequence, packet.snapshot)) ||
        (packet.defaults.at && !dft_proto_sequence_defaults(proto, sequence, packet.defaults)) ||
        (packet.interned.at && !dft_proto_sequence_intern(proto, sequence, packet.interned)) ||
        (packet.descriptor.at && !dft_proto_track_describe(proto, packet.descriptor)))
        return false;
    /* An incremental clock advances with every packet. */
    int64_t ns = packet.has_timestamp
                     ? dft_proto_clock_time(proto, sequence, packet.clock, packet.timestamp)
                     : 0;
    return !packet.event.at || take_track_event(proto, sequence, packet.event, ns);
}
