/*
 * Batches: what goes into one gzip member. This file fills them, decides when a batch is large
 * enough, and hands it over to be made into a member. Runs in the writer's own thread.
 *
 * Members may be made by several threads at once. They are committed (commit.c) one after the
 * other, in the order in which their batches were filled.
 *
 * A member that cannot be made or written (memory is exhausted, the disk is full) stays the oldest,
 * and all others wait: the writer is stalled. The writer tries again every RETRY_NS. Meanwhile no
 * chunk is freed, so threads fill the spool and drop calls for which it has no room.
 */
#include "os/time.h"
#include "writer/internal.h"

/* A batch is closed as soon as it has this many chunks, so that threads get them back. */
#define BATCH_CHUNKS_MAX 256
#define HURRIED_CHUNKS 4 /* while a thread waits for a chunk */
#define BATCH_THREADS_MAX 256
#define AFTER_SIZE_MAX (1u << 20) /* bytes; counters reach it if there are no calls */
#define AGGREGATES_MAX 16384

/* Some readers read only the first member, so all of a small trace should be in it. */
#define FIRST_MEMBER_FACTOR 16

#define CALL_TEXT_AT_FIRST 128
#define PENDING_MEMORY_MAX (6u << 20)
#define STREAK 8 /* after this many jobs without a pause, one more helper is invited */
#define RETRY_NS 100000000u

void dft_batch_fail(struct dft_writer *writer, int error)
{
    if (!writer->error)
        writer->error = error;
}

void dft_batch_stall(struct dft_writer *writer, int error)
{
    struct dft_spool_header *header = writer->spool->header;

    if (writer->concluding) { /* a conclusion is not tried again: missing calls stay in the spool */
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

    return &pool->jobs[(pool->oldest + pool->pending) % DFT_JOBS_MAX];
}

static void add_number(struct dft_writer *writer, struct dft_buffer *numbers, uint32_t number)
{
    if (dft_buffer_reserve(numbers, sizeof number))
        dft_put_bytes(numbers, (const char *)&number, sizeof number);
    else
        dft_batch_fail(writer, -ENOMEM);
}

bool dft_batch_put_event(struct dft_writer *writer, const struct dft_event *event)
{
    struct dft_buffer *after = &dft_batch_job(writer)->after;

    if (!dft_buffer_reserve(after, sizeof *event))
        return false;
    dft_put_bytes(after, (const char *)event, sizeof *event);
    return true;
}

void dft_batch_add(struct dft_writer *writer, uint32_t chunk)
{
    add_number(writer, &dft_batch_job(writer)->chunks, chunk);
}

void dft_batch_end_thread(struct dft_writer *writer, uint32_t slot)
{
    add_number(writer, &dft_batch_job(writer)->ended, slot);
}

/* Whether a thread waits for a chunk. */
static bool is_waited_for(const struct dft_writer *writer)
{
    return atomic_load_explicit(&writer->spool->header->waiting, memory_order_relaxed) > 0;
}

/* How many calls make a member of the size that the user has asked for. */
static uint64_t calls_max(const struct dft_writer *writer)
{
    uint64_t text = writer->spool->header->settings.member_size;

    if (writer->file.size == 0 && writer->pool.pending == 0 && !is_waited_for(writer))
        text *= FIRST_MEMBER_FACTOR;
    return text / (writer->call_text ? writer->call_text : CALL_TEXT_AT_FIRST);
}

static bool is_pending_full(const struct dft_writer *writer, const struct dft_job *last)
{
    unsigned pending = writer->pool.pending;

    /* The `+ 1` is the job that is being filled. */
    return pending + 1 >= DFT_JOBS_MAX ||
           pending * (last->calls.used + last->attached.used) > PENDING_MEMORY_MAX ||
           atomic_load(&writer->pool.invited) == 0;
}

/*
 * Adds the functions and files that are new since the last batch. They get their numbers before the
 * first call that refers to them is recorded.
 */
static void describe_functions(struct dft_writer *writer)
{
    struct dft_job *job = dft_batch_job(writer);
    bool wanted = writer->start.metadata || writer->encoder->wants_files;
    uint32_t count = wanted ? dft_spool_sites(writer->spool) : 0;
    struct dft_event event;

    job->described_before = writer->described;
    for (; writer->described < count && !writer->error; writer->described++)
        job->functions += dft_job_describes(writer, writer->described + 1, &event);
    job->described = writer->described;
}

static void close_batch(struct dft_writer *writer)
{
    struct dft_job *job = dft_batch_job(writer);

    describe_functions(writer);
    dft_ties_resolve(writer, job);
    job->throttled = writer->throttled;
    job->main_named = writer->main_named;
    job->first_event = writer->index;
    writer->index += dft_job_all_events(job);
    writer->pool.pending++;
    atomic_store_explicit(&job->state, DFT_JOB_READY, memory_order_release);
    if (++writer->streak % STREAK == 0)
        dft_pool_invite(writer);
    dft_pool_announce(writer);
    while (is_pending_full(writer, job) && writer->pool.pending > 0 && !writer->stalled) {
        dft_pool_complete_oldest(writer);
        dft_commit_done(writer);
    }
    dft_commit_done(writer);
}

void dft_batch_close_if_due(struct dft_writer *writer)
{
    const struct dft_spool_header *header = writer->spool->header;
    const struct dft_job *job = dft_batch_job(writer);
    size_t chunks = job->chunks.used / sizeof(uint32_t);

    if (writer->stalled)
        return;
    if (dft_job_events(job) >= calls_max(writer) || chunks >= BATCH_CHUNKS_MAX ||
        chunks > header->chunk_limit / 4 || (chunks >= HURRIED_CHUNKS && is_waited_for(writer)) ||
        job->ended.used / sizeof(uint32_t) >= BATCH_THREADS_MAX ||
        job->after.used > AFTER_SIZE_MAX ||
        dft_aggregates_count(&job->aggregates) >= AGGREGATES_MAX)
        close_batch(writer);
}

void dft_batch_flush(struct dft_writer *writer, bool all)
{
    const struct dft_job *job = dft_batch_job(writer);

    if (writer->stalled)
        return;
    if (all &&
        (job->begins || job->calls.used || job->after.used || job->chunks.used || job->ended.used))
        close_batch(writer);
    while (writer->pool.pending > 0 && !writer->stalled) {
        dft_pool_complete_oldest(writer);
        dft_commit_done(writer);
    }
}
