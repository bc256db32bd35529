/*
 * What calls record beside their time.
 *
 * Runs in traced threads, in both hooks of functions that have a flag for it, with signals open: a
 * handler's calls have frames of their own, and with them notes of their own. Keeps errno.
 */
#include "runtime/attached.h"
#include "runtime/values.h"

#include <sys/mman.h>

#define NOTES_SIZE (DFT_THREAD_FRAMES * sizeof(struct dft_note))

DFT_TLS struct dft_note *dft_notes;

void dft_attached_prepare(void)
{
    if (dft_notes)
        return;
    void *notes =
        mmap(NULL, NOTES_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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

void dft_attached_begin(const struct dftrace_site *site, const struct dft_thread *self,
                        struct dft_note *note)
{
    (void)site;
    note->tid = self->tid;
}

void dft_attached_end(const struct dftrace_site *site, const struct dft_thread *self,
                      const struct dft_note *note, struct dft_attachments *all)
{
    if (site->flags & DFTRACE_SITE_ARGS)
        dft_values_end(self, &self->frames[note - dft_notes], all);
    if (note->tid != self->tid)
        return;
}
