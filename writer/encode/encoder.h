/*
 * An output format: from events to bytes.
 *
 * The writer passes events, each of one kind. Nearly all of them are calls, which come in compact
 * form, many at a time. All others come one by one, as a struct dft_event. The encoder decides on
 * order and separators inside a gzip member.
 *
 * An encoder is pure: it appends to its output, keeps what it likes in a state of its own, and
 * touches nothing else. It sees neither the spool nor the writer. A format is one `const struct
 * dft_encoder` and one line of DFT_TRACE_FORMATS (spool/format.h).
 */
#ifndef DFT_WRITER_ENCODE_ENCODER_H
#define DFT_WRITER_ENCODE_ENCODER_H

#include "spool/attachments.h"
#include "spool/fields.h"
#include "writer/gzip/gzip.h"

/* Where an encoder looks up functions. */
struct dft_site_reader {
    bool (*read)(const void *source, uint32_t id, struct dft_site_view *site);
    const void *source;
};

/* What is known when the trace begins, and stays the same. */
struct dft_trace_start {
    uint64_t monotonic_ns; /* the same moment on CLOCK_MONOTONIC, */
    uint64_t realtime_ns;  /* and on the wall clock */
    bool metadata;         /* calls have args */
    int32_t pid, ppid;
    int64_t rank, rank_count; /* in a parallel program: rank -1: none; count 0: unknown */
    const char *app, *command, *exe, *directory, *host;
    const char *cores;       /* empty: not asked for */
    uint64_t sample_cost_ns; /* 0: not measured */
    uint32_t budget;         /* thousandths of a percent; 0: no budget, costs unknown */
    uint32_t call_cost_ns, count_cost_ns;
    struct dft_site_reader sites;
};

/* Looks up the site with this number. If there is none, makes up a name for it, in `unknown`. */
#define DFT_UNKNOWN_SITE_SIZE 32
void dft_encoder_site(const struct dft_trace_start *start, uint32_t id, struct dft_site_view *site,
                      char unknown[DFT_UNKNOWN_SITE_SIZE]);

/* Whether it has a place in the source: calls of libc that were intercepted have none. */
static inline bool dft_site_has_place(const struct dft_site_view *site)
{
    return !(site->flags & DFT_SITE_EVENT) || site->file[0];
}

/* --- calls ---------------------------------------------------------------------------------- */

/*
 * What a record became: a call, or another event of one thread. A call with attachments has the
 * same size as the others: its attachments are stored separately.
 */
struct dft_call {
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t site : 30;
    uint32_t unfinished : 1;
    uint32_t attached : 1;
    union {
        int32_t tid;
        uint32_t place; /* if `attached`: offset of its struct dft_attached */
    };
};

struct dft_attached {
    uint32_t kind; /* enum dft_recorded_kind: an event that is not a call is always attached */
    int32_t tid;   /* DFT_TRACK_TID or more: a track, see dft_encoder_track */
    uint32_t length;
    uint32_t detail;       /* COUNTER: enum dftrace_type of the value; FLOW: 's', 't' or 'f' */
    uint64_t value;        /* COUNTER: the value's bits; FLOW: its id */
    unsigned char bytes[]; /* for dft_attachments_next; may be damaged */
};

/* Some calls of one batch, and the attachments of all its calls. */
struct dft_calls {
    const struct dft_call *calls;
    size_t count;
    const char *attached;
};

static inline const struct dft_attached *dft_call_attached(const struct dft_call *call,
                                                           const char *attached)
{
    return (const struct dft_attached *)(attached + call->place);
}

static inline int32_t dft_call_tid(const struct dft_call *call, const char *attached)
{
    return call->attached ? dft_call_attached(call, attached)->tid : call->tid;
}

static inline enum dft_recorded_kind dft_call_kind(const struct dft_call *call,
                                                   const char *attached)
{
    return call->attached ? (enum dft_recorded_kind)dft_call_attached(call, attached)->kind
                          : DFT_RECORDED_CALL;
}

/*
 * The name and category of an event that is not a call. Of a counter, `unit` may be empty. `file` is
 * empty if the place in the source is not known.
 */
struct dft_event_name {
    const char *name, *category, *file, *unit;
    size_t length;
    uint32_t line;
};

struct dft_event_name dft_encoder_event_name(const struct dft_trace_start *start,
                                             const struct dft_call *call,
                                             const struct dft_attached *attached);

/*
 * A track of the program. False if the tid is that of a thread. `parent` is the tid of the track
 * around it, or 0.
 */
struct dft_track {
    const char *name;
    const char *path; /* "GPU 0/copy queue" */
    int32_t parent;
};

bool dft_encoder_track(const struct dft_trace_start *start, int32_t tid, struct dft_track *track);

/* The name of a thread or track. */
struct dft_thread_name;
const char *dft_encoder_thread_name(const struct dft_trace_start *start,
                                    const struct dft_thread_name *thread);

/*
 * The fields of a call or another event (spool/fields.h): an iteration over all of its
 * DFT_ATTACHMENT_FIELDS. `key` is the text of a field's key, not terminated, and empty where it has
 * none. Lists and maps are balanced: what a damaged spool lacks is made up.
 *
 * A key that is not unique, or that the args of a call have already, is written as "KEY#POSITION".
 */
struct dft_field_walk {
    const struct dft_trace_start *start;
    const struct dft_attached *attached;
    const unsigned char *at, *end;             /* attachments */
    const unsigned char *field_at, *field_end; /* fields */
    unsigned depth;
    unsigned count[DFT_FIELD_DEPTH_MAX + 1];             /* fields so far, by depth */
    const unsigned char *first[DFT_FIELD_DEPTH_MAX + 1]; /* of a list or map, by depth */
};

