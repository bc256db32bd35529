/*
 * Calls that record more than their time: what is noted when they begin, and what is made of it
 * when they end.
 */
#ifndef DFT_RUNTIME_DETAIL_DETAIL_H
#define DFT_RUNTIME_DETAIL_DETAIL_H

#include "dftrace/abi.h"
#include "runtime/detail/allocation_counts.h"
#include "runtime/detail/samples.h"
#include "runtime/session/thread.h"
#include "spool/attachments.h"

/* In the token of such a call: no start has it, so the hot path never takes it for one. */
#define DFT_TOKEN_ATTACHED (UINT64_C(1) << 63)

static inline bool dft_site_is_attached(const struct dftrace_site *site)
{
    return (site->flags & DFTRACE_SITE_ATTACHED) != 0;
}

/*
 * The number of a site, 0 before its first call. The hot path knows only sites with an `id`: where
 * calls have attachments or are counted, the number stands elsewhere.
 */
static inline uint32_t dft_site_number(const struct dftrace_site *site)
{
    uint32_t id = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);
    bool elsewhere = dft_site_is_attached(site) || id & DFTRACE_SITE_THROTTLED;

    return elsewhere ? __atomic_load_n(&site->own_id, __ATOMIC_RELAXED) : id;
}

/* What is known of an open call until it ends. */
struct dft_call_detail {
    int32_t tid; /* in the child of a fork, what the parent has noted is good for nothing */
    struct dft_sample_reading reading;
    struct dft_heap heap;
};

/* One note for each frame of this thread; NULL before its first such call. */
extern DFT_TLS struct dft_call_detail *dft_call_details;

/* Makes room for them; below a guard. Without it calls have no attachments. */
void dft_detail_prepare(void);

/* The thread ends. */
void dft_detail_release(void);

/* Before the call's start is taken. */
void dft_detail_begin(const struct dftrace_site *site, const struct dft_thread *self,
                      struct dft_call_detail *note);

/* After its end was taken; adds to `all`. */
void dft_detail_end(const struct dftrace_site *site, const struct dft_thread *self,
                    const struct dft_call_detail *note, struct dft_attachments *all);

#endif
