/*
 * Tracks and sequences of a Perfetto trace: see perfetto.h. Pure; runs in any of the writer's
 * threads.
 *
 * A track is known by a number that is unique among all traces that may be viewed together. Each
 * member describes the tracks that it uses.
 */
#include "writer/encode/perfetto.h"

/* Field numbers of descriptors. */
enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_RANK = 12,
    PROCESS_PID = 1,
    PROCESS_COMMAND = 2,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    COUNTER_TYPE = 1,
    COUNTER_CATEGORY = 2,
    COUNTER_UNIT = 3,
    COUNTER_UNIT_NAME = 6,
    COUNTER_IS_THREAD_TIME = 1,
    UNIT_NANOSECONDS = 1,
};

/* Tracks of deep calls are marked by their ranks, which those of the program stay below. */
#define DEEP_RANK (1u << 30)

/* What a uuid is made from, besides its parent. */
enum uuid_kind { UUID_PROCESS, UUID_THREAD, UUID_COUNTER, UUID_CPU_TIME, UUID_DEEP };

static uint64_t mix(uint64_t value, uint64_t more)
{
    value = (value ^ more) + 0x9e3779b97f4a7c15u;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

static uint64_t mix_text(uint64_t value, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)text[i]) * 1099511628211u;
    return mix(value, length);
}

/* 0 means the track of the whole trace. */
static uint64_t not_zero(uint64_t uuid)
{
    return uuid ? uuid : 1;
}

static uint64_t thread_uuid(const struct perfetto_state *state, int32_t tid)
{
    return not_zero(mix(mix(state->process, UUID_THREAD), (uint32_t)tid));
}

uint64_t dft_perfetto_process_uuid(const struct dft_trace_start *start)
{
    uint64_t uuid = mix_text(UUID_PROCESS, start->host, strlen(start->host));

    return not_zero(mix(mix(uuid, start->monotonic_ns), (uint32_t)start->pid));
}

/* Notes that the member describes this track. `*is_new`: it has not done so before. */
static bool note_described(struct perfetto_state *state, uint64_t uuid, bool *is_new)
{
    uint32_t number, before = state->described.latest[DFT_INTERNED_NAME];

    if (!dft_intern(&state->described, DFT_INTERNED_NAME, (const char *)&uuid, sizeof uuid,
                    &number))
        return false;
    state->described.added.used = 0;
    *is_new = number > before;
    return true;
}

bool dft_perfetto_append_packet(struct perfetto_state *state, unsigned field,
                                struct dft_buffer *out)
{
    size_t begin;

    return dft_pb_begin(out, TRACE_PACKET, &begin) &&
           dft_pb_append_number(out, PACKET_SEQUENCE,
                                state->thread ? state->sequence : PROCESS_SEQUENCE) &&
           dft_pb_append_bytes(out, field, state->event.data, state->event.used) &&
           dft_pb_end(out, begin);
}

static bool begin_track(struct perfetto_state *state, uint64_t uuid, uint64_t parent)
{
    state->event.used = 0;
    return dft_pb_append_number(&state->event, TRACK_UUID, uuid) &&
           (!parent || dft_pb_append_number(&state->event, TRACK_PARENT, parent));
}

bool dft_perfetto_describe_process(const struct dft_trace_start *start,
                                   struct perfetto_state *state, struct dft_buffer *out)
{
    struct dft_buffer *track = &state->event;
    size_t begin;

    return begin_track(state, state->process, 0) && dft_pb_begin(track, TRACK_PROCESS, &begin) &&
           dft_pb_append_number(track, PROCESS_PID, (uint64_t)start->pid) &&
           dft_pb_append_string(track, PROCESS_COMMAND, start->command) &&
           dft_pb_append_string(track, PROCESS_NAME, start->app) && dft_pb_end(track, begin) &&
           dft_perfetto_append_packet(state, PACKET_TRACK, out);
}

static bool describe_program_track(struct perfetto_state *state, int32_t tid,
                                   const struct dft_track *track, struct dft_buffer *out)
{
    uint64_t parent = track->parent ? thread_uuid(state, track->parent) : state->process;

    return begin_track(state, thread_uuid(state, tid), parent) &&
           dft_pb_append_string(&state->event, TRACK_NAME, track->name) &&
           dft_pb_append_number(&state->event, TRACK_RANK, (uint64_t)(tid - DFT_TRACK_TID)) &&
           dft_perfetto_append_packet(state, PACKET_TRACK, out);
}

