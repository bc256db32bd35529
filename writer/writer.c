/*
 * The writer as its hosts see it: open, step, finish. drain.c reads the threads, job.c encodes,
 * batch.c fills batches, commit.c writes them.
 */
#include "writer/internal.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define ANCHOR_INTERVAL_NS 100000000u

/*
 * The interval between anchors doubles every ANCHORS_PER_INTERVAL segments, so that the spool's
 * table of segments lasts for a year.
 */
#define ANCHORS_PER_INTERVAL 4096u

/* Ended threads whose slots are freed together, however few calls they made. */
#define ENDED_AT_ONCE 32

static void update_clock(struct dft_writer *writer)
{
    struct dft_spool_header *header = writer->spool->header;
    struct dft_anchor now;
    uint32_t count = atomic_load_explicit(&header->segment_count, memory_order_relaxed);
    uint64_t interval = (uint64_t)ANCHOR_INTERVAL_NS << count / ANCHORS_PER_INTERVAL;

    if (writer->old_clock)
        return;
    dft_spool_take_anchor(writer->clock.kind, &now);
    dft_spool_keep_anchor(writer->spool, &now);
    if (now.monotonic_ns - writer->clock.last.monotonic_ns < interval &&
        writer->clock.segments.used > 0)
        return;
    if (dft_spool_reserve(writer->spool,
                          header->segments.offset + count * sizeof(struct dft_clock_segment),
                          2 * sizeof(struct dft_clock_segment)) == 0) /* as many as a bend takes */
        dft_clock_add(&writer->clock, &now);
}

/* Whether the rate of the clock is known, or can be measured now. Nothing is converted before. */
static bool clock_is_ready(struct dft_writer *writer)
{
    struct dft_anchor now;

    if (writer->clock.kind == DFT_CLOCK_MONOTONIC || writer->clock.segments.used > 0)
        return true;
    dft_spool_take_anchor(DFT_CLOCK_MONOTONIC, &now);
    return now.monotonic_ns - writer->clock.last.monotonic_ns >= DFT_CLOCK_BASELINE_NS;
}

static uint32_t count_threads(const struct dft_writer *writer)
{
    uint32_t count =
        atomic_load_explicit(&writer->spool->header->thread_count, memory_order_acquire);

    return count <= DFT_THREAD_MAX ? count : DFT_THREAD_MAX;
}

bool dft_writer_step(struct dft_writer *writer)
{
    struct dft_spool_header *header = writer->spool->header;
    uint32_t threads = count_threads(writer);

    dft_batch_retry(writer, false);
    if (writer->stalled)
        return false;
    dft_counters_step(writer);
    if (!clock_is_ready(writer))
        return false;
    update_clock(writer);
    dft_throttled_step(writer);
    bool found = false;
    for (uint32_t slot = 0; slot < threads && !writer->stalled; slot++)
        found |= dft_drain_thread(writer, slot, false);
    const struct dft_job *job = dft_batch_job(writer);
    if (atomic_load(&header->waiting) || job->ended.used / sizeof(uint32_t) >= ENDED_AT_ONCE) {
        dft_batch_flush(writer, job->chunks.used || job->ended.used);
    } else if (!found && writer->pool.pending) {
        dft_batch_flush(writer, false);
        found = !writer->stalled;
    }
    if (!found)
        writer->streak = 0;
    return found;
}

unsigned dft_writer_wait_ms(const struct dft_writer *writer, unsigned most)
{
    return dft_counters_wait_ms(writer, most);
}

static uint64_t chunks_in_use(const struct dft_spool *spool)
{
    uint32_t count = atomic_load_explicit(&spool->header->chunk_count, memory_order_acquire);
    uint64_t used = 0;

    for (uint32_t i = 0; i < count && i < spool->header->chunk_max; i++)
        used += atomic_load_explicit(&spool->directory[i].state, memory_order_relaxed) !=
                DFT_CHUNK_FREE;
    return used;
}

/* Takes threads and counters, and ends the trace. Stops if the writer stalls. */
static void take_rest(struct dft_writer *writer)
{
    struct dft_spool_header *header = writer->spool->header;
    uint32_t threads = count_threads(writer);

    update_clock(writer);
    dft_counters_end(writer);
    for (uint32_t slot = 0; slot < threads && !writer->stalled; slot++)
        dft_drain_thread(writer, slot, true);
    if (!writer->main_named) { /* start and end of the trace are events of the main thread */
        struct dft_thread main_thread = {.tid = writer->start.pid};
        memcpy(main_thread.name, header->app, sizeof main_thread.name - 1);
        dft_drain_refresh_name(writer, &main_thread);
        dft_drain_write_thread(writer, &main_thread);
    }
    dft_batch_flush(writer, false);
    if (writer->error) /* nothing may stay in the batch when a conclusion is taken back */
        dft_batch_flush(writer, true);
    if (writer->error || writer->stalled)
        return;
    struct dft_job *job = dft_batch_job(writer);
    struct dft_event event = {.kind = DFT_EVENT_END};
    event.end.ns = dft_clock_convert(&writer->clock, header->ended);
    event.end.write_error = (int)atomic_load(&header->write_error);
    dft_throttled_end(writer, event.end.ns);
    event.end.totals = dft_job_add(job, writer->totals);
    if (!dft_batch_put_event(writer, &event))
        dft_batch_fail(writer, -ENOMEM);
    writer->complete = true; /* nothing else waits to be committed */
    dft_batch_flush(writer, true);
}

