/*
 * Attachments: see attachments.h. Recording runs in traced threads while signals are unblocked, so a
 * record is filled from its end to its beginning.
 */
#include "spool/attachments.h"

static uint32_t padded(uint32_t length)
{
    return (length + 3) & ~3u;
}

bool dft_attachments_add(struct dft_attachments *all, enum dft_attachment_kind kind,
                         const void *bytes, size_t length)
{
    struct dft_attachment head = {.kind = (uint16_t)kind, .length = (uint16_t)length};

    if (length > sizeof all->bytes - sizeof head ||
        all->used + sizeof head + padded((uint32_t)length) > sizeof all->bytes)
        return false;
    unsigned char *at = all->bytes + all->used;
    uint32_t padding = padded((uint32_t)length) - (uint32_t)length;
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, bytes, length);
    memset(at + sizeof head + length, 0, padding);
    all->used += (uint32_t)sizeof head + (uint32_t)length + padding;
    return true;
}

uint32_t dft_attachments_units(const struct dft_attachments *all)
{
    return 2 + (all->used + DFT_MORE_SIZE - 1) / DFT_MORE_SIZE;
}

void dft_attachments_record_as(struct dft_record *record, enum dft_record_kind kind,
                               const struct dft_attachments *all, uint32_t site, uint64_t start,
                               uint64_t duration)
{
    uint32_t units = dft_attachments_units(all);
    struct dft_record_more *more = (struct dft_record_more *)(record + 2);
    struct dft_record_long *second = (struct dft_record_long *)(record + 1);

    for (uint32_t done = 0; done < all->used; done += DFT_MORE_SIZE, more++) {
        uint32_t left = all->used - done;
        memcpy(more->bytes, all->bytes + done, left < DFT_MORE_SIZE ? left : DFT_MORE_SIZE);
    }
    second->duration = duration;
    second->site = site;
    record->start = start;
    __atomic_store_n(&record->site, DFT_RECORD_MAKE(kind, units - 1), __ATOMIC_RELEASE);
}

void dft_attachments_copy(const struct dft_record *record, const struct dft_record_view *view,
                          void *to)
{
    const struct dft_record_more *more =
        (const struct dft_record_more *)(record + view->units - view->attached);

    for (uint32_t i = 0; i < view->attached; i++)
        memcpy((unsigned char *)to + (size_t)i * DFT_MORE_SIZE, more[i].bytes, DFT_MORE_SIZE);
}

bool dft_attachments_next(const unsigned char **at, const unsigned char *end,
                          struct dft_attachment_view *view)
{
    struct dft_attachment head;

    if (end - *at < (ptrdiff_t)sizeof head)
        return false;
    memcpy(&head, *at, sizeof head);
    if (head.kind == 0 || end - *at < (ptrdiff_t)(sizeof head + padded(head.length)))
        return false;
    *view = (struct dft_attachment_view){head.kind, head.length, *at + sizeof head};
    *at += sizeof head + padded(head.length);
    return true;
}
