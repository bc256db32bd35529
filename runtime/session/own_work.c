/*
 * Records the runtime's own work in a traced thread.
 *
 * Runs in traced threads, outside the hot path, with signals blocked. Keeps errno. Records nothing
 * if that would require another wait, or if a call was just dropped.
 */
#include "runtime/session/own_work.h"
#include "runtime/base/clock.h"
#include "runtime/hooks/records.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"

#define LEAST_NS 1000
#define RATE_NS 10000000 /* after this time the counter's rate is known well enough */
#define UNITS_MAX 4      /* two records of durations above 2^32 ticks */

/* This thread's wait that is not recorded yet; `end` 0: none. */
static DFT_TLS struct {
    uint64_t start, end;
} waited;

void dft_own_work_waited(uint64_t start, uint64_t end)
{
    /* Between two waits of one hook there is only the hook's own work: they count as one wait. */
    if (!waited.end)
        waited.start = start;
    waited.end = end;
}

/* LEAST_NS in ticks. */
static uint64_t least_ticks(void)
{
    static _Atomic uint64_t known;
    const struct dft_anchor *first = &dft_session.spool.header->started;
    uint64_t ticks = atomic_load_explicit(&known, memory_order_relaxed);
    struct dft_anchor now;

    if (dft_clock_kind != DFT_CLOCK_COUNTER)
        return LEAST_NS;
    if (ticks)
        return ticks;
    dft_spool_take_anchor(dft_clock_kind, &now);
    uint64_t elapsed_ns = now.monotonic_ns - first->monotonic_ns;
    if (!elapsed_ns)
        return LEAST_NS;
    ticks = (uint64_t)((unsigned __int128)(now.ticks - first->ticks) * LEAST_NS / elapsed_ns) + 1;
    if (elapsed_ns >= RATE_NS)
        atomic_store_explicit(&known, ticks, memory_order_relaxed);
    return ticks;
}

static void append(struct dft_thread *self, enum dft_own_site kind, uint64_t start, uint64_t end)
{
    uint32_t site = dft_session.spool.header->own_sites[kind];

    if (site)
        dft_records_append_call(self, site, start, end);
}

/*
 * When the last recorded call ended; 0: unknown. The runtime's work may include the end of calls:
 * it does when functions are switched on or off, and at a fork. Then only the work after that end
 * is recorded. Otherwise its record would begin inside the ended calls, which come before it.
 */
static uint64_t last_end(const struct dft_thread *self)
{
    const struct dft_record *last = self->next - 1;
    bool is_plain = self->first && last >= self->first && last < self->end && last->site &&
                    !(last->site & DFT_RECORD_EXTENDED);

    return is_plain ? last->start + last->duration : 0;
}

void dft_own_work_end(struct dft_thread *self, uint64_t since)
{
    if (!self) { /* otherwise this wait would be merged with the next one */
        waited.end = 0;
        return;
    }
    uint64_t now = dft_clock_now(), ended = last_end(self);
    if (since < ended)
        since = ended < now ? ended : now;
    /*
     * If no call is open, there is no call to subtract the work from. The same is true in a signal
     * handler that has interrupted an exit hook: the innermost frame refers to a record. Waits are
     * recorded in any case.
     */
    bool has_open = self->top > self->frames + 1 && self->top[-1].record == 0;
    bool is_long = has_open && now - since >= least_ticks();
    bool has_room = self->end - self->next >= UNITS_MAX;
    if ((is_long || waited.end) && !has_room && !self->stuck) {
        has_room = dft_records_make_room(self);
        now = dft_clock_now();
    }
    if (waited.end && has_room)
        append(self, DFT_OWN_WAIT, waited.start, waited.end);
    if (is_long && has_room)
        append(self, DFT_OWN_WORK, since, now);
    waited.end = 0;
}
