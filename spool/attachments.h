/*
 * Attachments: what an event records besides its time. Collects them and moves them into and out of
 * the units of a record. Pure functions; any thread, signal handlers included.
 */
#ifndef DFT_SPOOL_ATTACHMENTS_H
#define DFT_SPOOL_ATTACHMENTS_H

#include "spool/spool.h"

#include <string.h>

/* The attachments of one event, in the form of format.h; set `used` to 0 first. */
struct dft_attachments {
    uint32_t used;
    _Alignas(8) unsigned char bytes[DFT_ATTACHMENTS_MAX];
};

/* False where there is no room for it. */
bool dft_attachments_add(struct dft_attachments *all, enum dft_attachment_kind kind,
                         const void *bytes, size_t length);

/* How many units a record with these attachments has, the first one included. */
uint32_t dft_attachments_units(const struct dft_attachments *all);

/*
 * Completes a record in units that are all zero. Its kind is stored last and makes it valid.
 * `kind` is one with the layout of DFT_RECORD_ATTACHED.
 */
void dft_attachments_record_as(struct dft_record *record, enum dft_record_kind kind,
                               const struct dft_attachments *all, uint32_t site, uint64_t start,
                               uint64_t duration);

/* The same for a call. */
static inline void dft_attachments_record(struct dft_record *record,
                                          const struct dft_attachments *all, uint32_t site,
                                          uint64_t start, uint64_t duration)
{
    dft_attachments_record_as(record, DFT_RECORD_ATTACHED, all, site, start, duration);
}

/*
 * Takes the attachments out of a record that dft_spool_read_record has seen: DFT_MORE_SIZE bytes of
 * each of `view->attached` units.
 */
void dft_attachments_copy(const struct dft_record *record, const struct dft_record_view *view,
                          void *to);

/* One attachment in a copy, which may be damaged. */
struct dft_attachment_view {
    uint32_t kind;
    uint32_t length;
    const unsigned char *bytes;
};

/* The next one at `*at`, which moves on; false at the end, or where there cannot be another. */
bool dft_attachments_next(const unsigned char **at, const unsigned char *end,
                          struct dft_attachment_view *view);

#endif
