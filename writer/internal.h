/*
 * The writer's inside: what batch.c (from text to committed members), drain.c (from records to
 * text) and writer.c (the whole) share. Nobody else includes it.
 */
#ifndef DFT_WRITER_INTERNAL_H
#define DFT_WRITER_INTERNAL_H

#include "writer/clock.h"
#include "writer/encoder.h"
#include "writer/file.h"
#include "writer/gzip.h"
#include "writer/writer.h"

#include <errno.h>

/* How far the writer has come in one thread slot. */
struct dft_progress {
    uint32_t chunk; /* number + 1 of the chunk to look at next; 0: start at the thread's oldest */
    uint32_t ended; /* everything is in the batch: the slot is freed with the next commit */
    uint32_t lent;  /* the chunk at hand was lent and is in the batch */
    uint64_t last_end_ns;
};

/* A record that a call which a signal handler has interrupted is yet to fill. */
struct dft_unfilled {
    uint32_t chunk;
    uint32_t record;
};

/* How things stood before a conclusion that may be taken back. */
struct dft_before_conclusion {
    struct dft_clock clock;
    struct dft_buffer unfilled;
    struct dft_buffer progress;
    uint64_t size;
    uint64_t events, dropped, lost;
    uint32_t ended_threads;
    int error;
    bool main_named;
    bool removed; /* there was no call to keep the file for */
};

struct dft_writer {
    struct dft_spool *spool;
    const struct dft_encoder *encoder;
    struct dft_encoder_state state;
    struct dft_trace_info info;
    struct dft_clock clock;
    struct dft_file file;
    struct dft_gzip gzip;

    struct dft_buffer text;     /* encoded, not compressed */
    struct dft_buffer member;   /* compressed, not on disk */
    struct dft_buffer calls;    /* struct dft_call of the chunk at hand */
    struct dft_buffer frames;   /* struct dft_frame of the thread at hand */
    struct dft_buffer batch;    /* uint32_t: chunks of this batch */
    struct dft_buffer unfilled; /* struct dft_unfilled: their chunks are not given back */
    struct dft_buffer progress; /* struct dft_progress by slot */

    uint32_t ended_threads; /* slots to be freed with this batch */
    uint64_t member_text;   /* bytes of text in this batch */
    uint64_t batch_calls;
    uint64_t events; /* calls in the file and in the batch */
    uint64_t dropped;
    uint64_t lost;
    int error;
    bool main_named; /* the main thread's name is in the trace */
    bool finishing;  /* nothing is given back to threads any more */
    bool concluding; /* what goes to the file may be taken back: nothing is committed */
    struct dft_before_conclusion before;
};

/* writer.c */

/* Everything that is in the spool, open calls as unfinished, and the end of the trace. */
void dft_writer_take_all(struct dft_writer *writer);

/* Makes the file, with the beginning of a trace to be written to it. Negative errno. */
int dft_writer_begin(struct dft_writer *writer);

/* batch.c */

/* The first failure counts; from then on calls are counted, not written. */
void dft_batch_fail(struct dft_writer *writer, int error);

/* NULL only when memory is out. */
struct dft_progress *dft_batch_progress(struct dft_writer *writer, uint32_t slot);

/* Moves encoded text into the member. */
void dft_batch_compress(struct dft_writer *writer);
void dft_batch_add(struct dft_writer *writer, uint32_t chunk);
void dft_batch_commit(struct dft_writer *writer);
void dft_batch_commit_if_due(struct dft_writer *writer);
bool dft_batch_has_unfilled(const struct dft_writer *writer, uint32_t chunk);

static inline size_t dft_unfilled_count(const struct dft_writer *writer)
{
    return writer->unfilled.used / sizeof(struct dft_unfilled);
}

/* drain.c */

/* Everything that one thread has filled; with `all` also its open chunk. True if there was any. */
bool dft_drain_thread(struct dft_writer *writer, uint32_t slot, bool all);

/* Records that were left, as they are filled or turn out to be given up by a jump. */
bool dft_drain_unfilled(struct dft_writer *writer);

/* The name that a thread has now, while there is someone to ask. */
void dft_drain_refresh_name(const struct dft_writer *writer, struct dft_thread *thread);
void dft_drain_write_thread(struct dft_writer *writer, const struct dft_thread *thread);

#endif
