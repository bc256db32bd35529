/*
 * Chunks: taking one from the free chunks, and freeing it.
 *
 * Runs in every traced thread and in the writer, without locks. No heap, no output.
 */
#include "os/page.h"
#include "spool/spool.h"

#include <string.h>
#include <sys/mman.h>

/*
 * The tag in the upper half changes with every pop. So the exchange fails if the chunk was popped
 * and pushed again meanwhile.
 */
static uint32_t pop_chunk(struct dft_spool *spool, _Atomic uint64_t *stack)
{
    uint64_t head = atomic_load_explicit(stack, memory_order_acquire);

    while ((uint32_t)head != 0) {
        uint32_t chunk = (uint32_t)head - 1;
        uint32_t next =
            atomic_load_explicit(&spool->directory[chunk].next_free, memory_order_relaxed);
        uint64_t replacement = ((head >> 32) + 1) << 32 | next;
        if (atomic_compare_exchange_weak_explicit(stack, &head, replacement, memory_order_acq_rel,
                                                  memory_order_acquire))
            return chunk;
    }
    return DFT_NO_CHUNK;
}

static void push_chunk(struct dft_spool *spool, _Atomic uint64_t *stack, uint32_t chunk)
{
    struct dft_chunk *entry = &spool->directory[chunk];
    uint64_t head = atomic_load_explicit(stack, memory_order_relaxed);
    uint64_t replacement;

    do {
        atomic_store_explicit(&entry->next_free, (uint32_t)head, memory_order_relaxed);
        replacement = (head >> 32) << 32 | (chunk + 1);
    } while (!atomic_compare_exchange_weak_explicit(stack, &head, replacement, memory_order_acq_rel,
                                                    memory_order_relaxed));
}

/*
 * Reads the chunk's memory once: on a read fault the kernel also maps the surrounding pages, but on
 * a write fault only one page.
 */
static void map_chunk(const struct dft_spool *spool, uint32_t chunk)
{
    const volatile char *bytes = (const char *)dft_spool_chunk_records(spool, chunk);

    (void)bytes[0];
    (void)bytes[DFT_CHUNK_SIZE - 1];
}

static int reserve_chunk(const struct dft_spool *spool, uint32_t chunk)
{
    int error = dft_spool_reserve(
        spool, spool->header->chunks.offset + (uint64_t)chunk * DFT_CHUNK_SIZE, DFT_CHUNK_SIZE);

    if (!error)
        map_chunk(spool, chunk);
    return error;
}

static uint32_t take_free_chunk(struct dft_spool *spool)
{
    struct dft_spool_header *header = spool->header;
    uint32_t chunk = pop_chunk(spool, &header->free_chunks);

    if (chunk != DFT_NO_CHUNK)
        return chunk;
    chunk = pop_chunk(spool, &header->cold_chunks);
    if (chunk != DFT_NO_CHUNK && reserve_chunk(spool, chunk) != 0) {
        push_chunk(spool, &header->cold_chunks, chunk);
        return DFT_NO_CHUNK;
    }
    return chunk;
}

uint32_t dft_spool_take_chunk(struct dft_spool *spool, bool first)
{
    struct dft_spool_header *header = spool->header;
    uint32_t chunk = take_free_chunk(spool);

    if (chunk != DFT_NO_CHUNK)
        return chunk;
    chunk = atomic_load_explicit(&header->chunk_count, memory_order_relaxed);
    do {
        if (chunk >= (first ? header->chunk_max : header->chunk_limit))
            return DFT_NO_CHUNK;
        /*
         * The chunk is reserved before it is counted. If two threads race for it, one of them
         * retries.
         */
        if (dft_spool_reserve(spool, header->directory.offset + chunk * sizeof(struct dft_chunk),
                              sizeof(struct dft_chunk)) != 0 ||
            reserve_chunk(spool, chunk) != 0)
            return DFT_NO_CHUNK;
    } while (!atomic_compare_exchange_weak(&header->chunk_count, &chunk, chunk + 1));
    return chunk;
}

/*
 * Gives the pages of a chunk back to the system, so that they read as zeroes. Some systems, such as
 * emulators of another processor, report success and do nothing. The first call finds out whether
 * this system does so.
 */
static bool give_back(char *records)
{
    enum { NOT_KNOWN, GIVES, KEEPS };
    static atomic_int answer = NOT_KNOWN;

    if (atomic_load_explicit(&answer, memory_order_relaxed) == NOT_KNOWN) {
        records[0] = 1;
        if (madvise(records, DFT_CHUNK_SIZE, MADV_REMOVE) != 0)
            return false;
        atomic_store_explicit(&answer, records[0] == 0 ? GIVES : KEEPS, memory_order_relaxed);
    }
    return atomic_load_explicit(&answer, memory_order_relaxed) == GIVES &&
           madvise(records, DFT_CHUNK_SIZE, MADV_REMOVE) == 0;
}

uint32_t dft_spool_chunk_used(const struct dft_spool *spool, uint32_t chunk)
{
    uint32_t used = atomic_load_explicit(&spool->directory[chunk].used, memory_order_acquire);

    return (used && used <= DFT_CHUNK_SIZE ? used : DFT_CHUNK_SIZE) / sizeof(struct dft_record);
}

void dft_spool_free_chunk(struct dft_spool *spool, uint32_t chunk)
{
    struct dft_spool_header *header = spool->header;
    void *records = dft_spool_chunk_records(spool, chunk);
    bool enough = (uint32_t)atomic_load_explicit(&header->free_chunks, memory_order_relaxed) != 0;
    bool cold = chunk >= header->chunk_keep && enough && give_back(records);

    if (!cold)
        memset(records, 0, dft_spool_chunk_used(spool, chunk) * sizeof(struct dft_record));
    atomic_store_explicit(&spool->directory[chunk].state, DFT_CHUNK_FREE, memory_order_relaxed);
    push_chunk(spool, cold ? &header->cold_chunks : &header->free_chunks, chunk);
}

struct dft_record *dft_spool_chunk_records(const struct dft_spool *spool, uint32_t chunk)
{
    return (struct dft_record *)((char *)spool->header + spool->header->chunks.offset +
                                 (uint64_t)chunk * DFT_CHUNK_SIZE);
}