void dft_writer_take_all(struct dft_writer *writer)
{
    writer->finishing = true;
    writer->chunks_done = 0;
    writer->chunks_to_do = chunks_in_use(writer->spool);
    if (!writer->concluding)
        dft_batch_retry(writer, true);
    if (!writer->stalled)
        take_rest(writer);
    if (writer->error || writer->stalled)
        dft_shortfall_end(writer);
}

void dft_writer_flush(struct dft_writer *writer)
{
    dft_batch_flush(writer, true);
}

void dft_writer_finish(struct dft_writer *writer)
{
    dft_writer_take_all(writer);
    dft_usage_close(&writer->figure_files);
    dft_pool_stop(writer);
    bool is_empty = writer->file.size == 0 && !writer->file.has_set_aside;
    if (is_empty || (writer->totals.events == 0 && !dft_writer_error(writer)))
        dft_file_remove(&writer->file);
    else
        dft_file_close(&writer->file);
    if (!writer->stalled && (!writer->error || !writer->spool->gone))
        atomic_store(&writer->spool->header->state, DFT_SPOOL_FINISHED);
}

void dft_writer_result(const struct dft_writer *writer, struct dft_writer_result *result)
{
    *result = (struct dft_writer_result){
        .events = writer->totals.events,
        .dropped = writer->totals.dropped,
        .lost = writer->totals.lost,
        .error = dft_writer_error(writer),
        .is_kept =
            writer->stalled || (writer->error && (writer->concluding || writer->spool->gone)),
        .restarted = writer->restarted,
        .path = writer->file.path};
}

void dft_writer_set_host(struct dft_writer *writer, const struct dft_writer_host *host)
{
    writer->host = *host;
}

void dft_writer_owns_descriptors(struct dft_writer *writer)
{
    writer->figure_files.own = true;
}

const char *dft_writer_error_text(int error)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
    const char *text = strerrordesc_np(error);
    return text ? text : "unknown error";
#else
    return strerror(error);
#endif
}

int dft_writer_error(const struct dft_writer *writer)
{
    return writer->error ? writer->error : writer->stalled;
}

static bool read_site(const void *source, uint32_t id, struct dft_site_view *site)
{
    return dft_spool_site(source, id, site);
}

static struct dft_trace_start describe_start(const struct dft_spool *spool)
{
    const struct dft_spool_header *header = spool->header;

    return (struct dft_trace_start){.monotonic_ns = header->started.monotonic_ns,
                                    .realtime_ns = header->started.realtime_ns,
                                    .metadata = header->settings.metadata,
                                    .pid = header->pid,
                                    .ppid = header->ppid,
                                    .rank = header->rank,
                                    .rank_count = header->rank_count,
                                    .app = header->app,
                                    .command = header->command,
                                    .exe = header->exe,
                                    .directory = header->directory_name,
                                    .host = header->host,
                                    .cores = header->cores,
                                    .sample_cost_ns = header->sample_cost_ns,
                                    .budget = header->settings.budget,
                                    .call_cost_ns = header->call_cost_ns,
                                    .count_cost_ns = header->count_cost_ns,
                                    .sites = {read_site, spool}};
}

int dft_writer_begin(struct dft_writer *writer)
{
    int error = dft_resume_file(writer);

    if (error)
        return error;
    writer->start = describe_start(writer->spool);
    dft_batch_job(writer)->begins = writer->file.size == 0;
    dft_counters_begin(writer);
    return 0;
}

struct dft_writer *dft_writer_open(struct dft_spool *spool, int *error, char *path,
                                   size_t path_size)
{
    const struct dft_spool_header *header = spool->header;
    const struct dft_spool_settings *settings = &header->settings;
    struct dft_writer *writer =
        mmap(NULL, sizeof *writer, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (writer == MAP_FAILED) {
        *error = -ENOMEM;
        snprintf(path, path_size, "%s", settings->prefix);
        return NULL;
    }
    writer->spool = spool;
    writer->encoder = dft_encoder_of(settings->format);
    dft_clock_init(&writer->clock, header->clock, &header->started);
    writer->file.fd = -1;
    *error = dft_writer_begin(writer);
    if (!*error)
        dft_resume_state(writer);
    if (*error) {
        snprintf(path, path_size, "%s", writer->file.path);
        if (writer->file.inode && writer->file.size == 0)
            dft_file_remove(&writer->file);
        dft_writer_close(writer);
        return NULL;
    }
    return writer;
}

void dft_writer_close(struct dft_writer *writer)
{
    dft_pool_stop(writer);
    dft_pool_join(writer);
    for (size_t i = 0; i < DFT_JOBS_MAX; i++)
        dft_job_release(&writer->pool.jobs[i]);
    dft_worker_release(writer, &writer->worker);
    dft_buffer_release(&writer->frames);
    dft_buffer_release(&writer->deferred);
    dft_buffer_release(&writer->progress);
    dft_nests_release(&writer->nests);
    dft_ties_release(writer);
    dft_nests_release(&writer->before.nests);
    dft_buffer_release(&writer->starts);
    dft_buffer_release(&writer->before.threads);
    dft_buffer_release(&writer->before.deferred);
    dft_buffer_release(&writer->before.progress);
    dft_counters_release(&writer->counters);
    dft_clock_release(&writer->clock);
    dft_file_close(&writer->file);
    munmap(writer, sizeof *writer);
}

int dft_writer_descriptor(const struct dft_writer *writer)
{
    return writer->file.fd;
}

void dft_writer_forget(const struct dft_writer *writer)
{
    dft_file_forget(&writer->file);
}
