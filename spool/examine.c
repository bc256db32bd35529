/*
 * Checks the contents of a spool whose process is gone: see dft_spool_examine in spool.h. Reads
 * everything once and trusts nothing. Runs in one thread.
 */
#include "spool/spool.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

struct examination {
    struct dft_spool *spool;
    struct dft_spool_findings *findings;
    uint32_t chunk_count;
    uint8_t *seen; /* one bit for each chunk */
};

static void include_tick(struct dft_spool_findings *findings, uint64_t tick)
{
    if (tick > findings->latest)
        findings->latest = tick;
}

/*
 * Whether the chunk can be the next in the chain of the thread with this slot. No chunk may occur
 * twice.
 */
static bool visit(const struct examination *this, uint32_t chunk, uint32_t slot)
{
    uint8_t bit = (uint8_t)(1u << chunk % 8);

    if (chunk >= this->chunk_count || this->spool->directory[chunk].thread != slot ||
        this->seen[chunk / 8] & bit)
        return false;
    this->seen[chunk / 8] |= bit;
    return true;
}

static void look_at_records(const struct examination *this, uint32_t chunk)
{
    const struct dft_record *records = dft_spool_chunk_records(this->spool, chunk);

    struct dft_record_view record;

    for (uint32_t i = 0; i < DFT_CHUNK_RECORDS; i += record.units) {
        if (!dft_spool_read_record(&records[i], (uint32_t)DFT_CHUNK_RECORDS - i, &record)) {
            this->findings->damaged++;
            return;
        }
        if (record.kind != DFT_RECORDED_NOTHING) {
            this->findings->calls += !dft_spool_is_own(this->spool, record.site);
            include_tick(this->findings, record.start);
            if (record.kind == DFT_RECORDED_CALL) /* of other events, the duration is a value */
                include_tick(this->findings, record.start + record.duration);
        }
    }
}

/* Cuts the chain before a chunk that cannot belong to it. */
static void look_at_chain(const struct examination *this, struct dft_thread *thread, uint32_t slot)
{
    uint32_t chunk = thread->oldest;

    if (chunk == DFT_NO_CHUNK)
        return;
    if (!visit(this, chunk, slot)) {
        thread->oldest = DFT_NO_CHUNK;
        this->findings->damaged++;
        return;
    }
    for (;;) {
        struct dft_chunk *entry = &this->spool->directory[chunk];
        if (!dft_spool_is_committed(this->spool, entry->pending_commit))
            look_at_records(this, chunk);
        if (atomic_load(&entry->state) != DFT_CHUNK_FULL || entry->next == 0)
            return;
        if (!visit(this, entry->next - 1, slot)) {
            entry->next = 0;
            this->findings->damaged++;
            return;
        }
        chunk = entry->next - 1;
    }
}

static void look_at_thread(const struct examination *this, uint32_t slot)
{
    struct dft_spool_findings *findings = this->findings;
    struct dft_thread *thread = dft_spool_thread(this->spool, slot);
    uint32_t state = atomic_load(&thread->state);

    if (state != DFT_THREAD_LIVE && state != DFT_THREAD_ENDED)
        return;
    if (dft_spool_is_committed(this->spool, thread->pending_commit))
        return;
    findings->threads++;
    include_tick(findings, thread->started);
    if (state == DFT_THREAD_ENDED)
        include_tick(findings, thread->ended);
    for (uint64_t i = 1; i < dft_spool_open_frames(this->spool, thread); i++) {
        include_tick(findings, thread->frames[i].start);
        findings->open += thread->frames[i].start != 0 && thread->frames[i].site != 0;
    }
    look_at_chain(this, thread, slot);
}

static void look_at_counts(struct dft_spool_header *header, struct dft_spool_findings *findings)
{
    if (atomic_load(&header->thread_count) > DFT_THREAD_MAX) {
        atomic_store(&header->thread_count, 0);
        findings->damaged++;
    }
    if (atomic_load(&header->chunk_count) > header->chunk_max) {
        atomic_store(&header->chunk_count, header->chunk_max);
        findings->damaged++;
    }
    if (atomic_load(&header->site_count) > DFT_SITE_MAX) {
        atomic_store(&header->site_count, 0);
        findings->damaged++;
    }
    if (atomic_load(&header->throttled_count) > DFT_THROTTLED_MAX) {
        atomic_store(&header->throttled_count, 0);
        findings->damaged++;
    }
    if (atomic_load(&header->segment_count) > DFT_SEGMENT_MAX) {
        atomic_store(&header->segment_count, 0);
        findings->damaged++;
    }
}

/*
 * Sites follow each other without gaps. The table is cut before the first site that is damaged or
 * does not directly follow the previous one.
 */
static void look_at_sites(struct dft_spool *spool, struct dft_spool_findings *findings)
{
    struct dft_spool_header *header = spool->header;
    const uint32_t *index = (const uint32_t *)((char *)header + header->site_index.offset);
    uint32_t count = atomic_load(&header->site_count);
    uint64_t offset = 0;

    for (uint32_t id = 1; id <= count; id++) {
        struct dft_site_view view;
        if (index[id - 1] != offset || !dft_spool_site(spool, id, &view)) {
            atomic_store(&header->site_count, id - 1);
            findings->damaged++;
            return;
        }
        const struct dft_site_entry *entry =
            (const struct dft_site_entry *)((char *)header + header->site_text.offset + offset);
        offset += (sizeof *entry + entry->length + 3) & ~(uint64_t)3;
    }
}

int dft_spool_examine(struct dft_spool *spool, struct dft_spool_findings *findings)
{
    struct dft_spool_header *header = spool->header;

    *findings = (struct dft_spool_findings){0};
    look_at_counts(header, findings);
    look_at_sites(spool, findings);
    struct examination this = {
        .spool = spool, .findings = findings, .chunk_count = atomic_load(&header->chunk_count)};
    size_t size = (size_t)this.chunk_count / 8 + 1;
    this.seen = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (this.seen == MAP_FAILED)
        return -ENOMEM;
    include_tick(findings, header->started.ticks);
    include_tick(findings, header->committed[atomic_load(&header->commit) & 1].ticks);
    if (atomic_load(&header->anchor_count))
        include_tick(findings, header->latest[atomic_load(&header->anchor_count) & 1].ticks);
    uint32_t threads = atomic_load(&header->thread_count);
    for (uint32_t slot = 0; slot < threads; slot++)
        look_at_thread(&this, slot);
    munmap(this.seen, size);
    return 0;
}
