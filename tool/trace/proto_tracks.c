/*
 * Tracks: processes, threads, counters, and tracks that a program has named. The last ones become
 * threads with numbers that no kernel gives to threads.
 */
#include "tool/trace/proto_internal.h"

#include "tool/base/tool.h"

#include <stdlib.h>

/* A chain of parents may be a circle in a damaged file. */
#define DEPTH_MAX 64

/* Ranks from here on mark tracks that dftrace has added for deep calls of the thread around them. */
#define DEEP_RANK ((int64_t)1 << 30)

struct key {
    const struct dft_proto *proto;
    uint64_t uuid;
};

static bool matches(const void *context, uint32_t number)
{
    const struct key *key = context;

    return key->proto->tracks[number].uuid == key->uuid;
}

static struct dft_proto_track *find(const struct dft_proto *proto, uint64_t uuid)
{
    struct key key = {proto, uuid};
    uint32_t found = dft_index_find(&proto->track_index, dft_hash_number(6, uuid), matches, &key);

    return found == DFT_INDEX_NONE ? NULL : &proto->tracks[found];
}

struct dft_proto_track *dft_proto_track_find(struct dft_proto *proto, uint64_t uuid)
{
    struct dft_proto_track *track = find(proto, uuid);

    if (track)
        return track;
    proto->tracks =
        dft_tool_grow(proto->tracks, proto->track_count, &proto->track_room, sizeof *proto->tracks);
    track = &proto->tracks[proto->track_count];
    *track = (struct dft_proto_track){
        .uuid = uuid,
        .name = dft_text_copy(dft_text("")),
        .unit = dft_text_copy(dft_text("")),
        .category = dft_text_copy(dft_text("")),
        .multiplier = 1,
    };
    dft_index_add(&proto->track_index, dft_hash_number(6, uuid), (uint32_t)proto->track_count++);
    proto->memory += sizeof *track;
    if (proto->memory > DFT_PROTO_MEMORY_MAX)
        dft_proto_fail(proto, "the trace has too many tracks");
    return track;
}

/* --- where the events of a track belong --- */

/* The track around it; NULL if there is none. */
static struct dft_proto_track *parent_of(const struct dft_proto *proto,
                                         const struct dft_proto_track *track)
{
    return track->parent && track->parent != track->uuid ? find(proto, track->parent) : NULL;
}

/* The innermost process or thread around a track, itself included. */
static const struct dft_proto_track *owner_of(const struct dft_proto *proto,
                                              const struct dft_proto_track *track)
{
    for (unsigned depth = 0; track && depth < DEPTH_MAX; depth++) {
        if (track->kind == DFT_PROTO_TRACK_PROCESS || track->kind == DFT_PROTO_TRACK_THREAD)
            return track;
        track = parent_of(proto, track);
    }
    return NULL;
}

static bool matches_number(const void *context, uint32_t place)
{
    const struct key *key = context;

    return key->proto->tracks[place].number == (int64_t)key->uuid;
}

/* Gives the track a number. False if another one has it. */
static bool give_number(struct dft_proto *proto, struct dft_proto_track *track, int64_t number)
{
    struct key key = {proto, (uint64_t)number};
    uint64_t hash = dft_hash_number(7, (uint64_t)number);

    if (dft_index_find(&proto->number_index, hash, matches_number, &key) != DFT_INDEX_NONE)
        return false;
    track->number = number;
    dft_index_add(&proto->number_index, hash, (uint32_t)(track - proto->tracks));
    return true;
}

/* The tid of a named track: dftrace's traces have it as the track's rank, others are numbered. */
static int64_t number_of(struct dft_proto *proto, struct dft_proto_track *track)
{
    if (track->number == 0 && track->rank > 0 &&
        dft_record_is_track(DFT_RECORD_TRACK_TID + track->rank))
        give_number(proto, track, DFT_RECORD_TRACK_TID + track->rank);
    while (track->number == 0)
        give_number(proto, track, DFT_RECORD_TRACK_TID + ++proto->last_number);
    return track->number;
}

/* "GPU 0/copy queue": the names of the tracks around it, and its own. */
static struct dft_text path_of(struct dft_proto *proto, const struct dft_proto_track *track)
{
    const struct dft_proto_track *chain[DEPTH_MAX];
    size_t depth = 0, length = 0;

    for (; track && depth < DEPTH_MAX; track = parent_of(proto, track)) {
        if (track->kind == DFT_PROTO_TRACK_THREAD || (depth > 0 && track->name.length == 0) ||
            (depth > 0 && track->kind == DFT_PROTO_TRACK_PROCESS))
            break;
        chain[depth++] = track;
        length += track->name.length + 1;
    }
    char *path = dft_scratch_take(&proto->scratch, length + 1), *at = path;
    for (size_t i = depth; i > 0; i--) {
        at = mempcpy(at, chain[i - 1]->name.at, chain[i - 1]->name.length);
        if (i > 1)
            *at++ = '/';
    }
    return (struct dft_text){path, (size_t)(at - path)};
}