/* Describes a track of the program, and those around it. */
static bool describe_program_tracks(const struct dft_trace_start *start,
                                    struct perfetto_state *state, int32_t tid,
                                    struct dft_buffer *out)
{
    struct dft_track track;
    bool is_new = true;

    for (; tid && dft_encoder_track(start, tid, &track); tid = track.parent) {
        if (!note_described(state, thread_uuid(state, tid), &is_new))
            return false;
        if (!is_new)
            return true;
        if (!describe_program_track(state, tid, &track, out))
            return false;
    }
    return true;
}

bool dft_perfetto_describe_thread(const struct dft_trace_start *start, struct perfetto_state *state,
                                  int32_t tid, const char *name, size_t length,
                                  struct dft_buffer *out)
{
    struct dft_buffer *track = &state->event;
    size_t begin;

    if (tid >= DFT_TRACK_TID)
        return describe_program_tracks(start, state, tid, out);
    return begin_track(state, thread_uuid(state, tid), state->process) &&
           dft_pb_begin(track, TRACK_THREAD, &begin) &&
           dft_pb_append_number(track, THREAD_PID, (uint64_t)start->pid) &&
           dft_pb_append_number(track, THREAD_TID, (uint64_t)tid) &&
           (!name || dft_pb_append_text(track, THREAD_NAME, name, length)) &&
           dft_pb_end(track, begin) && dft_perfetto_append_packet(state, PACKET_TRACK, out);
}

bool dft_perfetto_find_counter(struct perfetto_state *state, const struct dft_event_name *name,
                               uint64_t *uuid, struct dft_buffer *out)
{
    struct dft_buffer *track = &state->event;
    bool is_new = false;
    size_t begin;

    uint64_t mixed = mix_text(mix(state->process, UUID_COUNTER), name->name, name->length);
    mixed = mix_text(mixed, name->category, strlen(name->category));
    *uuid = not_zero(mix_text(mixed, name->unit, strlen(name->unit)));
    if (!note_described(state, *uuid, &is_new))
        return false;
    if (!is_new)
        return true;
    return begin_track(state, *uuid, state->process) &&
           dft_pb_append_text(track, TRACK_NAME, name->name, name->length) &&
           dft_pb_begin(track, TRACK_COUNTER, &begin) &&
           (!name->category[0] || dft_pb_append_string(track, COUNTER_CATEGORY, name->category)) &&
           (!name->unit[0] || dft_pb_append_string(track, COUNTER_UNIT_NAME, name->unit)) &&
           dft_pb_end(track, begin) && dft_perfetto_append_packet(state, PACKET_TRACK, out);
}

bool dft_perfetto_find_deep_track(struct perfetto_state *state, uint32_t level, uint64_t *uuid,
                                  struct dft_buffer *out)
{
    bool is_new = false;

    *uuid = not_zero(mix(mix(state->track, UUID_DEEP), level));
    if (!note_described(state, *uuid, &is_new))
        return false;
    return !is_new || (begin_track(state, *uuid, state->track) &&
                       dft_pb_append_string(&state->event, TRACK_NAME, "deeper calls") &&
                       dft_pb_append_number(&state->event, TRACK_RANK, DEEP_RANK + level) &&
                       dft_perfetto_append_packet(state, PACKET_TRACK, out));
}

bool dft_perfetto_find_cpu_time(struct perfetto_state *state, uint64_t *uuid,
                                struct dft_buffer *out)
{
    struct dft_buffer *track = &state->event;
    bool is_new = false;
    size_t begin;

    *uuid = not_zero(mix(state->track, UUID_CPU_TIME));
    if (!note_described(state, *uuid, &is_new))
        return false;
    if (!is_new)
        return true;
    return begin_track(state, *uuid, state->track) && dft_pb_begin(track, TRACK_COUNTER, &begin) &&
           dft_pb_append_number(track, COUNTER_TYPE, COUNTER_IS_THREAD_TIME) &&
           dft_pb_append_number(track, COUNTER_UNIT, UNIT_NANOSECONDS) &&
           dft_pb_end(track, begin) && dft_perfetto_append_packet(state, PACKET_TRACK, out);
}

