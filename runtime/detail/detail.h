/* Calls that record more than their time: what is read when they begin and when they end. */
#ifndef DFT_RUNTIME_DETAIL_DETAIL_H
#define DFT_RUNTIME_DETAIL_DETAIL_H

#include "dftrace/abi.h"
#include "runtime/detail/allocation_counts.h"
#include "runtime/detail/samples.h"
#include "runtime/session/thread.h"
#include "spool/attachments.h"

/*
 * Set in the token of a call that records more than its time. No start time has this bit, so the
 * hot path never mistakes such a token for a start.
 */
#define DFT_TOKEN_ATTACHED (UINT64_C(1) << 63)

/*
 * The values of regions, and of calls of guests, are kept elsewhere (events/open_regions.h): they
 * may come at any time.
 */
#define DFT_SITE_VALUES_ELSEWHERE (DFTRACE_SITE_EVENT | DFTRACE_SITE_GUEST)

static inline bool dft_site_is_attached(const struct dftrace_site *site)
{
    unsigned kept =
        site->flags & DFT_SITE_VALUES_ELSEWHERE ? DFTRACE_SITE_SAMPLE : DFTRACE_SITE_ATTACHED;

    return (site->flags & kept) != 0;
}

/*
 * A site's number; 0 before its first call. The hot path handles only sites whose `id` is positive
 * as a signed integer. Sites that are throttled, or whose calls have attachments, keep their number
 * in `own_id`.
 */
static inline uint32_t dft_site_number(const struct dftrace_site *site)
{
    uint32_t id = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);
    bool elsewhere = dft_site_is_attached(site) || id & DFTRACE_SITE_THROTTLED;

    return elsewhere ? __atomic_load_n(&site->own_id, __ATOMIC_RELAXED) : id;
}

/* What is kept for an open call until it ends. */
struct dft_call_detail {
    int32_t tid;        /* of the slot; a forked child cannot use the parent's readings */
    const void *thread; /* that wrote this: a fiber may end its calls in another one */
    struct dft_sample_reading reading;
    struct dft_heap heap;
};

/* One for each frame of this thread; NULL before its first call with attachments. */
extern DFT_TLS struct dft_call_detail *dft_call_details;

/* Allocates dft_call_details; inside a guard. If that fails, calls have no attachments. */
void dft_detail_prepare(void);

/* Called when the thread ends. */
void dft_detail_release(void);

/* What is kept for the frames of a slot. */
struct dft_details {
    struct dft_call_detail *calls;
    void *values;
    struct dft_open_region *regions;
    uint32_t skipped;
};

/* Exchanges what is kept for this thread's slot, because the thread goes on with another one. */
void dft_detail_exchange(struct dft_details *other);

/* Called before the call's start time is read. */
void dft_detail_begin(const struct dftrace_site *site, const struct dft_thread *self,
                      struct dft_call_detail *detail);

/* Called after the call's end time was read; adds to `all`. */
void dft_detail_end(const struct dftrace_site *site, const struct dft_thread *self,
                    const struct dft_call_detail *detail, struct dft_attachments *all);

#endif