struct dft_encoder_field {
    struct dft_field_view view;
    const char *key;
    size_t key_length;
    bool is_name;      /* the text is the name of a file */
    unsigned position; /* 0: the key is unique; else the field's position, from 1 */
};

void dft_field_walk_begin(struct dft_field_walk *walk, const struct dft_trace_start *start,
                          const struct dft_attached *attached);
bool dft_field_walk_next(struct dft_field_walk *walk, struct dft_encoder_field *field);

/* --- other events --------------------------------------------------------------------------- */

enum dft_event_kind {
    DFT_EVENT_START,     /* the first of a trace: see struct dft_trace_start */
    DFT_EVENT_FUNCTION,  /* what is known of a function */
    DFT_EVENT_FILE,      /* the name of a file, to which fields refer; if the encoder wants them */
    DFT_EVENT_THREAD,    /* the name of a thread */
    DFT_EVENT_COUNTER,   /* what the process uses */
    DFT_EVENT_AGGREGATE, /* calls without an event of their own */
    DFT_EVENT_THROTTLED, /* from now on, most calls of a function are only counted */
    DFT_EVENT_END,       /* the last of a trace */
};

/* If `label` is not 0, the name is that of this entry in the site table. */
struct dft_thread_name {
    int32_t tid; /* DFT_TRACK_TID or more: a track */
    uint32_t label;
    char name[17];
};

/* Values of one moment, which hold until the next such event of this name. */
struct dft_counter {
    const char *name;
    uint64_t ns;
    unsigned count;
    struct {
        const char *key; /* NULL: the key is `text` */
        uint64_t value;
        bool tenths; /* of the unit: written with one decimal */
    } values[4];
    char text[40];
};

/* Calls of one function, without an event of their own, that began in one interval. */
struct dft_aggregate {
    uint32_t site;
    bool estimated; /* they were counted, not timed: the sum is an estimate */
    uint64_t interval;
    uint64_t first_ns; /* start of the first one */
    uint64_t count;
    uint64_t sum_ns, min_ns, max_ns;
    int64_t self_ns;     /* part of the sum: without calls inside */
    bool self_estimated; /* some calls inside were counted, not timed */
};

/* From this moment on, most calls of a function are only counted. */
struct dft_throttling {
    uint32_t site;
    uint64_t ns;
    uint64_t calls;     /* the calls because of which it was throttled, */
    uint64_t calls_ns;  /* their duration, */
    uint64_t cost_ns;   /* the cost of recording them, */
    uint64_t window_ns; /* and the CPU time of their thread meanwhile */
};

struct dft_trace_end {
    uint64_t ns;
    struct dft_totals totals;
    int write_error; /* errno of the last write that failed; 0: none has */
};

struct dft_event {
    enum dft_event_kind kind;
    union {
        uint32_t site;                    /* FUNCTION, FILE */
        struct dft_thread_name thread;    /* THREAD */
        struct dft_counter counter;       /* COUNTER */
        struct dft_aggregate aggregate;   /* AGGREGATE */
        struct dft_throttling throttling; /* THROTTLED */
        struct dft_trace_end end;         /* END */
    };
};

/* --- the interface -------------------------------------------------------------------------- */

/* The gzip member that is about to be encoded. */
struct dft_member {
    uint64_t first_event;   /* events of all kinds in the trace before it */
    struct dft_call *calls; /* all of its calls, in the order in which they ended */
    size_t call_count;
    const char *attached;
    bool is_ordered; /* set by the encoder once it has put the calls in its order */
};

/*
 * All functions return false if memory is exhausted. Then the member is encoded again from its
 * beginning, perhaps by another thread. Members are encoded in parallel, each by one thread: what a
 * member refers to must be in it.
 */
struct dft_encoder {
    const char *name;             /* as DFTRACER_FORMAT spells it */
    const char *extension;        /* of the file; gzip adds .gz */
    enum dft_container container; /* of its members */
    bool begins_and_ends;         /* a call has two events; see ties.c */
    bool wants_files;             /* DFT_EVENT_FILE, before the first reference to the file */

    /* Every thread that encodes has a state of its own, all zero at first. */
    size_t state_size;
    void (*release)(void *state);

    bool (*begin_member)(const struct dft_trace_start *start, void *state,
                         struct dft_member *member, struct dft_output *out);
    bool (*calls)(const struct dft_trace_start *start, void *state, const struct dft_calls *calls,
                  struct dft_output *out);
    bool (*event)(const struct dft_trace_start *start, void *state, const struct dft_event *event,
                  struct dft_output *out);
};

/* The encoder of this enum dft_trace_format. If there is no such format, that of JSON. */
const struct dft_encoder *dft_encoder_of(unsigned format);

/*
 * Called by begin_member. Calls come in the order in which they ended: of two calls with the same
 * start and end, the later one is the caller. Readers take the first in the file for the parent, so
 * each run of ties is reversed. Times, with the offset added, are compared in units of `unit_ns`.
 */
void dft_encoder_put_parents_first(struct dft_member *member, uint64_t unit_ns, uint64_t offset_ns);

#define DFT_ENCODER(constant, name) extern const struct dft_encoder dft_encoder_##name;
DFT_TRACE_FORMATS(DFT_ENCODER)
#undef DFT_ENCODER

#endif
