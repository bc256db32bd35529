/*
 * What an event of a trace says: the one place that knows by which names, categories and phases
 * dftrace tells its events apart. Everything above the JSON reader asks for an event's kind.
 */
#ifndef DFT_TOOL_TRACE_RECORD_H
#define DFT_TOOL_TRACE_RECORD_H

#include "tool/base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct dft_event;

enum dft_trace_kind {
    DFT_TRACE_FOREIGN,     /* none of the others: an event of another tool */
    DFT_TRACE_CALL,        /* a call with its start and duration */
    DFT_TRACE_WAIT,        /* a thread waited for dftrace's writer; like a call, but not one */
    DFT_TRACE_BOOKKEEPING, /* dftrace worked inside the program's thread; like a call */
    DFT_TRACE_AGGREGATE,   /* several calls of a function, timed and added up */
    DFT_TRACE_THROTTLED,   /* several calls of a function, counted and not timed */
    DFT_TRACE_THROTTLING,  /* the moment from which on a function's calls are throttled */
    DFT_TRACE_INSTANT,     /* a moment that the program has named */
    DFT_TRACE_COUNTER,     /* a process's CPU or memory usage */
    DFT_TRACE_OWN_COUNTER, /* a counter of the program itself, or of another tool */
    DFT_TRACE_FLOW,        /* a point of an arrow between calls */
    DFT_TRACE_FLOW_MARK,   /* an instant before a point of a flow; the reader does not pass it on */
    DFT_TRACE_METADATA,    /* what the program says of itself: a key and a value */
    DFT_TRACE_FUNCTION,    /* describes a function; comes before the function's first call */
    DFT_TRACE_THREAD_NAME, /* the name of a thread */
    DFT_TRACE_PROCESS_NAME, /* the name of a process */
    DFT_TRACE_START,        /* a process starts */
    DFT_TRACE_END,          /* a process ends */
    DFT_TRACE_HASH,         /* a text and the number that DFTracer's lines have for it */
    DFT_TRACE_PAIR,         /* the end of a call whose begin is missing */
};

/* Tids from here on are tracks of the program, which no kernel has. */
#define DFT_RECORD_TRACK_TID 0x40000000

static inline bool dft_record_is_track(int64_t tid)
{
    return tid >= DFT_RECORD_TRACK_TID && tid <= INT32_MAX;
}

/* Depends on the event's phase, name, category and args only, not on its times. */
enum dft_trace_kind dft_record_classify(const struct dft_event *event);

/* What an aggregate or throttled event says. Times that are missing or negative are 0. */
struct dft_record_aggregate {
    struct dft_text function;
    int64_t count;
    int64_t sum_ns;
    int64_t min_ns, max_ns; /* only of aggregates */
    int64_t self_ns;        /* the sum, if the trace does not have it */
    bool self_is_estimated;
    bool is_resumed; /* the calls go on with some that have begun before */
};

struct dft_record_aggregate dft_record_read_aggregate(const struct dft_event *event);

/* A point of a flow. `phase`: 's' begins, 't' continues, 'f' ends. */
struct dft_record_flow {
    char phase;
    uint64_t id; /* a hash where the trace has a text */
};

struct dft_reader;
struct dft_record_flow dft_record_read_flow(struct dft_reader *reader,
                                            const struct dft_event *event);

/* The key of metadata, decoded, and its raw value. */
struct dft_record_metadata {
    struct dft_text key;
    struct dft_text value;
};

struct dft_record_metadata dft_record_read_metadata(struct dft_reader *reader,
                                                    const struct dft_event *event);

/* Whether this is an arg of every event of a format, and says nothing of the event. */
bool dft_record_is_format_arg(struct dft_text key);

#endif
