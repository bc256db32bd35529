/*
 * What calls record besides their time: samples, allocation counts and values.
 *
 * Runs in traced threads, in both hooks of functions that are flagged for it, with signals
 * unblocked: the calls of a signal handler have frames of their own, and thus details of their own.
 * Keeps errno.
 */
#include "runtime/detail/detail.h"
#include "runtime/base/options.h"
#include "runtime/detail/argument_values.h"
#include "runtime/events/named_events.h"
#include "runtime/events/open_regions.h"

#include <sys/mman.h>

#define DETAILS_SIZE (DFT_THREAD_FRAMES * sizeof(struct dft_call_detail))

DFT_TLS struct dft_call_detail *dft_call_details;

void dft_detail_prepare(void)
{
    if (dft_call_details)
        return;
    /*
     * Populated at once: otherwise the samples of the first calls would include page faults of the
     * runtime.
     */
    void *details = mmap(NULL, DETAILS_SIZE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    dft_call_details = details == MAP_FAILED ? NULL : details;
}

void dft_detail_release(void)
{
    struct dft_call_detail *details = dft_call_details;

    dft_call_details = NULL;
    if (details)
        munmap(details, DETAILS_SIZE);
    dft_argument_values_release();
    dft_open_regions_release();
    dft_named_events_release();
}

void dft_detail_exchange(struct dft_details *other)
{
    struct dft_call_detail *calls = dft_call_details;

    dft_call_details = other->calls;
    other->calls = calls;
    dft_argument_values_exchange(&other->values);
    dft_open_regions_exchange(&other->regions, &other->skipped);
}

/* Whether the user wants allocations counted and the library that counts them is loaded. */
static bool counts_heap(void)
{
    return dft_options.sample == DFT_SAMPLING_ALLOC && __dftrace_heap;
}

void dft_detail_begin(const struct dftrace_site *site, const struct dft_thread *self,
                      struct dft_call_detail *detail)
{
    detail->tid = self->tid;
    detail->thread = &dft_self;
    if (!(site->flags & DFTRACE_SITE_SAMPLE))
        return;
    if (counts_heap())
        __dftrace_heap(&detail->heap);
    dft_samples_begin(&detail->reading);
}

void dft_detail_end(const struct dftrace_site *site, const struct dft_thread *self,
                    const struct dft_call_detail *detail, struct dft_attachments *all)
{
    struct dft_sample_reading reading;
    struct dft_sample sample;

    if (site->flags & DFTRACE_SITE_ARGS &&
        !(site->flags & DFT_SITE_VALUES_ELSEWHERE)) /* valid in a forked child, too */
        dft_argument_values_end(self, &self->frames[detail - dft_call_details], all);
    if (detail->tid != self->tid || detail->thread != &dft_self ||
        !(site->flags & DFTRACE_SITE_SAMPLE))
        return;
    dft_samples_end(&reading);
    dft_samples_compare(&detail->reading, &reading, &sample);
    dft_attachments_add(all, DFT_ATTACHMENT_SAMPLE, &sample, sizeof sample);
    if (counts_heap()) {
        struct dft_heap now;
        __dftrace_heap(&now);
        struct dft_heap_sample heap = {now.bytes - detail->heap.bytes,
                                       now.count - detail->heap.count};
        dft_attachments_add(all, DFT_ATTACHMENT_HEAP, &heap, sizeof heap);
    }
}
