/*
 * Batches: what goes into one gzip member. Its chunks stay in the spool until the member is on disk
 * and one store to the header's `commit` says so. Whoever dies before that store leaves a spool in
 * which the batch is still whole; whoever dies after it, one in which the batch is done.
 *
 * Members may be made by several threads at once. They are written and committed by the writer's
 * own, one after the other, in the order in which their batches were filled.
 *
 * A member that cannot be made or written (memory is out, the disk is full) waits for its turn, and
 * everything behind it does as well: the writer is stalled. It tries again every now and then.
 * Meanwhile no chunk is freed, so threads fill the spool and drop what it has no room for.
 */
#include "os/time.h"
#include "writer/internal.h"

/* A batch is closed by then at the latest, so that memory comes back. */
#define BATCH_CHUNKS_MOST 256
#define HURRIED_CHUNKS 4 /* while a thread waits for one */
#define BATCH_THREADS_MOST 256
#define AFTER_TEXT_MOST (1u << 20) /* counters of a program that makes no calls */
#define AGGREGATES_MOST 16384

/* Some readers see the first member only: a small trace should not need another. */
#define FIRST_MEMBER_FACTOR 16

#define CALL_TEXT_AT_FIRST 128
#define PENDING_MEMORY_MOST (6u << 20)
#define STREAK 8 /* jobs in a row that show that one thread is not enough */
#define RETRY_NS 100000000u

void dft_batch_fail(struct dft_writer *writer, int error)
{
    if (!writer->error)
        writer->error = error;
}

void dft_batch_stall(struct dft_writer *writer, int error)
{
    struct dft_spool_header *header = writer->spool->header;

    if (writer->concluding) { /* nobody tries again: what is missing stays in the spool */
        dft_batch_fail(writer, error);
        return;
    }
    writer->stalled = error;
    writer->stalled_ns = dft_time_now(CLOCK_MONOTONIC);
    atomic_store(&header->write_error, (uint32_t)-error);
    atomic_store(&header->failing, 1);
}

void dft_batch_retry(struct dft_writer *writer, bool now)
{
    if (!writer->stalled || (!now && dft_time_now(CLOCK_MONOTONIC) - writer->stalled_ns < RETRY_NS))
        return;
    writer->stalled = 0;
    dft_batch_flush(writer, false);
    if (!writer->stalled)
        atomic_store(&writer->spool->header->failing, 0);
}

struct dft_progress *dft_batch_progress(struct dft_writer *writer, uint32_t slot)
{
    struct dft_buffer *all = &writer->progress;
    size_t needed = ((size_t)slot + 1) * sizeof(struct dft_progress);

    if (all->used < needed) {
        if (!dft_buffer_reserve(all, needed - all->used))
            return NULL;
        all->used = needed; /* fresh pages are zero */
    }
    return &((struct dft_progress *)all->data)[slot];
}

struct dft_job *dft_batch_job(struct dft_writer *writer)
{
    struct dft_pool *pool = &writer->pool;

    return &pool->jobs[(pool->oldest + pool->pending) % DFT_JOBS_MOST];
}

/* --- commit --------------------------------------------------------------------------------- */

/* Marks every chunk of the batch as done by the next commit. */
static void prepare_commit(struct dft_writer *writer, const struct dft_job *job, uint32_t commit)
{
    const uint32_t *chunks = (const uint32_t *)job->chunks.data;

    for (size_t i = 0; i < job->chunks.used / sizeof *chunks; i++) {
        struct dft_chunk *entry = &writer->spool->directory[chunks[i]];
        entry->pending = DFT_CHUNK_SIZE;
        entry->pending_commit = commit;
    }
    const uint32_t *ended = (const uint32_t *)job->ended.data;
    for (size_t i = 0; i < job->ended.used / sizeof *ended; i++)
        dft_spool_thread(writer->spool, ended[i])->pending_commit = commit;
}

/* Takes a chunk out of its thread's chain, which a later writer may have to follow. */
static void unlink_chunk(struct dft_spool *spool, struct dft_thread *thread, uint32_t chunk)
{
    uint32_t next = spool->directory[chunk].next;

    if (thread->oldest == chunk) {
        thread->oldest = next ? next - 1 : DFT_NO_CHUNK;
        return;
    }
    /* Only deferred chunks stand before it. */
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
        /* Its mark stays until the next thread takes the slot: at no moment is it written twice. */
        dft_spool_free_thread(writer->spool, dft_spool_thread(writer->spool, ended[i]));
        dft_spool_wake_waiting(writer->spool);
    }
}

