/*
 * Thread slots: claiming, ending and freeing them.
 *
 * Runs in every traced thread and in the writer, without locks. No heap, no output.
 */
#include "spool/spool.h"

struct dft_thread *dft_spool_thread(const struct dft_spool *spool, uint32_t slot)
{
    return (struct dft_thread *)((char *)spool->header + spool->header->threads.offset +
                                 (uint64_t)slot * DFT_THREAD_SIZE);
}

uint32_t dft_spool_slot(const struct dft_spool *spool, const struct dft_thread *thread)
{
    const char *slots = (const char *)spool->header + spool->header->threads.offset;
    return (uint32_t)(((const char *)thread - slots) / DFT_THREAD_SIZE);
}

uint64_t dft_spool_open_frames(const struct dft_spool *spool, const struct dft_thread *thread)
{
    const struct dft_spool_header *header = spool->header;
    uint64_t top = (uint64_t)(uintptr_t)__atomic_load_n(&thread->top, __ATOMIC_ACQUIRE);
    uint64_t frames =
        header->base + (uint64_t)((const char *)thread->frames - (const char *)header);
    uint64_t count = top > frames ? (top - frames) / sizeof(struct dft_frame) : 0;

    return count <= DFT_THREAD_FRAMES ? count : 0;
}

static bool claim(struct dft_thread *thread)
{
    uint32_t expected = DFT_THREAD_FREE;

    return atomic_load_explicit(&thread->state, memory_order_relaxed) == DFT_THREAD_FREE &&
           atomic_compare_exchange_strong(&thread->state, &expected, DFT_THREAD_CLAIMED);
}

/*
 * Slots are used in turn. The writer frees slots in the order in which their threads ended, so the
 * next slot is nearly always free, however many other slots wait for the writer.
 */
static struct dft_thread *claim_used_slot(struct dft_spool *spool, uint32_t *slot)
{
    uint32_t count = atomic_load_explicit(&spool->header->thread_count, memory_order_acquire);
    uint32_t first = atomic_load_explicit(&spool->cursor, memory_order_relaxed);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (first + i) % count;
        if (claim(dft_spool_thread(spool, at))) {
            atomic_store_explicit(&spool->cursor, at + 1, memory_order_relaxed);
            *slot = at;
            return dft_spool_thread(spool, at);
        }
    }
    return NULL;
}

static struct dft_thread *claim_new_slot(struct dft_spool *spool, uint32_t *slot)
{
    struct dft_spool_header *header = spool->header;

    for (;;) {
        uint32_t count = atomic_load_explicit(&header->thread_count, memory_order_acquire);
        if (count >= DFT_THREAD_MAX ||
            dft_spool_reserve(spool, header->threads.offset + (uint64_t)count * DFT_THREAD_SIZE,
                              DFT_THREAD_SIZE) != 0)
            return NULL;
        *slot = count;
        /*
         * Adds a slot, which any thread may claim. If another thread is faster, this one tries
         * again.
         */
        atomic_compare_exchange_strong(&header->thread_count, &count, count + 1);
        if (claim(dft_spool_thread(spool, *slot)))
            return dft_spool_thread(spool, *slot);
    }
}

struct dft_thread *dft_spool_claim_thread(struct dft_spool *spool, uint32_t *slot)
{
    struct dft_thread *thread = claim_used_slot(spool, slot);

    if (!thread)
        thread = claim_new_slot(spool, slot);
    if (thread)
        thread->pending_commit = 0; /* the value is from the slot's previous thread */
    return thread;
}

void dft_spool_end_thread(struct dft_spool *spool, struct dft_thread *thread)
{
    atomic_fetch_add(&spool->header->ended_threads, 1);
    atomic_store_explicit(&thread->state, DFT_THREAD_ENDED, memory_order_release);
}

void dft_spool_free_thread(struct dft_spool *spool, struct dft_thread *thread)
{
    atomic_store_explicit(&thread->state, DFT_THREAD_FREE, memory_order_release);
    atomic_fetch_sub(&spool->header->ended_threads, 1);
}
