/*
 * Shared by the files that read Perfetto's traces: proto_form.c (packets), proto_events.c (events
 * of packets), proto_sequence.c (what packets of a sequence share), proto_tracks.c and
 * proto_values.c (debug annotations).
 */
#ifndef DFT_TOOL_TRACE_PROTO_INTERNAL_H
#define DFT_TOOL_TRACE_PROTO_INTERNAL_H

#include "tool/trace/gunzip.h"
#include "tool/trace/proto.h"
#include "tool/trace/reader_internal.h"

/* Memory for all that is interned and all tracks; no real trace comes near it. */
#define DFT_PROTO_MEMORY_MAX ((size_t)512 << 20)

/* --- sequences ------------------------------------------------------------------------------ */

/* The fields of InternedData that are used. */
enum dft_proto_interned_kind {
    DFT_PROTO_CATEGORY = 1,
    DFT_PROTO_NAME = 2,
    DFT_PROTO_KEY = 3,
    DFT_PROTO_PLACE = 4,
    DFT_PROTO_VALUE = 29,
};

struct dft_proto_interned {
    enum dft_proto_interned_kind kind;
    uint64_t iid;
    struct dft_text text; /* valid UTF-8; of a place in the source: its file */
    uint64_t line;
    bool is_function; /* the place is that of a function, which it names */
};

#define DFT_PROTO_EXTRA_MAX 8

struct dft_proto_clock {
    uint64_t id;
    uint64_t unit_ns;
    bool is_incremental;
    uint64_t value;   /* incremental: the latest one */
    int64_t base;     /* at this value, */
    int64_t trace_ns; /* it was this time of the trace's clock */
};

#define DFT_PROTO_CLOCKS_MAX 64 /* of the trace, and of a sequence */

struct dft_proto_clocks {
    struct dft_proto_clock *list;
    size_t count;
    size_t room;
};

/* What the packets with one trusted_packet_sequence_id share. */
struct dft_proto_sequence {
    uint64_t id;
    struct dft_proto_interned *interned;
    size_t count;
    size_t room;
    struct dft_index index;
    struct dft_proto_clocks clocks;
    uint64_t clock; /* default clock; 0: none */
    bool has_track;
    uint64_t track; /* default track */
    uint64_t extra[DFT_PROTO_EXTRA_MAX];
    size_t extra_count;
};

/* --- tracks --------------------------------------------------------------------------------- */

enum dft_proto_track_kind {
    DFT_PROTO_TRACK_NAMED,
    DFT_PROTO_TRACK_PROCESS,
    DFT_PROTO_TRACK_THREAD,
    DFT_PROTO_TRACK_COUNTER,
};

struct dft_proto_track {
    uint64_t uuid;
    enum dft_proto_track_kind kind;
    uint64_t parent;
    int64_t pid; /* of a process or thread */
    int64_t tid;
    int64_t number; /* tid of a named track, once it has one */
    bool is_shown;  /* its name has been passed on */
    struct dft_text name;
    struct dft_text unit;
    struct dft_text category;
    int64_t rank; /* among the tracks of its parent; dftrace writes the track's number */
    bool is_thread_time;
    bool is_incremental;
    int64_t multiplier;
    int64_t sum; /* incremental: the latest value */
};

#define DFT_PROTO_FLOWS 65536

struct dft_proto_queued {
    struct dft_event event;
    size_t first_arg;
};

struct dft_proto {
    struct dft_proto_sequence *sequences;
    size_t sequence_count;
    size_t sequence_room;
    struct dft_index sequence_index;
    struct dft_proto_clocks clocks;
    uint64_t primary_clock; /* 0: not known yet */
    struct dft_proto_track *tracks;
    size_t track_count;
    size_t track_room;
    struct dft_index track_index;
    struct dft_index number_index;
    int64_t last_number; /* of named tracks */
    size_t memory;       /* of interned texts and tracks */

