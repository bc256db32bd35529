/*
 * The end of a trace that lacks events because they cannot be written. Runs in the writer's own
 * thread.
 *
 * This end is a member of its own, small enough for the disk space that the file keeps in reserve.
 * It is never committed: a later writer that has disk space replaces it and continues after the
 * last commit.
 */
#include "writer/internal.h"

/*
 * Every call is either in a commit, as written or lost, or still in the spool. The file may contain
 * more than the last commit, because a conclusion is never committed.
 */
static void count_missing(struct dft_writer *writer)
{
    const struct dft_spool_header *header = writer->spool->header;
    const struct dft_commit *last = &header->committed[atomic_load(&header->commit) & 1];
    struct dft_spool_unwritten unwritten;

    dft_spool_count_unwritten(writer->spool, &unwritten);
    uint64_t all = last->totals.events + last->totals.lost + unwritten.calls;
    struct dft_totals *totals = &writer->totals;
    totals->lost = all > totals->events ? all - totals->events : 0;
    totals->dropped = last->totals.dropped + unwritten.dropped;
    totals->omitted = last->totals.omitted + unwritten.omitted;
}

void dft_shortfall_end(struct dft_writer *writer)
{
    /* If nothing could be written before, this member also has the start of the trace. */
    struct dft_job job = {.begins = writer->file.size == 0, .first_event = writer->index_written};
    struct dft_event event = {.kind = DFT_EVENT_END};

    count_missing(writer);
    event.end = (struct dft_trace_end){
        .ns = dft_clock_convert(&writer->clock, writer->spool->header->ended),
        .totals = writer->totals,
        .write_error = -dft_writer_error(writer),
    };
    if (dft_buffer_reserve(&job.after, sizeof event)) {
        dft_put_bytes(&job.after, (const char *)&event, sizeof event);
        dft_job_run(writer, &writer->worker, &job);
        if (!job.failed)
            dft_file_append_last(&writer->file, job.member.data, job.member.used);
    }
    dft_job_release(&job);
}
