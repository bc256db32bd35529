/*
 * An output format: from calls, sites and threads to bytes.
 *
 * An encoder is pure: it appends to buffers and touches nothing else. A format is one file with one
 * `const struct dft_encoder`, declared at the end of this one and chosen in writer.c.
 */
#ifndef DFT_ENCODER_H
#define DFT_ENCODER_H

#include "spool/attachments.h"
#include "writer/deflate.h"

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

struct dft_trace_end {
    uint64_t ns;
    uint64_t events;
    uint64_t dropped;
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
    bool (*thread)(const struct dft_trace_info *info, int32_t tid, const char *name,
                   struct dft_buffer *out);
    bool (*counter)(const struct dft_trace_info *info, const struct dft_counter *counter,
                    struct dft_buffer *out);
    bool (*end)(const struct dft_trace_info *info, const struct dft_trace_end *end,
                struct dft_buffer *out);
};

extern const struct dft_encoder dft_encoder_json;

#endif