/* Queues the event that names a thread, track or process. */
static void show_name(struct dft_proto *proto, struct dft_proto_track *track, int64_t pid,
                      int64_t tid, int64_t parent)
{
    bool is_process = track->kind == DFT_PROTO_TRACK_PROCESS && tid == pid;
    struct dft_event event = {
        .kind = is_process ? DFT_TRACE_PROCESS_NAME : DFT_TRACE_THREAD_NAME,
        .ph = 'M',
        .name = dft_text(is_process ? "process_name" : "thread_name"),
        .cat = {"", 0},
        .pid = pid,
        .tid = tid,
    };
    size_t first = proto->arg_count;
    bool is_named = track->kind == DFT_PROTO_TRACK_NAMED;

    track->is_shown = true;
    dft_proto_add_text_arg(proto, dft_text("name"), is_named ? path_of(proto, track) : track->name);
    if (parent)
        dft_proto_add_int_arg(proto, dft_text("parent"), parent);
    dft_proto_queue(proto, &event, first);
}

/* A track is shown once it has an event, after the tracks around it. */
static int64_t show_track(struct dft_proto *proto, struct dft_proto_track *track, int64_t pid,
                          unsigned depth)
{
    struct dft_proto_track *around = parent_of(proto, track);
    bool is_inside = around && around->kind == DFT_PROTO_TRACK_NAMED && depth < DEPTH_MAX;
    int64_t parent = is_inside ? show_track(proto, around, pid, depth + 1) : 0;
    bool is_new = track->number == 0;
    int64_t number = number_of(proto, track);

    if (is_new || !track->is_shown)
        show_name(proto, track, pid, number, parent);
    return number;
}

/* The thread whose events a sequence has; NULL: it has others. */
static struct dft_proto_track *thread_of(const struct dft_proto *proto,
                                         const struct dft_proto_sequence *sequence)
{
    struct dft_proto_track *track = sequence->has_track ? find(proto, sequence->track) : NULL;

    return track && track->kind != DFT_PROTO_TRACK_PROCESS && track->kind != DFT_PROTO_TRACK_COUNTER
               ? track
               : NULL;
}

/* The track whose events these are: deep calls are those of the thread or track around them. */
static struct dft_proto_track *track_of_calls(struct dft_proto *proto, uint64_t uuid)
{
    struct dft_proto_track *track = dft_proto_track_find(proto, uuid), *around;

    for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
        bool is_deep = track->kind == DFT_PROTO_TRACK_NAMED && track->rank > DEEP_RANK &&
                       dft_text_is(track->name, "deeper calls");

        if (!is_deep || !(around = parent_of(proto, track)))
            break;
        track = around;
    }
    return track;
}

void dft_proto_track_place(struct dft_proto *proto, const struct dft_proto_sequence *sequence,
                           uint64_t uuid, bool is_point, struct dft_event *event)
{
    struct dft_proto_track *track = track_of_calls(proto, uuid);
    struct dft_proto_track *thread = thread_of(proto, sequence);
    const struct dft_proto_track *owner = owner_of(proto, track);

    if (is_point && thread && thread != track && owner && owner->kind == DFT_PROTO_TRACK_PROCESS &&
        track->kind != DFT_PROTO_TRACK_NAMED && owner_of(proto, thread) &&
        owner_of(proto, thread)->pid == owner->pid) {
        track = thread;
        owner = owner_of(proto, track);
    }

    event->pid = owner ? owner->pid : 0;
    if (track->kind == DFT_PROTO_TRACK_NAMED ||
        (owner == track && !is_point && track->kind == DFT_PROTO_TRACK_PROCESS))
        event->tid = show_track(proto, track, event->pid, 0);
    else
        event->tid = owner && owner->kind == DFT_PROTO_TRACK_THREAD ? owner->tid : event->pid;
}

/* --- descriptors --- */

/* {pid 1, tid 2, name 5 (thread) or 6 (process)} */
static bool read_owner(struct dft_proto *proto, struct dft_proto_message message,
                       struct dft_proto_track *track, struct dft_text *name, uint32_t name_field)
{
    struct dft_proto_field field;
    enum dft_proto_step step;

    while ((step = dft_proto_next(&message, &field)) == DFT_PROTO_FIELD) {
        if (field.number == 1)
            track->pid = (int32_t)field.value;
        else if (field.number == 2 && field.wire == DFT_PROTO_VARINT)
            track->tid = (int64_t)field.value;
        else if (field.number == name_field && field.wire == DFT_PROTO_BYTES)
            *name = dft_proto_text(field.bytes);
    }
    return step == DFT_PROTO_DONE || dft_proto_fail(proto, "a track descriptor is damaged");
}

