/*
 * What calls record beside their time.
 *
 * Runs in traced threads, in both hooks of functions that have a flag for it, with signals open: a
 * handler's calls have frames of their own, and with them notes of their own. Keeps errno.
 */
#include "runtime/detail/detail.h"
#include "runtime/base/options.h"
#include "runtime/detail/argument_values.h"

#include <sys/mman.h>

#define NOTES_SIZE (DFT_THREAD_FRAMES * sizeof(struct dft_call_detail))

DFT_TLS struct dft_call_detail *dft_call_details;

void dft_detail_prepare(void)
{
    if (dft_call_details)
        return;
    /* Populated, or the first calls would count page faults that are ours. */
    void *notes = mmap(NULL, NOTES_SIZE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    dft_call_details = notes == MAP_FAILED ? NULL : notes;
}

void dft_detail_release(void)
{
    struct dft_call_detail *notes = dft_call_details;

    dft_call_details = NULL;
    if (notes)
        munmap(notes, NOTES_SIZE);
    dft_argument_values_release();
}

/* Where the library that counts was not loaded, there is nothing to ask. */
static bool counts_heap(void)
{
    return dft_options.sample == DFT_SAMPLING_ALLOC && __dftrace_heap;
}

void dft_detail_begin(const struct dftrace_site *site, const struct dft_thread *self,
                      struct dft_call_detail *note)
{
    note->tid = self->tid;
    if (!(site->flags & DFTRACE_SITE_SAMPLE))
        return;
    if (counts_heap())
        __dftrace_heap(&note->heap);
    dft_samples_begin(&note->reading);
}

void dft_detail_end(const struct dftrace_site *site, const struct dft_thread *self,
                    const struct dft_call_detail *note, struct dft_attachments *all)
{
    struct dft_sample_reading reading;
    struct dft_sample sample;

    if (site->flags & DFTRACE_SITE_ARGS) /* good in the child of a fork, too */
        dft_argument_values_end(self, &self->frames[note - dft_call_details], all);
    if (note->tid != self->tid || !(site->flags & DFTRACE_SITE_SAMPLE))
        return;
    dft_samples_end(&reading);
    dft_samples_compare(&note->reading, &reading, &sample);
    dft_attachments_add(all, DFT_ATTACHMENT_SAMPLE, &sample, sizeof sample);
    if (counts_heap()) {
        struct dft_heap now;
        __dftrace_heap(&now);
        struct dft_heap_sample heap = {now.bytes - note->heap.bytes, now.count - note->heap.count};
        dft_attachments_add(all, DFT_ATTACHMENT_HEAP, &heap, sizeof heap);
    }
}
