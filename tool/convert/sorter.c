/*
 * An external merge sort. The parts are merged all at once: a heap finds the part with the smallest
 * record, and each part has a small buffer.
 */
#include "tool/convert/sorter.h"

#include "tool/base/tool.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_RECORDS ((size_t)512)
#define FIRST_RECORDS ((size_t)1024)

/* A sorted part of the temporary file, or what is left of it. */
struct part {
    uint64_t at; /* records before it in the file */
    uint64_t left;
    char *buffer;
    size_t buffered;
    size_t used;
};

struct dft_sorter {
    size_t size;
    size_t room;      /* records in a part */
    size_t allocated; /* of them, those that there is memory for */
    dft_sorter_compare *compare;
    char *records;
    size_t count;
    size_t next; /* record to return, if everything is in memory */
    FILE *file;  /* NULL: everything is in memory */
    uint64_t written;
    struct part *parts;
    size_t part_count;
    size_t part_room;
    uint32_t *heap; /* numbers of parts */
    size_t heap_count;
    bool is_taken; /* the first record of the heap was returned */
    bool has_failed;
};

struct dft_sorter *dft_sorter_new(size_t size, size_t memory, dft_sorter_compare *compare)
{
    struct dft_sorter *sorter = dft_tool_zeroed(1, sizeof *sorter);

    sorter->size = size;
    sorter->compare = compare;
    sorter->room = memory / size > 2 ? memory / size : 2;
    return sorter;
}

/* --- parts --- */

static bool write_part(struct dft_sorter *sorter)
{
    if (sorter->count == 0)
        return true;
    if (!sorter->file && !(sorter->file = tmpfile()))
        return false;
    qsort(sorter->records, sorter->count, sorter->size, sorter->compare);
    if (fwrite(sorter->records, sorter->size, sorter->count, sorter->file) != sorter->count)
        return false;
    sorter->parts =
        dft_tool_grow(sorter->parts, sorter->part_count, &sorter->part_room, sizeof *sorter->parts);
    sorter->parts[sorter->part_count++] =
        (struct part){.at = sorter->written, .left = sorter->count};
    sorter->written += sorter->count;
    sorter->count = 0;
    return true;
}

bool dft_sorter_add(struct dft_sorter *sorter, const void *record)
{
    if (sorter->count == sorter->room && !write_part(sorter))
        return false;
    if (sorter->count == sorter->allocated) {
        size_t wanted = sorter->allocated ? sorter->allocated * 2 : FIRST_RECORDS;

        sorter->allocated = wanted < sorter->room ? wanted : sorter->room;
        sorter->records = dft_tool_resize(sorter->records, sorter->allocated, sorter->size);
    }
    memcpy(sorter->records + sorter->count++ * sorter->size, record, sorter->size);
    return true;
}

/* --- merging --- */

static const char *first_of(const struct dft_sorter *sorter, uint32_t number)
{
    const struct part *part = &sorter->parts[number];

    return part->buffer + part->used * sorter->size;
}

/* Fills the buffer of a part. False if the part is used up. */
static bool fill(struct dft_sorter *sorter, struct part *part)
{
    size_t wanted = part->left < BUFFER_RECORDS ? (size_t)part->left : BUFFER_RECORDS;
    size_t bytes = wanted * sorter->size;
    size_t done = 0;

    if (!part->buffer)
        part->buffer = dft_tool_resize(NULL, BUFFER_RECORDS, sorter->size);
    while (done < bytes) {
        ssize_t got = pread(fileno(sorter->file), part->buffer + done, bytes - done,
                            (off_t)(part->at * sorter->size + done));

        if (got <= 0) {
            sorter->has_failed = true;
            return false;
        }
        done += (size_t)got;
    }
    part->at += wanted;
    part->left -= wanted;
    part->buffered = wanted;
    part->used = 0;
    return wanted > 0;
}

static bool is_before(const struct dft_sorter *sorter, uint32_t left, uint32_t right)
{
    return sorter->compare(first_of(sorter, left), first_of(sorter, right)) < 0;
}

static void sift_down(struct dft_sorter *sorter, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= sorter->heap_count)
            return;
        if (child + 1 < sorter->heap_count &&
            is_before(sorter, sorter->heap[child + 1], sorter->heap[child]))
            child++;
        if (!is_before(sorter, sorter->heap[child], sorter->heap[at]))
            return;
        uint32_t number = sorter->heap[at];
        sorter->heap[at] = sorter->heap[child];
        sorter->heap[child] = number;
        at = child;
    }
}

bool dft_sorter_finish(struct dft_sorter *sorter)
{
    if (!sorter->file) {
        if (sorter->count > 0)
            qsort(sorter->records, sorter->count, sorter->size, sorter->compare);
        return true;
    }
    if (!write_part(sorter) || fflush(sorter->file) != 0)
        return false;
    free(sorter->records);
    sorter->records = NULL;
    sorter->heap = dft_tool_zeroed(sorter->part_count, sizeof *sorter->heap);
    for (size_t i = 0; i < sorter->part_count; i++) {
        if (!fill(sorter, &sorter->parts[i]))
            return false;
        sorter->heap[sorter->heap_count++] = (uint32_t)i;
    }
    for (size_t i = sorter->heap_count / 2; i > 0; i--)
        sift_down(sorter, i - 1);
    return true;
}

/* Removes the first record of the heap, which was returned. */
static void drop_first(struct dft_sorter *sorter)
{
    struct part *part = &sorter->parts[sorter->heap[0]];

    if (++part->used == part->buffered && !fill(sorter, part))
        sorter->heap[0] = sorter->heap[--sorter->heap_count];
    sift_down(sorter, 0);
}

const void *dft_sorter_next(struct dft_sorter *sorter)
{
    if (!sorter->file)
        return sorter->next < sorter->count ? sorter->records + sorter->next++ * sorter->size
                                            : NULL;
    if (sorter->is_taken)
        drop_first(sorter);
    sorter->is_taken = sorter->heap_count > 0 && !sorter->has_failed;
    return sorter->is_taken ? first_of(sorter, sorter->heap[0]) : NULL;
}

bool dft_sorter_has_failed(const struct dft_sorter *sorter)
{
    return sorter->has_failed;
}

void dft_sorter_free(struct dft_sorter *sorter)
{
    for (size_t i = 0; i < sorter->part_count; i++)
        free(sorter->parts[i].buffer);
    if (sorter->file)
        fclose(sorter->file);
    free(sorter->parts);
    free(sorter->heap);
    free(sorter->records);
    free(sorter);
}