/* Returns false where the job could not be written and is still the oldest. */
static bool commit_oldest(struct dft_writer *writer)
{
    struct dft_spool_header *header = writer->spool->header;
    struct dft_pool *pool = &writer->pool;
    struct dft_job *job = &pool->jobs[pool->oldest];
    uint32_t commit = atomic_load_explicit(&header->commit, memory_order_relaxed) + 1;

    if (job->failed) /* there may be memory by now */
        dft_job_run(writer, &writer->worker, job);
    if (job->failed && !writer->concluding && !writer->error) {
        dft_batch_stall(writer, -ENOMEM);
        return false;
    }
    if (job->failed)
        dft_batch_fail(writer, -ENOMEM);
    if (!writer->concluding)
        prepare_commit(writer, job, commit);
    if (!writer->error) {
        int error = dft_file_append(&writer->file, job->member.data, job->member.used);
        if (error && !writer->concluding) {
            dft_batch_stall(writer, error);
            return false;
        }
        dft_batch_fail(writer, error);
    }
    struct dft_totals before = writer->totals;
    writer->totals = dft_job_add(job, before);
    if (writer->error) {
        writer->totals.lost += writer->totals.events - before.events;
        writer->totals.events = before.events;
        writer->totals.aggregated = before.aggregated;
    } else if (!writer->concluding) {
        dft_counted_note(writer, &job->aggregates);
    }
    /* Else all stays in the spool, to be tried again. */
    if (!writer->concluding && (!writer->error || !writer->spool->gone)) {
        header->committed[commit & 1] = (struct dft_commit){.size = writer->file.size,
                                                            .totals = writer->totals,
                                                            .ticks = writer->clock.frontier,
                                                            .main_named = job->main_named,
                                                            .described = job->described,
                                                            .switched = job->switched,
                                                            .complete = writer->complete};
        atomic_store_explicit(&header->commit, commit, memory_order_release);
    }

    if (job->text && dft_job_events(job))
        writer->call_text = job->text / dft_job_events(job) + 1;
    free_batch(writer, job);
    dft_job_clear(job);
    atomic_store_explicit(&job->state, DFT_JOB_FILLING, memory_order_relaxed);
    pool->oldest = (pool->oldest + 1) % DFT_JOBS_MOST;
    pool->pending--;
    if (writer->finishing && writer->host.finishing)
        writer->host.finishing(writer->chunks_done, writer->chunks_to_do);
    return true;
}

static void commit_done(struct dft_writer *writer)
{
    struct dft_pool *pool = &writer->pool;

    while (pool->pending > 0 && !writer->stalled &&
           atomic_load_explicit(&pool->jobs[pool->oldest].state, memory_order_acquire) ==
               DFT_JOB_DONE)
        if (!commit_oldest(writer))
            return;
}

/* --- filling -------------------------------------------------------------------------------- */

static void add_number(struct dft_writer *writer, struct dft_buffer *numbers, uint32_t number)
{
    if (dft_buffer_reserve(numbers, sizeof number))
        dft_put_bytes(numbers, (const char *)&number, sizeof number);
    else
        dft_batch_fail(writer, -ENOMEM);
}

void dft_batch_add(struct dft_writer *writer, uint32_t chunk)
{
    add_number(writer, &dft_batch_job(writer)->chunks, chunk);
}

void dft_batch_end_thread(struct dft_writer *writer, uint32_t slot)
{
    add_number(writer, &dft_batch_job(writer)->ended, slot);
}

/* A thread has no chunk to go on with. */
static bool is_waited_for(const struct dft_writer *writer)
{
    return atomic_load_explicit(&writer->spool->header->waiting, memory_order_relaxed) > 0;
}

/* Calls that make a member of the size that was asked for. */
static uint64_t calls_most(const struct dft_writer *writer)
{
    uint64_t text = writer->spool->header->settings.member_size;

    if (writer->file.size == 0 && writer->pool.pending == 0 && !is_waited_for(writer))
        text *= FIRST_MEMBER_FACTOR;
    return text / (writer->call_text ? writer->call_text : CALL_TEXT_AT_FIRST);
}

static bool is_pending_full(const struct dft_writer *writer, const struct dft_job *last)
{
    unsigned pending = writer->pool.pending;

    /* One is being filled. */
    return pending + 1 >= DFT_JOBS_MOST ||
           pending * (last->calls.used + last->attached.used) > PENDING_MEMORY_MOST ||
           atomic_load(&writer->pool.invited) == 0;
}

/* Functions that are new since the last batch: a site gets its number with its first call. */
static void describe_functions(struct dft_writer *writer)
{
    struct dft_job *job = dft_batch_job(writer);
    uint32_t count = writer->info.metadata ? dft_spool_sites(writer->spool) : 0;

    for (; writer->described < count && !writer->error; writer->described++)
        if (!writer->encoder->function(&writer->info, writer->described + 1, &job->before))
            dft_batch_fail(writer, -ENOMEM);
}

static void close_batch(struct dft_writer *writer)
{
    struct dft_job *job = dft_batch_job(writer);

    describe_functions(writer);
    job->switched = writer->switched;
    job->main_named = writer->main_named;
    job->described = writer->described;
    writer->pool.pending++;
    atomic_store_explicit(&job->state, DFT_JOB_READY, memory_order_release);
    if (++writer->streak % STREAK == 0)
        dft_pool_invite(writer);
    dft_pool_announce(writer);
    while (is_pending_full(writer, job) && writer->pool.pending > 0 && !writer->stalled) {
        dft_pool_complete_oldest(writer);
        commit_done(writer);
    }
    commit_done(writer);
}

void dft_batch_close_if_due(struct dft_writer *writer)
{
    const struct dft_spool_header *header = writer->spool->header;
    const struct dft_job *job = dft_batch_job(writer);
    size_t chunks = job->chunks.used / sizeof(uint32_t);

    if (writer->stalled)
        return;
    if (dft_job_events(job) >= calls_most(writer) || chunks >= BATCH_CHUNKS_MOST ||
        chunks > header->chunk_limit / 4 || (chunks >= HURRIED_CHUNKS && is_waited_for(writer)) ||
        job->ended.used / sizeof(uint32_t) >= BATCH_THREADS_MOST ||
        job->after.used > AFTER_TEXT_MOST ||
        dft_aggregates_count(&job->aggregates) >= AGGREGATES_MOST)
        close_batch(writer);
}

void dft_batch_flush(struct dft_writer *writer, bool all)
{
    const struct dft_job *job = dft_batch_job(writer);

    if (writer->stalled)
        return;
    if (all && (job->before.used || job->calls.used || job->after.used || job->chunks.used ||
                job->ended.used))
        close_batch(writer);
    while (writer->pool.pending > 0 && !writer->stalled) {
        dft_pool_complete_oldest(writer);
        commit_done(writer);
    }
}