/* --- sequences ------------------------------------------------------------------------------ */

/* One clock of a snapshot. */
static bool append_clock(struct dft_buffer *out, uint64_t id, uint64_t ns, bool is_incremental)
{
    size_t begin;

    return dft_pb_begin(out, SNAPSHOT_CLOCK, &begin) && dft_pb_append_number(out, CLOCK_ID, id) &&
           dft_pb_append_number(out, CLOCK_TIME, ns) &&
           (!is_incremental || dft_pb_append_number(out, CLOCK_IS_INCREMENTAL, 1)) &&
           dft_pb_end(out, begin);
}

static bool append_snapshot(struct dft_buffer *out, const struct dft_trace_start *start,
                            bool is_process)
{
    size_t begin;

    return dft_pb_begin(out, PACKET_CLOCK_SNAPSHOT, &begin) &&
           append_clock(out, MONOTONIC_CLOCK, start->monotonic_ns, false) &&
           (is_process ? append_clock(out, REALTIME_CLOCK, start->realtime_ns, false)
                       : append_clock(out, SEQUENCE_CLOCK, start->monotonic_ns, true)) &&
           dft_pb_append_number(out, SNAPSHOT_PRIMARY, MONOTONIC_CLOCK) && dft_pb_end(out, begin);
}

bool dft_perfetto_append_clocks(const struct dft_trace_start *start, struct dft_buffer *out)
{
    size_t begin;

    return dft_pb_begin(out, TRACE_PACKET, &begin) &&
           dft_pb_append_number(out, PACKET_SEQUENCE, PROCESS_SEQUENCE) &&
           append_snapshot(out, start, true) && dft_pb_end(out, begin);
}

static bool append_defaults(struct dft_buffer *out, uint64_t track)
{
    size_t defaults, event;

    return dft_pb_begin(out, PACKET_DEFAULTS, &defaults) &&
           dft_pb_append_number(out, DEFAULT_CLOCK, SEQUENCE_CLOCK) &&
           dft_pb_begin(out, DEFAULT_EVENT, &event) &&
           dft_pb_append_number(out, EVENT_TRACK, track) && dft_pb_end(out, event) &&
           dft_pb_end(out, defaults);
}

/* What follows does not depend on the sequence, except for its number. */
static void render_end(struct perfetto_state *state)
{
    char *begin = state->end.text, *at = dft_pb_put_tag(begin, TRACE_PACKET, DFT_PB_BYTES) + 1;

    at = dft_pb_put_number(at, PACKET_SEQUENCE, state->sequence);
    at = dft_pb_put_tag(at, PACKET_EVENT, DFT_PB_BYTES);
    *at++ = 2;
    at = dft_pb_put_number(at, EVENT_TYPE, TYPE_END);
    at = dft_pb_put_tag(at, PACKET_TIMESTAMP, DFT_PB_VARINT);
    state->end.length = (uint16_t)(at - begin);
}

/*
 * Numbers of sequences differ in the whole trace: a member has fewer threads than events, and the
 * numbers of its events are its own.
 */
bool dft_perfetto_begin_sequence(const struct dft_trace_start *start, struct perfetto_state *state,
                                 int32_t tid, struct dft_buffer *out)
{
    size_t begin;

    state->tid = tid;
    state->depth = 0;
    state->track = thread_uuid(state, tid);
    state->sequence = (uint32_t)(state->first_event + state->thread) + PROCESS_SEQUENCE;
    if (state->sequence <= PROCESS_SEQUENCE) /* after 2^32 events */
        state->sequence += 2 * PROCESS_SEQUENCE;
    state->last_ns = start->monotonic_ns;
    dft_interned_begin_sequence(&state->interned);
    render_end(state);
    return dft_pb_begin(out, TRACE_PACKET, &begin) &&
           dft_pb_append_number(out, PACKET_SEQUENCE, state->sequence) &&
           dft_pb_append_number(out, PACKET_SEQUENCE_FLAGS, STATE_CLEARED) &&
           append_snapshot(out, start, false) && append_defaults(out, state->track) &&
           dft_pb_end(out, begin) && dft_perfetto_describe_thread(start, state, tid, NULL, 0, out);
}