static bool read_counter(struct dft_proto *proto, struct dft_proto_message message,
                         struct dft_proto_track *track)
{
    static const char *const units[] = {"", "ns", "count", "bytes"};
    struct dft_proto_field field;
    enum dft_proto_step step;

    while ((step = dft_proto_next(&message, &field)) == DFT_PROTO_FIELD) {
        if (field.number == 1)
            track->is_thread_time = field.value == 1;
        else if (field.number == 3 && field.value < sizeof units / sizeof *units &&
                 track->unit.length == 0)
            track->unit = dft_text(units[field.value]);
        else if (field.number == 4)
            track->multiplier = (int64_t)field.value;
        else if (field.number == 5)
            track->is_incremental = field.value != 0;
        else if (field.number == 6 && field.wire == DFT_PROTO_BYTES)
            track->unit = dft_proto_text(field.bytes);
        else if (field.number == 2 && field.wire == DFT_PROTO_BYTES)
            track->category = dft_proto_text(field.bytes);
    }
    return step == DFT_PROTO_DONE || dft_proto_fail(proto, "a counter's descriptor is damaged");
}

static void free_texts(struct dft_proto_track *track)
{
    dft_text_free(track->name);
    dft_text_free(track->unit);
    dft_text_free(track->category);
}

/* Texts of the file become texts of the track's own. */
static void keep_texts(struct dft_proto *proto, struct dft_proto_track *track,
                       const struct dft_proto_track *read)
{
    bool is_same = dft_text_equal(track->name, read->name) && track->kind == read->kind;
    struct dft_proto_track old = *track;
    bool is_shown = track->is_shown && is_same;
    int64_t number = track->number, sum = track->sum;

    proto->memory += read->name.length + read->unit.length;
    *track = *read;
    track->name = dft_text_copy(dft_proto_valid(proto, read->name));
    track->unit = dft_text_copy(dft_proto_valid(proto, read->unit));
    track->category = dft_text_copy(dft_proto_valid(proto, read->category));
    track->is_shown = is_shown;
    track->number = number;
    track->sum = sum;
    free_texts(&old);
}

static bool read_descriptor(struct dft_proto *proto, struct dft_proto_message descriptor,
                            struct dft_proto_track *read)
{
    struct dft_proto_field field;
    enum dft_proto_step step;
    bool fine = true;

    *read = (struct dft_proto_track){
        .name = {"", 0}, .unit = {"", 0}, .category = {"", 0}, .multiplier = 1};
    while (fine && (step = dft_proto_next(&descriptor, &field)) == DFT_PROTO_FIELD) {
        bool is_bytes = field.wire == DFT_PROTO_BYTES;

        if (field.number == 1)
            read->uuid = field.value;
        else if (field.number == 5)
            read->parent = field.value;
        else if (field.number == 12 && !is_bytes)
            read->rank = (int32_t)field.value;
        else if (is_bytes && (field.number == 2 || field.number == 10 || field.number == 13)) {
            read->name = dft_proto_text(field.bytes);
        } else if (is_bytes && field.number == 3 && read->kind != DFT_PROTO_TRACK_THREAD) {
            read->kind = DFT_PROTO_TRACK_PROCESS;
            fine = read_owner(proto, field.bytes, read, &read->name, 6);
        } else if (is_bytes && field.number == 4) {
            read->kind = DFT_PROTO_TRACK_THREAD;
            fine = read_owner(proto, field.bytes, read, &read->name, 5);
        } else if (is_bytes && field.number == 8) {
            read->kind = DFT_PROTO_TRACK_COUNTER;
            fine = read_counter(proto, field.bytes, read);
        }
    }
    return fine &&
           (step == DFT_PROTO_DONE || dft_proto_fail(proto, "a track descriptor is damaged"));
}

bool dft_proto_track_describe(struct dft_proto *proto, struct dft_proto_message descriptor)
{
    struct dft_proto_track read;

    if (!read_descriptor(proto, descriptor, &read))
        return false;
    struct dft_proto_track *track = dft_proto_track_find(proto, read.uuid);
    bool is_named = read.name.length > 0;
    if (track->kind == read.kind && !is_named)
        read.name = track->name; /* a descriptor without a name does not take it away */
    keep_texts(proto, track, &read);
    bool has_owner =
        track->kind == DFT_PROTO_TRACK_PROCESS || track->kind == DFT_PROTO_TRACK_THREAD;
    if (has_owner && is_named)
        show_name(proto, track, track->pid,
                  track->kind == DFT_PROTO_TRACK_PROCESS ? track->pid : track->tid, 0);
    return !proto->problem;
}

void dft_proto_tracks_free(struct dft_proto *proto)
{
    for (size_t i = 0; i < proto->track_count; i++)
        free_texts(&proto->tracks[i]);
    free(proto->tracks);
    dft_index_free(&proto->track_index);
    dft_index_free(&proto->number_index);
}
