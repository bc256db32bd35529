/*
 * Batches: what goes into one gzip member. Its chunks stay in the spool until the member is on disk
 * and one store to the header's `commit` says so. Whoever dies before that store leaves a spool in
 * which the batch is still whole; whoever dies after it, one in which the batch is done.
 */
#include "writer/internal.h"

/* A batch is closed by then at the latest, so that memory comes back. */
#define BATCH_CHUNKS_MOST 256
#define BATCH_THREADS_MOST 256

void dft_batch_fail(struct dft_writer *writer, int error)
{
    if (!writer->error)
        writer->error = error;
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

void dft_batch_compress(struct dft_writer *writer)
{
    bool fine;

    writer->member_text += writer->text.used;
    if (writer->spool->header->settings.compression)
        fine = dft_gzip_add(&writer->gzip, &writer->text, &writer->member);
    else if ((fine = dft_buffer_reserve(&writer->member, writer->text.used)))
        dft_put_bytes(&writer->member, writer->text.data, writer->text.used);
    if (!fine)
        dft_batch_fail(writer, -ENOMEM);
    writer->text.used = 0;
}

/* Marks every chunk of the batch as done by the next commit. */
static void prepare_commit(struct dft_writer *writer, uint32_t commit)
{
    const uint32_t *batch = (const uint32_t *)writer->batch.data;

    for (size_t i = 0; i < writer->batch.used / sizeof *batch; i++) {
        struct dft_chunk *entry = &writer->spool->directory[batch[i]];
        entry->pending = DFT_CHUNK_SIZE;
        entry->pending_commit = commit;
    }
}

bool dft_batch_has_unfilled(const struct dft_writer *writer, uint32_t chunk)
{
    const struct dft_unfilled *unfilled = (const struct dft_unfilled *)writer->unfilled.data;

    for (size_t i = 0; i < dft_unfilled_count(writer); i++)
        if (unfilled[i].chunk == chunk)
            return true;
    return false;
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
        atomic_store_explicit(&entry->state, DFT_CHUNK_OPEN, memory_order_release);
        return;
    }
    if (thread->oldest == chunk)
        thread->oldest = entry->next ? entry->next - 1 : DFT_NO_CHUNK;
    dft_spool_free_chunk(spool, chunk);
}

static void free_batch(struct dft_writer *writer)
{
    const uint32_t *batch = (const uint32_t *)writer->batch.data;
    struct dft_progress *progress = (struct dft_progress *)writer->progress.data;

    for (size_t i = 0; !writer->finishing && i < writer->batch.used / sizeof *batch; i++)
        if (!dft_batch_has_unfilled(writer, batch[i]))
            give_back(writer, batch[i]);
    writer->batch.used = 0;
    for (size_t slot = 0; !writer->finishing && writer->ended_threads > 0; slot++) {
        if (!progress[slot].ended)
            continue;
        writer->ended_threads--;
        progress[slot] = (struct dft_progress){0};
        atomic_store_explicit(&dft_spool_thread(writer->spool, (uint32_t)slot)->state,
                              DFT_THREAD_FREE, memory_order_release);
    }
}

void dft_batch_commit(struct dft_writer *writer)
{
    struct dft_spool_header *header = writer->spool->header;
    uint32_t commit = atomic_load_explicit(&header->commit, memory_order_relaxed) + 1;

    dft_batch_compress(writer);
    if (header->settings.compression && !dft_gzip_close_member(&writer->gzip, &writer->member))
        dft_batch_fail(writer, -ENOMEM);
    if (!writer->concluding)
        prepare_commit(writer, commit);
    if (!writer->error)
        dft_batch_fail(writer,
                       dft_file_append(&writer->file, writer->member.data, writer->member.used));
    if (writer->error) {
        writer->lost += writer->batch_calls;
        writer->events -= writer->batch_calls;
    }
    if (!writer->concluding) {
        header->committed_size[commit & 1] = writer->file.size;
        header->events = writer->events;
        atomic_store_explicit(&header->commit, commit, memory_order_release);
    }

    writer->member.used = 0;
    writer->member_text = 0;
    writer->batch_calls = 0;
    free_batch(writer);
}

void dft_batch_add(struct dft_writer *writer, uint32_t chunk)
{
    if (dft_buffer_reserve(&writer->batch, sizeof chunk))
        dft_put_bytes(&writer->batch, (const char *)&chunk, sizeof chunk);
    else
        dft_batch_fail(writer, -ENOMEM);
}

void dft_batch_commit_if_due(struct dft_writer *writer)
{
    const struct dft_spool_header *header = writer->spool->header;
    size_t chunks = writer->batch.used / sizeof(uint32_t);

    if (writer->member_text >= header->settings.member_size || chunks >= BATCH_CHUNKS_MOST ||
        chunks > header->chunk_limit / 4 || writer->ended_threads >= BATCH_THREADS_MOST)
        dft_batch_commit(writer);
}
