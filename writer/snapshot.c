/*
 * Snapshots: completes the file although the program may continue, for a process that is about to
 * call exec and for `dftrace ctl PID flush`. Runs in the writer's own thread.
 *
 * The writer first commits everything that it can. Then it appends the rest: open chunks, open
 * calls, and the end of the trace. The rest is not committed, and all of it stays in the spool. So
 * a kill at this time loses nothing. If the process continues, the rest is cut off or replaced.
 */
#include "writer/internal.h"

#include <string.h>

#define STEPS_BEFORE_SHOW 64 /* at most, if the program keeps the writer busy */

static bool copy(struct dft_buffer *to, const struct dft_buffer *from)
{
    to->used = 0;
    if (!dft_buffer_reserve(to, from->used))
        return false;
    if (from->used) /* an empty buffer may have no memory */
        dft_put_bytes(to, from->data, from->used);
    return true;
}

/* Writes everything to the file, behind what is committed. */
static void conclude(struct dft_writer *writer)
{
    struct dft_before_conclusion *before = &writer->before;

    dft_batch_retry(writer, true);
    dft_writer_flush(writer);
    before->size = writer->file.size;
    before->index = writer->index;
    before->totals = writer->totals;
    before->counters = writer->counters;
    before->error = writer->error;
    before->main_named = writer->main_named;
    before->described = writer->described;
    before->throttled = writer->throttled;
    before->removed = false;
    if (!copy(&before->threads, &writer->counters.threads) ||
        !copy(&before->deferred, &writer->deferred) ||
        !copy(&before->progress, &writer->progress) ||
        !dft_nests_copy(&before->nests, &writer->nests))
        dft_batch_fail(writer, before->error = -ENOMEM);
    writer->concluding = true;
    dft_writer_take_all(writer);
}

/* Restores a buffer whose memory behind `used` must be zero. */
static void put_back(struct dft_buffer *to, const struct dft_buffer *from)
{
    size_t used = to->used;

    copy(to, from); /* cannot fail: the buffer has not become smaller */
    if (used > to->used)
        memset(to->data + to->used, 0, used - to->used);
}

/* Restores the state from before the snapshot, except for the file. */
static void restore(struct dft_writer *writer)
{
    struct dft_before_conclusion *before = &writer->before;

    /* The clock keeps its new segments: they are valid for earlier ticks as well. */
    writer->index = writer->index_written = before->index;
    writer->totals = before->totals;
    struct dft_buffer threads = writer->counters.threads; /* may have grown */
    put_back(&threads, &before->threads);
    writer->counters = before->counters;
    writer->counters.threads = threads;
    writer->error = before->error;
    writer->main_named = before->main_named;
    writer->described = before->described;
    writer->throttled = before->throttled;
    put_back(&writer->deferred, &before->deferred);
    put_back(&writer->progress, &before->progress); /* slots that it visited first are new again */
    if (!dft_nests_copy(&writer->nests, &before->nests)) /* some self times get too large */
        dft_nests_release(&writer->nests);
    writer->frames.used = 0;
    dft_ties_forget(writer);
    writer->finishing = writer->concluding = writer->complete = false;
}

void dft_writer_conclude(struct dft_writer *writer)
{
    bool failed = dft_writer_error(writer);

    while (dft_writer_step(writer))
        ;
    conclude(writer);
    if (writer->totals.events == 0 && !failed && !dft_writer_error(writer)) {
        dft_file_remove(&writer->file);
        writer->before.removed = true;
    }
    dft_file_free_reserve(&writer->file);
}

void dft_writer_go_on(struct dft_writer *writer)
{
    struct dft_before_conclusion *before = &writer->before;

    restore(writer);
    if (writer->error)
        return;
    int error;
    if (before->removed) { /* the trace had no call */
        writer->main_named = false;
        writer->described = writer->throttled = 0;
        writer->index = writer->index_written = 0;
        dft_counters_reset(&writer->counters);
        error = dft_writer_begin(writer);
    } else {
        error = dft_file_truncate(&writer->file, before->size);
    }
    if (error)
        dft_batch_fail(writer, error);
}

void dft_writer_show_if_asked(struct dft_writer *writer, bool found)
{
    struct dft_spool_header *header = writer->spool->header;
    struct dft_anchor now;

    if (atomic_load(&header->show) != DFT_SHOW_ASKED)
        return;
    /* Commit what is waiting first, else it would be written twice. */
    if (found && ++writer->steps_before_show < STEPS_BEFORE_SHOW)
        return;
    writer->steps_before_show = 0;
    dft_spool_take_anchor(header->clock, &now);
    header->ended = now.ticks;
    conclude(writer);
    int error = dft_writer_error(writer);
    restore(writer);
    dft_file_set_aside(&writer->file, writer->before.size);
    atomic_store(&header->show, error ? DFT_SHOW_FAILED : DFT_SHOW_DONE);
}
