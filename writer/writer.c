/*
 * The writer as its hosts see it: open, step, finish. batch.c commits, drain.c reads the threads.
 */
#include "writer/internal.h"

#include <stdio.h>
#include <sys/mman.h>

#define ANCHOR_INTERVAL_NS 100000000u

static void update_clock(struct dft_writer *writer)
{
    struct dft_anchor now;

    dft_spool_take_anchor(writer->clock.kind, &now);
    if (now.monotonic_ns - writer->clock.last.monotonic_ns >= ANCHOR_INTERVAL_NS ||
        writer->clock.segments.used == 0)
        dft_clock_add(&writer->clock, &now);
}

/* The rate of the clock is measured before anything is converted by it. */
static bool clock_is_ready(struct dft_writer *writer)
{
    struct dft_anchor now;

    if (writer->clock.kind == DFT_CLOCK_MONOTONIC || writer->clock.segments.used > 0)
        return true;
    dft_spool_take_anchor(DFT_CLOCK_MONOTONIC, &now);
    return now.monotonic_ns - writer->clock.last.monotonic_ns >= DFT_CLOCK_BASELINE_NS;
}

bool dft_writer_step(struct dft_writer *writer)
{
    struct dft_spool_header *header = writer->spool->header;
    uint32_t threads = atomic_load_explicit(&header->thread_count, memory_order_acquire);

    if (!clock_is_ready(writer))
        return false;
    update_clock(writer);
    bool found = dft_drain_unfilled(writer);
    for (uint32_t slot = 0; slot < threads; slot++)
        found |= dft_drain_thread(writer, slot, false);
    if ((writer->batch.used || writer->ended_threads) && atomic_load(&header->waiting))
        dft_batch_commit(writer);
    return found;
}

void dft_writer_take_all(struct dft_writer *writer)
{
    struct dft_spool_header *header = writer->spool->header;
    uint32_t threads = atomic_load_explicit(&header->thread_count, memory_order_acquire);

    writer->finishing = true;
    update_clock(writer);
    dft_drain_unfilled(writer);
    for (uint32_t slot = 0; slot < threads; slot++)
        dft_drain_thread(writer, slot, true);
    if (!writer->main_named) { /* it made no traced call, but start and end stand on its track */
        struct dft_thread main_thread = {.tid = writer->info.pid};
        memcpy(main_thread.name, header->app, sizeof main_thread.name - 1);
        dft_drain_refresh_name(writer, &main_thread);
        dft_drain_write_thread(writer, &main_thread);
    }
    struct dft_trace_end end = {.ns = dft_clock_convert(&writer->clock, header->ended),
                                .events = writer->events,
                                .dropped = writer->dropped};
    if (!writer->error && !writer->encoder->end(&writer->info, &end, &writer->text))
        dft_batch_fail(writer, -ENOMEM);
    dft_batch_commit(writer);
}

void dft_writer_finish(struct dft_writer *writer)
{
    dft_writer_take_all(writer);
    if (writer->events == 0 && !writer->error)
        dft_file_remove(&writer->file);
    else
        dft_file_close(&writer->file);
    atomic_store(&writer->spool->header->state, DFT_SPOOL_FINISHED);
}

void dft_writer_result(const struct dft_writer *writer, struct dft_writer_result *result)
{
    *result = (struct dft_writer_result){.events = writer->events,
                                         .dropped = writer->dropped,
                                         .lost = writer->lost,
                                         .error = writer->error,
                                         .path = writer->file.path};
}

int dft_writer_error(const struct dft_writer *writer)
{
    return writer->error;
}

int dft_writer_begin(struct dft_writer *writer)
{
    const struct dft_spool_header *header = writer->spool->header;
    char extension[16];

    snprintf(extension, sizeof extension, "%s%s", writer->encoder->extension,
             header->settings.compression ? ".gz" : "");
    int error = dft_file_create(&writer->file, header->settings.prefix, header->app, header->pid,
                                extension);
    if (!error && !writer->encoder->begin(&writer->info, &writer->state, &writer->text))
        error = -ENOMEM;
    return error;
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
    writer->encoder = &dft_encoder_json;
    writer->info = (struct dft_trace_info){.spool = spool,
                                           .started_ns = header->started.monotonic_ns,
                                           .metadata = settings->metadata,
                                           .pid = header->pid};
    dft_clock_init(&writer->clock, header->clock, &header->started);
    *error = dft_writer_begin(writer);
    if (!*error && settings->compression && !dft_gzip_init(&writer->gzip))
        *error = -ENOMEM;
    if (*error) {
        snprintf(path, path_size, "%s", writer->file.path);
        if (writer->file.fd >= 0)
            dft_file_remove(&writer->file);
        dft_writer_close(writer);
        return NULL;
    }
    return writer;
}

void dft_writer_close(struct dft_writer *writer)
{
    struct dft_buffer *buffers[] = {&writer->text,           &writer->member,
                                    &writer->calls,          &writer->frames,
                                    &writer->batch,          &writer->progress,
                                    &writer->unfilled,       &writer->state.index,
                                    &writer->state.text,     &writer->before.unfilled,
                                    &writer->before.progress};

    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        dft_buffer_release(buffers[i]);
    dft_clock_release(&writer->clock);
    dft_file_close(&writer->file);
    if (writer->gzip.memory.data)
        dft_gzip_release(&writer->gzip);
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
