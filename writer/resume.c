/*
 * Resumes the work of an earlier writer of the same spool, wherever it stopped.
 *
 * The last commit contains the length of the file. Everything after that length is cut off and
 * written again, from the chunks that no commit covers. The clock's segments are in the spool, so
 * both parts of the trace convert ticks alike. A spool without an earlier writer is the same case,
 * with nothing done.
 */
#include "os/file_status.h"
#include "spool/owner.h"
#include "writer/internal.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct dft_commit *last_commit(const struct dft_spool_header *header)
{
    return &header->committed[atomic_load_explicit(&header->commit, memory_order_acquire) & 1];
}

/*
 * Removes the file of an earlier writer that was stopped after creating it and before storing its
 * inode.
 */
static void remove_nameless(const struct dft_spool_trace *trace)
{
    struct stat status;

    if (trace->path[0] && trace->inode == 0 &&
        dft_file_status_at(AT_FDCWD, trace->path, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode) && status.st_size == 0 && status.st_uid == geteuid())
        unlink(trace->path);
}

static int make_file(struct dft_writer *writer)
{
    struct dft_spool_header *header = writer->spool->header;
    struct dft_spool_trace *trace = &header->trace;
    char extension[16];
    int error = -EEXIST;

    snprintf(extension, sizeof extension, "%s%s", writer->encoder->extension,
             header->settings.compression && writer->encoder->container == DFT_CONTAINER_GZIP
                 ? ".gz"
                 : "");
    remove_nameless(trace);
    for (int number = 1; error == -EEXIST && number <= DFT_FILE_NAMES_MAX; number++) {
        error = dft_file_name(&writer->file, header->settings.prefix, header->app, header->pid,
                              extension, number);
        if (error)
            return error;
        trace->inode = 0;
        snprintf(trace->path, sizeof trace->path, "%s", writer->file.path);
        atomic_thread_fence(memory_order_release);
        error = dft_file_create(&writer->file);
    }
    if (error) {
        trace->path[0] = '\0';
        return error;
    }
    trace->device = writer->file.device;
    __atomic_store_n(&trace->inode, writer->file.inode, __ATOMIC_RELEASE);
    return 0;
}

/* Adds a commit of an empty file, because the contents of the old file are lost. */
static void forget_commits(struct dft_spool_header *header)
{
    uint32_t commit = atomic_load(&header->commit) + 1;

    header->committed[commit & 1] = (struct dft_commit){.ticks = last_commit(header)->ticks};
    atomic_store_explicit(&header->commit, commit, memory_order_release);
}

/* Clears the marks of commits after this one. */
static void clear_marks(const struct dft_spool *spool, uint32_t commit)
{
    const struct dft_spool_header *header = spool->header;
    uint32_t chunks = atomic_load(&header->chunk_count);
    uint32_t threads = atomic_load(&header->thread_count);

    for (uint32_t i = 0; i < chunks && i < header->chunk_max; i++)
        if (spool->directory[i].pending_commit > commit)
            spool->directory[i].pending_commit = 0;
    for (uint32_t i = 0; i < threads && i < DFT_THREAD_MAX; i++)
        if (dft_spool_thread(spool, i)->pending_commit > commit)
            dft_spool_thread(spool, i)->pending_commit = 0;
}

int dft_resume_file(struct dft_writer *writer)
{
    struct dft_spool_header *header = writer->spool->header;
    const struct dft_spool_trace *trace = &header->trace;
    const struct dft_commit *last = last_commit(header);

    if (!writer->spool->gone)
        return make_file(writer);
    clear_marks(writer->spool, atomic_load(&header->commit)); /* of an incomplete commit */
    if (trace->inode) {
        /* The numbers of devices may change when a machine is restarted. */
        uint64_t device = dft_owner_is_this_boot(header) ? trace->device : 0;
        writer->file = (struct dft_file){.fd = -1};
        snprintf(writer->file.path, sizeof writer->file.path, "%s", trace->path);
        int error = dft_file_resume(&writer->file, device, trace->inode, last->size);
        if (error != -ENOENT && error != -ESTALE && error != -ELOOP && error != -ENOTDIR)
            return error;
    }
    writer->restarted = last->size > 0;
    if (writer->restarted) {
        clear_marks(writer->spool, 0); /* chunks that are still there are written again */
        forget_commits(header);
    }
    return make_file(writer);
}

static void take_over_clock(struct dft_writer *writer)
{
    struct dft_spool_header *header = writer->spool->header;
    struct dft_clock *clock = &writer->clock;
    uint32_t anchors = atomic_load(&header->anchor_count);

    dft_clock_keep(clock, (struct dft_clock_segment *)((char *)header + header->segments.offset),
                   &header->segment_count, DFT_SEGMENT_MAX);
    if (last_commit(header)->ticks > clock->frontier)
        clock->frontier = last_commit(header)->ticks;
    writer->old_clock =
        writer->spool->gone && (clock->segments.used > 0 || !dft_owner_is_this_boot(header));
    if (!writer->old_clock || clock->segments.used > 0)
        return;
    /*
     * The machine was restarted, and its tick counter with it. So the rate comes from the stored
     * anchors; without them, it is a guess.
     */
    struct dft_anchor second = header->latest[anchors & 1];
    if (anchors == 0 || second.ticks <= header->started.ticks)
        second = (struct dft_anchor){.ticks = header->started.ticks + 1000000000u,
                                     .monotonic_ns = header->started.monotonic_ns + 1000000000u};
    dft_clock_add(clock, &second);
}

void dft_resume_state(struct dft_writer *writer)
{
    struct dft_spool *spool = writer->spool;
    const struct dft_commit *last = last_commit(spool->header);

    take_over_clock(writer);
    writer->totals = last->totals;
    writer->main_named = last->main_named != 0;
    writer->described = writer->restarted ? 0 : (uint32_t)last->described;
    writer->index = writer->index_written = writer->restarted ? 0 : last->index;
    writer->throttled = writer->restarted ? 0 : (uint32_t)last->throttled;
    uint32_t threads = atomic_load(&spool->header->thread_count);
    for (uint32_t slot = 0; spool->gone && slot < threads; slot++) {
        struct dft_progress *progress = dft_batch_progress(writer, slot);
        if (progress &&
            dft_spool_is_committed(spool, dft_spool_thread(spool, slot)->pending_commit))
            progress->ended = 1;
    }
}

bool dft_writer_is_complete(const struct dft_spool *spool)
{
    const struct dft_spool_trace *trace = &spool->header->trace;
    const struct dft_commit *last = last_commit(spool->header);
    struct stat status;

    if (!last->complete)
        return false;
    if (last->totals.events == 0 && last->totals.lost == 0 &&
        dft_file_status_at(AT_FDCWD, trace->path, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode) && status.st_ino == trace->inode)
        unlink(trace->path);
    return true;
}