    /* Events of the current packet. */
    struct dft_proto_queued *queue;
    size_t queued;
    size_t queue_room;
    size_t passed_on;
    unsigned held; /* packets since a counter that may get more values */
    struct dft_arg *args;
    size_t arg_count;
    size_t arg_room;
    struct dft_scratch scratch;

    /* compressed_packets */
    struct dft_gunzip *gunzip;
    struct dft_gunzip_io io;
    bool is_inside;
    bool inner_ended;
    unsigned char *inner;
    size_t inner_room;
    size_t inner_at;
    size_t inner_end;
    uint64_t seen_flows[DFT_PROTO_FLOWS]; /* a cache of ids that have begun */
    uint64_t packet;                      /* position of the current packet in the file */
    const char *problem;
};

/* Sets the problem, and returns false. */
static inline bool dft_proto_fail(struct dft_proto *proto, const char *problem)
{
    if (!proto->problem)
        proto->problem = problem;
    return false;
}

/* --- proto_sequence.c: false where the data is damaged --- */

struct dft_proto_sequence *dft_proto_sequence_find(struct dft_proto *proto, uint64_t id);
void dft_proto_sequence_clear(struct dft_proto *proto, struct dft_proto_sequence *sequence);
bool dft_proto_sequence_intern(struct dft_proto *proto, struct dft_proto_sequence *sequence,
                               struct dft_proto_message data);

/* NULL if it is not known. */
const struct dft_proto_interned *dft_proto_sequence_get(const struct dft_proto_sequence *sequence,
                                                        enum dft_proto_interned_kind kind,
                                                        uint64_t iid);
bool dft_proto_sequence_defaults(struct dft_proto *proto, struct dft_proto_sequence *sequence,
                                 struct dft_proto_message defaults);
bool dft_proto_clock_snapshot(struct dft_proto *proto, struct dft_proto_sequence *sequence,
                              struct dft_proto_message snapshot);

/* The time of a packet; `clock` 0: the trace's own. */
int64_t dft_proto_clock_time(struct dft_proto *proto, struct dft_proto_sequence *sequence,
                             uint64_t clock, uint64_t timestamp);
void dft_proto_sequences_free(struct dft_proto *proto);

/* --- proto_tracks.c --- */

bool dft_proto_track_describe(struct dft_proto *proto, struct dft_proto_message descriptor);

/* A track that was not described is made up. Valid until the next one is. */
struct dft_proto_track *dft_proto_track_find(struct dft_proto *proto, uint64_t uuid);

/*
 * The process and the thread of an event on this track. `is_point`: it has no duration. What a
 * thread's sequence has on the track of its process belongs to the thread.
 */
void dft_proto_track_place(struct dft_proto *proto, const struct dft_proto_sequence *sequence,
                           uint64_t uuid, bool is_point, struct dft_event *event);
void dft_proto_tracks_free(struct dft_proto *proto);

/* --- proto_values.c --- */

/* Adds a debug annotation to the args. */
bool dft_proto_annotation(struct dft_proto *proto, const struct dft_proto_sequence *sequence,
                          struct dft_proto_message annotation);

/* Each adds an arg; `key` must stay valid. */
void dft_proto_add_arg(struct dft_proto *proto, struct dft_text key, struct dft_text raw);
void dft_proto_add_text_arg(struct dft_proto *proto, struct dft_text key, struct dft_text text);
void dft_proto_add_int_arg(struct dft_proto *proto, struct dft_text key, int64_t value);
void dft_proto_add_double_arg(struct dft_proto *proto, struct dft_text key, double value);

/* A valid UTF-8 copy, valid as long as the packet. */
struct dft_text dft_proto_valid(struct dft_proto *proto, struct dft_text text);

/* --- proto_events.c --- */

/* Puts an event into the queue; its args are those from `first_arg` on. */
void dft_proto_queue(struct dft_proto *proto, const struct dft_event *event, size_t first_arg);

/* Queues the events of a packet. */
bool dft_proto_packet(struct dft_proto *proto, struct dft_proto_message packet);

#endif
