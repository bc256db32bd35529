/*
 * The commit protocol: how a finished member gets into the file, and the chunks that it was made
 * from are given back. Runs in the writer's own thread, for one job after the other.
 *
 *   1. mark the chunks and ended threads of the batch with the number of the next commit
 *   2. append the member to the file
 *   3. store what the commit makes final, then its number: this one store commits the batch
 *   4. give the chunks back
 *
 * Why this much care: a process or writer may be killed at any moment, and no event may be lost or
 * written twice. After a kill before the store, the whole batch is still in the spool. After a kill
 * that follows the store, the whole batch is in the file. tests/model explores all interleavings.
 */
#include "writer/internal.h"

/* Marks every chunk and ended thread of the batch with the number of the next commit. */
static void mark_batch(struct dft_writer *writer, const struct dft_job *job, uint32_t commit)
{
    const uint32_t *chunks = (const uint32_t *)job->chunks.data;

    for (size_t i = 0; i < job->chunks.used / sizeof *chunks; i++)
        writer->spool->directory[chunks[i]].pending_commit = commit;
    const uint32_t *ended = (const uint32_t *)job->ended.data;
    for (size_t i = 0; i < job->ended.used / sizeof *ended; i++)
        dft_spool_thread(writer->spool, ended[i])->pending_commit = commit;
}

/* False if the member cannot be written now: then the writer is stalled. */
static bool append_member(struct dft_writer *writer, struct dft_job *job)
{
    if (writer->error)
        return true;
    int error = dft_file_append(&writer->file, job->member.data, job->member.used);
    if (error && !writer->concluding) {
        dft_batch_stall(writer, error);
        return false;
    }
    dft_batch_fail(writer, error);
    return true;
}

/* Adds the job's events to the totals, as written or as lost. */
static void count_events(struct dft_writer *writer, const struct dft_job *job)
{
    struct dft_totals before = writer->totals;

    writer->totals = dft_job_add(job, before);
    if (writer->error) {
        writer->totals.lost += writer->totals.events - before.events;
        writer->totals.events = before.events;
        writer->totals.aggregated = before.aggregated;
    } else {
        writer->index_written = job->first_event + dft_job_all_events(job);
        if (!writer->concluding)
            dft_throttled_add(writer, &job->aggregates);
    }
}

static void publish_commit(struct dft_writer *writer, const struct dft_job *job, uint32_t commit)
{
    struct dft_spool_header *header = writer->spool->header;

    if (writer->concluding || (writer->error && writer->spool->gone))
        return; /* the batch stays in the spool, for another try */
    header->committed[commit & 1] = (struct dft_commit){.size = writer->file.size,
                                                        .totals = writer->totals,
                                                        .ticks = writer->clock.frontier,
                                                        .main_named = job->main_named,
                                                        .described = job->described,
                                                        .index = writer->index_written,
                                                        .throttled = job->throttled,
                                                        .complete = writer->complete};
    atomic_store_explicit(&header->commit, commit, memory_order_release);
}

/* Removes a chunk from its thread's chain, which a later writer may have to follow. */
static void unlink_chunk(struct dft_spool *spool, struct dft_thread *thread, uint32_t chunk)
{
    uint32_t next = spool->directory[chunk].next;

    if (thread->oldest == chunk) {
        thread->oldest = next ? next - 1 : DFT_NO_CHUNK;
        return;
    }
    /* Only deferred chunks precede `chunk` in the chain. */
    uint32_t at = thread->oldest;
    for (uint32_t i = 0; at < spool->header->chunk_max && i < spool->header->chunk_max; i++) {
        struct dft_chunk *before = &spool->directory[at];
        if (before->next == chunk + 1) {
            before->next = next;
            return;
        }
        at = before->next - 1;
    }
}

static void give_back(struct dft_writer *writer, uint32_t chunk)
{
    struct dft_spool *spool = writer->spool;
    struct dft_chunk *entry = &spool->directory[chunk];
    struct dft_thread *thread = dft_spool_thread(spool, entry->thread);

    if (atomic_load_explicit(&entry->state, memory_order_relaxed) == DFT_CHUNK_LENT &&
        atomic_load(&thread->state) == DFT_THREAD_LIVE) {
        memset(dft_spool_chunk_records(spool, chunk), 0, DFT_CHUNK_SIZE);
        dft_batch_progress(writer, entry->thread)->lent = 0;
        __atomic_store_n(&entry->pending_commit, 0, __ATOMIC_RELEASE);
        atomic_store_explicit(&entry->state, DFT_CHUNK_OPEN, memory_order_release);
    } else {
        unlink_chunk(spool, thread, chunk);
        atomic_thread_fence(memory_order_release);
        dft_spool_free_chunk(spool, chunk);
    }
    dft_spool_wake_waiting(spool);
}

static void free_batch(struct dft_writer *writer, const struct dft_job *job)
{
    const uint32_t *chunks = (const uint32_t *)job->chunks.data;
    const uint32_t *ended = (const uint32_t *)job->ended.data;
    struct dft_progress *progress = (struct dft_progress *)writer->progress.data;

    writer->chunks_done += job->chunks.used / sizeof *chunks;
    if (writer->finishing)
        return;
    for (size_t i = 0; i < job->chunks.used / sizeof *chunks; i++)
        give_back(writer, chunks[i]);
    for (size_t i = 0; i < job->ended.used / sizeof *ended; i++) {
        progress[ended[i]] = (struct dft_progress){0};
        /* The mark stays until another thread takes the slot, so no thread is written twice. */
        dft_spool_free_thread(writer->spool, dft_spool_thread(writer->spool, ended[i]));
        dft_spool_wake_waiting(writer->spool);
    }
}

/* Frees the oldest job's place in the ring for another batch. */
static void retire_oldest(struct dft_writer *writer, struct dft_job *job)
{
    struct dft_pool *pool = &writer->pool;

    if (job->text && dft_job_events(job))
        writer->call_text = job->text / dft_job_events(job) + 1;
    dft_job_clear(job);
    atomic_store_explicit(&job->state, DFT_JOB_FILLING, memory_order_relaxed);
    pool->oldest = (pool->oldest + 1) % DFT_JOBS_MAX;
    pool->pending--;
}

/* False if the job could not be written: then it is still the oldest. */
static bool commit_oldest(struct dft_writer *writer)
{
    struct dft_job *job = &writer->pool.jobs[writer->pool.oldest];
    uint32_t commit =
        atomic_load_explicit(&writer->spool->header->commit, memory_order_relaxed) + 1;

    if (job->failed) /* there may be memory again */
        dft_job_run(writer, &writer->worker, job);
    if (job->failed && !writer->concluding && !writer->error) {
        dft_batch_stall(writer, -ENOMEM);
        return false;
    }
    if (job->failed)
        dft_batch_fail(writer, -ENOMEM);
    if (!writer->concluding)
        mark_batch(writer, job, commit);
    if (!append_member(writer, job))
        return false;
    count_events(writer, job);
    publish_commit(writer, job, commit);
    free_batch(writer, job);
    retire_oldest(writer, job);
    if (writer->finishing && writer->host.finishing)
        writer->host.finishing(writer->chunks_done, writer->chunks_to_do);
    return true;
}

void dft_commit_done(struct dft_writer *writer)
{
    struct dft_pool *pool = &writer->pool;

    while (pool->pending > 0 && !writer->stalled &&
           atomic_load_explicit(&pool->jobs[pool->oldest].state, memory_order_acquire) ==
               DFT_JOB_DONE)
        if (!commit_oldest(writer))
            return;
}
