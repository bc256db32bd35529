/*
 * The last phase: sorts the paths by traffic and prints the busiest. The sort is a plain recursive
 * merge sort, so that its recursion shows in the timeline.
 */
#include "logstat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 5 };

static bool comes_first(const struct entry *a, const struct entry *b)
{
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes;
    return strcmp(a->path, b->path) < 0;
}

static void merge_halves(struct entry *entries, size_t half, size_t count, struct entry *scratch)
{
    size_t left = 0;
    size_t right = half;

    for (size_t i = 0; i < count; i++) {
        bool take_left =
            right == count || (left < half && comes_first(&entries[left], &entries[right]));
        scratch[i] = take_left ? entries[left++] : entries[right++];
    }
    memcpy(entries, scratch, count * sizeof(*entries));
}

static void sort_entries(struct entry *entries, size_t count, struct entry *scratch)
{
    if (count < 2)
        return;
    size_t half = count / 2;
    sort_entries(entries, half, scratch);
    sort_entries(entries + half, count - half, scratch);
    merge_halves(entries, half, count, scratch);
}

static void print_entry(const struct entry *entry)
{
    printf("%-20s %8" PRIu64 " %8" PRIu64 " %12" PRIu64 " %8.1f\n", entry->path, entry->requests,
           entry->errors, entry->bytes, entry->slowest / 1000.0);
}

bool print_summary(const struct table *table)
{
    struct entry *entries = malloc(2 * table->used * sizeof(*entries));
    size_t count = 0;

    if (entries == NULL)
        return false;
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->entries[i].requests != 0)
            entries[count++] = table->entries[i];
    }
    sort_entries(entries, count, entries + count);
    printf("%-20s %8s %8s %12s %8s\n", "path", "requests", "errors", "bytes", "max ms");
    for (size_t i = 0; i < count && i < SHOWN; i++)
        print_entry(&entries[i]);
    free(entries);
    return true;
}
