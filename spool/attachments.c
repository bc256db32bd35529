/*
 * Attachments of calls: see attachments.h. Recording runs in traced threads with signals unblocked,
 * so the first unit of a record, which makes the record valid, is filled last.
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
    return dft_record_units((struct dft_record_bytes){all->bytes, all->used});
}

void dft_attachments_record_as(struct dft_record *record, enum dft_record_kind kind,
                               const struct dft_attachments *all, uint32_t site, uint64_t start,
                               uint64_t duration)
{
    struct dft_record_bytes bytes = {all->bytes, all->used};

    dft_attachments_fill(record, kind, bytes, site, start, duration);
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
