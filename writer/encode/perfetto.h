/*
 * Shared by the files of the Perfetto encoder: perfetto.c (events of the whole process),
 * perfetto_calls.c (calls and the program's events), perfetto_tracks.c (tracks, sequences). No
 * other file includes this one.
 */
#ifndef DFT_WRITER_ENCODE_PERFETTO_H
#define DFT_WRITER_ENCODE_PERFETTO_H

#include "writer/encode/annotations.h"
#include "writer/encode/encoder.h"
#include "writer/encode/perfetto_stream.h"
#include "writer/encode/protobuf.h"

/* Field numbers. */
enum {
    TRACE_PACKET = 1,

    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_CLOCK = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK = 60,

    SNAPSHOT_CLOCK = 1,
    SNAPSHOT_PRIMARY = 2,
    CLOCK_ID = 1,
    CLOCK_TIME = 2,
    CLOCK_IS_INCREMENTAL = 3,

    EVENT_CATEGORY_NUMBER = 3,
    EVENT_TYPE = 9,
    EVENT_NAME_NUMBER = 10,
    EVENT_TRACK = 11,
    EVENT_EXTRA_VALUES = 12,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_COUNTER_INT = 30,
    EVENT_EXTRA_TRACKS = 31,
    EVENT_LOCATION_NUMBER = 34,
    EVENT_COUNTER_DOUBLE = 44,
    EVENT_FLOW = 47,
    EVENT_LAST_FLOW = 48,

    DEFAULT_EVENT = 11, /* in PACKET_DEFAULTS */
    DEFAULT_CLOCK = 58,
};

/* Values of fields. */
enum {
    TYPE_BEGIN = 1,
    TYPE_END = 2,
    TYPE_INSTANT = 3,
    TYPE_COUNTER = 4,

    STATE_CLEARED = 1, /* of PACKET_SEQUENCE_FLAGS */

    REALTIME_CLOCK = 1,
    MONOTONIC_CLOCK = 3,
    SEQUENCE_CLOCK = 64, /* each sequence has its own: times are since the packet before */
};

/* Calls of so many depths are on one track: Perfetto's limit is 512. */
#define TRACK_DEPTH 500

/* The sequence of events of the whole process. Their packets need no earlier packet. */
#define PROCESS_SEQUENCE 1u

/* Packets of one function, or ends of calls, up to their time: constant in a sequence. */
#define CONSTANT_MAX 32
#define TIME_WIDTHS 4 /* packets are distinguished by the bytes of their time, up to 3 */
struct constant_packet {
    char text[CONSTANT_MAX]; /* the packet's length is missing */
    uint16_t length;
    uint16_t event;             /* where the event begins */
    uint32_t generation;        /* of the sequence */
    uint32_t last[TIME_WIDTHS]; /* positions of the last such packets in the text */
};

/* The state of one encoding thread. */
struct perfetto_state {
    struct dft_stream stream;
    struct dft_interned interned;  /* of the current sequence */
    struct dft_interned described; /* tracks that the member describes; not text, but uuids */
    struct dft_buffer sites;       /* struct constant_packet, by number */
    struct constant_packet end;
    uint32_t last_begin[TIME_WIDTHS];

    struct dft_buffer event;   /* the message inside the next packet */
    struct dft_buffer json;    /* args */
    struct dft_buffer scratch; /* of annotations */

    const struct dft_call *calls; /* of the member */
    const char *attached;
    uint64_t first_event;
    uint64_t process;   /* uuid */
    size_t item;        /* the next one */
    size_t thread;      /* number + 1 of the current one */
    uint64_t track;     /* uuid of the current thread, */
    uint64_t cpu_track; /* and of its CPU time */
    int32_t tid;
    uint32_t sequence;
    uint32_t depth;   /* of the calls of the member that are open */
    uint64_t last_ns; /* of the sequence's clock */
};

/* --- perfetto_tracks.c ---------------------------------------------------------------------- */

uint64_t dft_perfetto_process_uuid(const struct dft_trace_start *start);

/* Begins a sequence for the events of one thread or track. */
bool dft_perfetto_begin_sequence(const struct dft_trace_start *start, struct perfetto_state *state,
                                 int32_t tid, struct dft_buffer *out);

/* Appends a packet that relates the clocks to each other. */
bool dft_perfetto_append_clocks(const struct dft_trace_start *start, struct dft_buffer *out);

/* Describes the process. The name of a thread is NULL if it is not known yet. */
bool dft_perfetto_describe_process(const struct dft_trace_start *start,
                                   struct perfetto_state *state, struct dft_buffer *out);
bool dft_perfetto_describe_thread(const struct dft_trace_start *start, struct perfetto_state *state,
                                  int32_t tid, const char *name, size_t length,
                                  struct dft_buffer *out);

/* Sets the uuid of a counter's track, which is described if the member has not done so yet. */
bool dft_perfetto_find_counter(struct perfetto_state *state, const struct dft_event_name *name,
                               uint64_t *uuid, struct dft_buffer *out);
/* The same for calls that are nested so deeply that Perfetto would drop them. */
bool dft_perfetto_find_deep_track(struct perfetto_state *state, uint32_t level, uint64_t *uuid,
                                  struct dft_buffer *out);
/* The same for the CPU time of the current thread. */
bool dft_perfetto_find_cpu_time(struct perfetto_state *state, uint64_t *uuid,
                                struct dft_buffer *out);

/* Appends a packet of the current sequence: the message in `state->event`, without a time. */
bool dft_perfetto_append_packet(struct perfetto_state *state, unsigned field,
                                struct dft_buffer *out);

/* --- perfetto_calls.c ----------------------------------------------------------------------- */

/* Appends the next items of the member's stream. */
bool dft_perfetto_append_items(const struct dft_trace_start *start, struct perfetto_state *state,
                               size_t count, struct dft_output *out);

#endif
