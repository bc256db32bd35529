/*
 * Counts the calls of a spool that are not in its trace file: see dft_spool_count_unwritten in
 * spool.h. Reads every chunk in use, changes nothing, and does not follow the links between chunks,
 * since threads may be changing them.
 */
#include "spool/spool.h"

static uint64_t count_records(const struct dft_spool *spool, uint32_t chunk)
{
    const struct dft_record *records = dft_spool_chunk_records(spool, chunk);
    struct dft_record_view record;
    uint32_t used = dft_spool_chunk_used(spool, chunk);
    uint64_t calls = 0;

    for (uint32_t i = 0; i < used; i += record.units) {
        if (!dft_spool_read_record(&records[i], used - i, &record))
            break;
        calls += record.kind != DFT_RECORDED_NOTHING && !dft_spool_is_own(spool, record.site);
    }
    return calls;
}

static void count_thread(const struct dft_spool *spool, const struct dft_thread *thread,
                         struct dft_spool_unwritten *unwritten)
{
    uint32_t state = atomic_load_explicit(&thread->state, memory_order_acquire);

    if ((state != DFT_THREAD_LIVE && state != DFT_THREAD_ENDED) ||
        dft_spool_is_committed(spool, thread->pending_commit))
        return;
    unwritten->dropped += thread->dropped;
    unwritten->omitted += thread->omitted;
    uint64_t frames = dft_spool_open_frames(spool, thread);
    for (uint64_t i = 1; i < frames; i++)
        unwritten->calls += thread->frames[i].start != 0 && thread->frames[i].site != 0;
}

void dft_spool_count_unwritten(const struct dft_spool *spool, struct dft_spool_unwritten *unwritten)
{
    const struct dft_spool_header *header = spool->header;
    uint32_t chunks = atomic_load_explicit(&header->chunk_count, memory_order_acquire);
    uint32_t threads = atomic_load_explicit(&header->thread_count, memory_order_acquire);

    *unwritten = (struct dft_spool_unwritten){0};
    for (uint32_t i = 0; i < chunks && i < header->chunk_max; i++) {
        const struct dft_chunk *entry = &spool->directory[i];
        if (atomic_load_explicit(&entry->state, memory_order_acquire) != DFT_CHUNK_FREE &&
            !dft_spool_is_committed(spool, entry->pending_commit))
            unwritten->calls += count_records(spool, i);
    }
    for (uint32_t i = 0; i < threads && i < DFT_THREAD_MAX; i++)
        count_thread(spool, dft_spool_thread(spool, i), unwritten);
    for (uint32_t i = 0; i < dft_spool_throttled_sites(spool); i++)
        unwritten->calls += dft_spool_untimed_calls(spool, i);
}
