/*
 * Sites whose calls are counted instead of recorded, and the counts of every thread.
 *
 * The traced thread that finds the budget exceeded adds a site, while holding the site lock, with
 * signals blocked. Hooks add to the counts, each in its own thread. Counts are never reset: a slot
 * that is reused continues with its values. Reading needs no lock.
 */
#include "spool/spool.h"

#include <errno.h>
#include <sched.h>

static struct dft_throttled *table(const struct dft_spool *spool)
{
    return (struct dft_throttled *)((char *)spool->header + spool->header->throttled.offset);
}

uint32_t dft_spool_throttled_sites(const struct dft_spool *spool)
{
    uint32_t count = atomic_load_explicit(&spool->header->throttled_count, memory_order_acquire);

    return count <= DFT_THROTTLED_MAX ? count : 0;
}

struct dft_throttled *dft_spool_throttled(const struct dft_spool *spool, uint32_t index)
{
    return &table(spool)[index];
}

uint32_t dft_spool_find_throttled(const struct dft_spool *spool, uint32_t site)
{
    uint32_t count = dft_spool_throttled_sites(spool);

    for (uint32_t i = 0; i < count; i++)
        if (table(spool)[i].site == site)
            return i;
    return DFT_NOT_THROTTLED;
}

uint32_t dft_spool_throttle_site(struct dft_spool *spool, const struct dft_throttled *throttled)
{
    struct dft_spool_header *header = spool->header;

    while (atomic_exchange_explicit(&header->site_lock, 1, memory_order_acquire))
        sched_yield();
    uint32_t count = atomic_load_explicit(&header->throttled_count, memory_order_relaxed);
    uint32_t index = dft_spool_find_throttled(spool, throttled->site);
    if (index == DFT_NOT_THROTTLED && count < DFT_THROTTLED_MAX &&
        dft_spool_reserve(spool, header->throttled.offset, header->throttled.size) == 0) {
        index = count;
        table(spool)[index] = *throttled;
        table(spool)[index].step = DFT_COUNT_STEP(index);
        atomic_store_explicit(&header->throttled_count, count + 1, memory_order_release);
    }
    atomic_store_explicit(&header->site_lock, 0, memory_order_release);
    if (index != DFT_NOT_THROTTLED)
        dft_spool_style_site(spool, throttled->site, DFT_STYLE_THROTTLED_AS(index), true);
    return index;
}

int dft_spool_copy_throttled(struct dft_spool *spool, const struct dft_spool *from)
{
    uint32_t count = dft_spool_throttled_sites(from);

    for (uint32_t i = 0; i < count; i++) {
        struct dft_throttled copy = table(from)[i];
        copy.since = copy.timed = copy.timed_ns = 0;
        if (dft_spool_throttle_site(spool, &copy) != i)
            return -ENOSPC;
    }
    return 0;
}

uint64_t *dft_spool_counts(const struct dft_spool *spool, uint32_t slot)
{
    return (uint64_t *)((char *)spool->header + spool->header->counts.offset) +
           (uint64_t)slot * DFT_THROTTLED_MAX;
}

uint64_t *dft_spool_reserve_counts(const struct dft_spool *spool, uint32_t slot)
{
    uint64_t size = DFT_THROTTLED_MAX * sizeof(uint64_t);
    uint64_t offset = spool->header->counts.offset + slot * size;

    return dft_spool_reserve(spool, offset, size) == 0 ? dft_spool_counts(spool, slot) : NULL;
}

uint32_t dft_spool_count_step(const struct dft_spool *spool, uint32_t index)
{
    uint32_t step = table(spool)[index].step;

    return step > 0 && step <= DFT_COUNT_STEP(DFT_COUNT_STEPS - 1) ? step : DFT_COUNT_STEP_FIRST;
}

uint64_t dft_spool_untimed_calls(const struct dft_spool *spool, uint32_t index)
{
    uint32_t slots = atomic_load_explicit(&spool->header->thread_count, memory_order_acquire);
    uint32_t step = dft_spool_count_step(spool, index);
    uint64_t calls = 0;

    /*
     * If no thread with this slot had counts, their memory might not be reserved. Reading it would
     * then raise SIGBUS.
     */
    for (uint32_t slot = 0; slot < slots && slot < DFT_THREAD_MAX; slot++)
        if (dft_spool_thread(spool, slot)->counts)
            calls += DFT_COUNT_UNTIMED(
                __atomic_load_n(&dft_spool_counts(spool, slot)[index], __ATOMIC_RELAXED), step);
    return calls;
}
