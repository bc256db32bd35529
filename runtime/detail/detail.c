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

#define NOTES_SIZE (DFT_THREAD_FRAMES * sizeof(struct dft_note))

DFT_TLS struct dft_note *dft_notes;

void dft_attached_prepare(void)
{
    if (dft_notes)
        return;
    /* Populated, or the first calls would count page faults that are ours. */
    void *notes = mmap(NULL, NOTES_SIZE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    dft_notes = notes == MAP_FAILED ? NULL : notes;
}

void dft_attached_release(void)
{
    struct dft_note *notes = dft_notes;

    dft_notes = NULL;
    if (notes)
        munmap(notes, NOTES_SIZE);
    dft_values_release();
}

/* Where the library that counts was not loaded, there is nothing to ask. */
static bool counts_heap(void)
{
    return dft_options.sample == DFT_SAMPLING_ALLOC && __dftrace_heap;
}

void dft_attached_begin(const struct dftrace_site *site, const struct dft_thread *self,
                        struct dft_note *note)
{
    note->tid = self->tid;
    if (!(site->flags & DFTRACE_SITE_SAMPLE))
        return;
    if (counts_heap())
        __dftrace_heap(&note->heap);
    dft_gauge_begin(&note->gauge);
}

void dft_attached_end(const struct dftrace_site *site, const struct dft_thread *self,
                      const struct dft_note *note, struct dft_attachments *all)
{
    struct dft_gauge gauge;
    struct dft_sample sample;

    if (site->flags & DFTRACE_SITE_ARGS) /* good in the child of a fork, too */
        dft_values_end(self, &self->frames[note - dft_notes], all);
    if (note->tid != self->tid || !(site->flags & DFTRACE_SITE_SAMPLE))
        return;
    dft_gauge_end(&gauge);
    dft_gauge_compare(&note->gauge, &gauge, &sample);
    dft_attachments_add(all, DFT_ATTACHMENT_SAMPLE, &sample, sizeof sample);
    if (counts_heap()) {
        struct dft_heap now;
        __dftrace_heap(&now);
        struct dft_heap_sample heap = {now.bytes - note->heap.bytes, now.count - note->heap.count};
        dft_attachments_add(all, DFT_ATTACHMENT_HEAP, &heap, sizeof heap);
    }
}
