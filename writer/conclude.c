/*
 * A complete file while the program may go on: what a process needs that is about to call exec.
 * Runs in the writer only.
 *
 * First everything that can be committed is, so what comes behind it in the file is only what may
 * be taken back. From then until go_on nothing but the file changes that a reader of the spool
 * could see: killed in between, the spool is as good as it was.
 */
#include "writer/internal.h"

#include <string.h>

static bool copy(struct dft_buffer *to, const struct dft_buffer *from)
{
    to->used = 0;
    if (!dft_buffer_reserve(to, from->used))
        return false;
    dft_put_bytes(to, from->data, from->used);
    return true;
}

void dft_writer_conclude(struct dft_writer *writer)
{
    struct dft_before_conclusion *before = &writer->before;
    bool failed = writer->error;

    while (dft_writer_step(writer))
        ;
    dft_batch_flush(writer, true);
    before->size = writer->file.size;
    before->events = writer->events;
    before->aggregated = writer->aggregated;
    before->left_out = writer->left_out;
    before->dropped = writer->dropped;
    before->lost = writer->lost;
    before->counters = writer->counters;
    before->error = writer->error;
    before->main_named = writer->main_named;
    before->described = writer->described;
    before->switched = writer->switched;
    before->removed = false;
    if (!copy(&before->unfilled, &writer->unfilled) || !copy(&before->progress, &writer->progress))
        dft_batch_fail(writer, before->error = -ENOMEM);
    writer->concluding = true;
    dft_writer_take_all(writer);
    if (writer->events == 0 && !failed) {
        dft_file_remove(&writer->file);
        before->removed = true;
    }
}

void dft_writer_go_on(struct dft_writer *writer)
{
    struct dft_before_conclusion *before = &writer->before;

    /* The clock stays as it is now: its lines hold for what was before as well. */
    writer->events = before->events;
    writer->aggregated = before->aggregated;
    writer->left_out = before->left_out;
    writer->dropped = before->dropped;
    writer->lost = before->lost;
    struct dft_buffer threads = writer->counters.threads;
    writer->counters = before->counters;
    writer->counters.threads = threads; /* may have grown; what it holds is only compared with */
    writer->error = before->error;
    writer->main_named = before->main_named;
    writer->described = before->described;
    writer->switched = before->switched;
    size_t slots = writer->progress.used;
    copy(&writer->unfilled, &before->unfilled);
    copy(&writer->progress, &before->progress);
    /* Slots that were looked at since are as new. */
    memset(writer->progress.data + writer->progress.used, 0, slots - writer->progress.used);
    writer->frames.used = 0;
    writer->finishing = writer->concluding = writer->complete = false;
    if (writer->error)
        return;
    int error;
    if (before->removed) { /* there was no call in it */
        writer->main_named = false;
        writer->described = writer->switched = 0;
        writer->counters = (struct dft_counters){.threads = threads};
        error = dft_writer_begin(writer);
    } else {
        error = dft_file_truncate(&writer->file, before->size);
    }
    if (error)
        dft_batch_fail(writer, error);
}
