/*
 * Attachments: what a call records besides its time. Collects attachments, and copies them into and
 * out of the units of a record. Pure functions; any thread, signal handlers included.
 */
#ifndef DFT_SPOOL_ATTACHMENTS_H
#define DFT_SPOOL_ATTACHMENTS_H

#include "spool/spool.h"

#include <string.h>

/* The attachments of one call, one after the other as in format.h. Initially `used` is 0. */
struct dft_attachments {
    uint32_t used;
    _Alignas(8) unsigned char bytes[DFT_ATTACHMENTS_MAX];
};

/* The same bytes wherever they are. */
struct dft_record_bytes {
    const unsigned char *bytes;
    uint32_t used;
};

/* How many units a record with these attachments has, including the first. */
static inline uint32_t dft_record_units(struct dft_record_bytes all)
{
    return 2 + (all.used + DFT_MORE_SIZE - 1) / DFT_MORE_SIZE;
}

/*
 * Fills a record whose units are all zero, except for the `duration` of its first unit, which is the
 * caller's. The kind is stored last and makes the record valid.
 */
static inline void dft_attachments_fill(struct dft_record *record, enum dft_record_kind kind,
                                        struct dft_record_bytes all, uint32_t site, uint64_t start,
                                        uint64_t duration)
{
    struct dft_record_more *more = (struct dft_record_more *)(record + 2);
    struct dft_record_long *second = (struct dft_record_long *)(record + 1);
    uint32_t done = 0;

    for (; all.used - done >= DFT_MORE_SIZE; done += DFT_MORE_SIZE, more++)
        memcpy(more->bytes, all.bytes + done, DFT_MORE_SIZE);
    if (done < all.used)
        memcpy(more->bytes, all.bytes + done, all.used - done);
    second->duration = duration;
    second->site = site;
    record->start = start;
    __atomic_store_n(&record->site, DFT_RECORD_MAKE(kind, dft_record_units(all) - 1),
                     __ATOMIC_RELEASE);
}

/* False if there is no room for the attachment. */
bool dft_attachments_add(struct dft_attachments *all, enum dft_attachment_kind kind,
                         const void *bytes, size_t length);

/* How many units a record with these attachments has, including the first. */
uint32_t dft_attachments_units(const struct dft_attachments *all);

/*
 * Fills a record whose units are all zero. The kind is stored last and makes the record valid.
 * `kind` must have the layout of DFT_RECORD_ATTACHED.
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
 * Copies the attachments out of a record that dft_spool_read_record has read: DFT_MORE_SIZE bytes
 * from each of `view->attached` units.
 */
void dft_attachments_copy(const struct dft_record *record, const struct dft_record_view *view,
                          void *to);

/* One attachment in such a copy, which may be damaged. */
struct dft_attachment_view {
    uint32_t kind;
    uint32_t length;
    const unsigned char *bytes;
};

/* Reads the attachment at `*at` and advances `*at`. False at the end, or if the data is damaged. */
bool dft_attachments_next(const unsigned char **at, const unsigned char *end,
                          struct dft_attachment_view *view);

#endif
