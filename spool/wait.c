/*
 * Waiting between processes: the writer waits for work, traced threads wait for free chunks.
 *
 * Runs in traced threads and in the writer. No heap, no output.
 */
#include "os/futex.h"
#include "spool/spool.h"

void dft_spool_wake(struct dft_spool *spool)
{
    struct dft_spool_header *header = spool->header;

    atomic_fetch_add(&header->wake, 1);
    if (atomic_load(&header->asleep))
        dft_futex_wake(&header->wake, DFT_FUTEX_SHARED);
}

void dft_spool_wait(struct dft_spool *spool, uint32_t seen, unsigned timeout_ms)
{
    struct dft_spool_header *header = spool->header;

    atomic_store(&header->asleep, 1);
    if (atomic_load(&header->wake) == seen)
        dft_futex_wait(&header->wake, seen, timeout_ms * UINT64_C(1000000), DFT_FUTEX_SHARED);
    atomic_store(&header->asleep, 0);
}

void dft_spool_wake_waiting(struct dft_spool *spool)
{
    struct dft_spool_header *header = spool->header;

    atomic_fetch_add(&header->freed, 1);
    if (atomic_load(&header->waiting))
        dft_futex_wake(&header->freed, DFT_FUTEX_SHARED);
}

void dft_spool_wait_freed(struct dft_spool *spool, uint32_t seen, unsigned timeout_us)
{
    dft_futex_wait(&spool->header->freed, seen, timeout_us * UINT64_C(1000), DFT_FUTEX_SHARED);
}
