/*
 * An output format: from calls, sites and threads to bytes.
 *
 * An encoder is pure: it appends to buffers and touches nothing else. A format is one file with one
 * `const struct dft_encoder`, declared at the end of this one and chosen in writer.c.
 */
#ifndef DFT_WRITER_ENCODE_ENCODER_H
#define DFT_WRITER_ENCODE_ENCODER_H

#include "spool/attachments.h"
#include "writer/gzip/deflate.h"

/* What stays the same through one trace. */
struct dft_trace_info {
    const struct dft_spool *spool;
    uint64_t started_ns; /* CLOCK_MONOTONIC */
    bool metadata;       /* write args */
    int32_t pid;
};

/* A call with attachments is as large as the many others: what it has more stands apart. */
struct dft_call {
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t site : 30;
    uint32_t unfinished : 1;
    uint32_t attached : 1;
    union {
        int32_t tid;
        uint32_t place; /* of one that is attached: where its struct dft_attached stands */
    };
};

struct dft_attached {
    int32_t tid;
    uint32_t length;
    unsigned char bytes[]; /* for dft_attachments_next; perhaps damaged */
};

/* Some calls of one batch, and the attachments of all of the batch. */
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

/* Values of one moment, which hold until the next such event of this name. */
struct dft_counter {
    const char *name;
    uint64_t ns;
    unsigned count;
    struct {
        const char *key;
        uint64_t value;
        bool tenths; /* of the unit: written with one decimal */
    } values[4];
};

/* Calls of one function, without an event of their own, that began in one interval. */
struct dft_aggregate {
    uint32_t site;
    bool estimated; /* they were counted, not timed: the sum is what they are taken to have used */
    uint64_t interval;
    uint64_t first_ns; /* start of the first one */
    uint64_t count;
    uint64_t sum_ns, min_ns, max_ns;
    int64_t self_ns;     /* of the sum, without calls inside */
    bool self_estimated; /* some of those were counted, not timed */
};

/* From this moment on, calls of a function are only counted. */
struct dft_switch {
    uint32_t site;
    uint64_t ns;
    uint64_t calls;     /* of its calls before, so many were looked at; */
    uint64_t calls_ns;  /* they took so long, */
    uint64_t cost_ns;   /* to record them took so much, */
    uint64_t window_ns; /* and their thread had so much processor time meanwhile */
};

struct dft_trace_end {
    uint64_t ns;
    struct dft_totals totals;
    int write_error; /* errno of the last write that failed; 0: none has */
};

/*
 * Whatever an encoder keeps from one call to the next: rendered once, used many times. All zero at
 * first. Every thread that encodes has its own.
 */
struct dft_encoder_state {
    struct dft_buffer index;
    struct dft_buffer text;
    struct dft_buffer recent;
};

struct dft_encoder {
    const char *name;      /* as DFTRACER_FORMAT spells it */
    const char *extension; /* of the file, before .gz */

    /* All return false when memory is out. */
    bool (*begin)(const struct dft_trace_info *info, struct dft_buffer *out);
    bool (*calls)(const struct dft_trace_info *info, struct dft_encoder_state *state,
                  const struct dft_calls *calls, struct dft_output *out);
    bool (*function)(const struct dft_trace_info *info, uint32_t site, struct dft_buffer *out);
    bool (*aggregate)(const struct dft_trace_info *info, const struct dft_aggregate *aggregate,
                      struct dft_buffer *out);
    bool (*switched)(const struct dft_trace_info *info, const struct dft_switch *switched,
                     struct dft_buffer *out);
    bool (*thread)(const struct dft_trace_info *info, int32_t tid, const char *name,
                   struct dft_buffer *out);
    bool (*counter)(const struct dft_trace_info *info, const struct dft_counter *counter,
                    struct dft_buffer *out);
    bool (*end)(const struct dft_trace_info *info, const struct dft_trace_end *end,
                struct dft_buffer *out);
};

extern const struct dft_encoder dft_encoder_json;

#endif
