/*
 * Lists of ended calls: see nesting.h. Runs in the writer's own thread, with memory from the
 * kernel.
 */
#include "writer/nesting.h"

/*
 * Older spools do not list open calls. For them, the oldest half of the entries is merged into one
 * entry when there are this many.
 */
#define ENTRIES_MAX 65536u

static struct dft_nest_entry *entries_of(const struct dft_nest *nest)
{
    return (struct dft_nest_entry *)nest->list.data;
}

static size_t count_of(const struct dft_nest *nest)
{
    return nest->list.used / sizeof(struct dft_nest_entry);
}

static void set_count(struct dft_nest *nest, size_t count)
{
    nest->list.used = count * sizeof(struct dft_nest_entry);
}

static void merge_entry(struct dft_nest_entry *to, const struct dft_nest_entry *entry)
{
    to->end = entry->end;
    dft_nest_add(to, entry);
}

static void merge_oldest(struct dft_nest *nest)
{
    struct dft_nest_entry *entries = entries_of(nest);
    size_t half = ENTRIES_MAX / 2, count = count_of(nest);

    for (size_t i = 1; i < half; i++)
        merge_entry(&entries[0], &entries[i]);
    memmove(entries + 1, entries + half, (count - half) * sizeof *entries);
    set_count(nest, count - half + 1);
}

bool dft_nest_reserve(struct dft_nest *nest, size_t calls)
{
    if (count_of(nest) >= ENTRIES_MAX)
        merge_oldest(nest);
    return dft_buffer_reserve(&nest->list, calls * sizeof(struct dft_nest_entry));
}

/*
 * Entries that began after the end of this call belong to a signal handler that interrupted the
 * call's exit hook. They stay after this call in the list.
 */
struct dft_nest_entry *dft_nest_insert(struct dft_nest *nest, uint64_t start, uint64_t end,
                                       struct dft_nest_entry *inside)
{
    struct dft_nest_entry *entries = entries_of(nest);
    size_t count = count_of(nest), behind = count;

    while (behind > 0 && entries[behind - 1].start >= end && entries[behind - 1].end > end)
        behind--;
    size_t first = behind;
    while (first > 0 && entries[first - 1].start >= start)
        dft_nest_add(inside, &entries[--first]);
    memmove(entries + first + 1, entries + behind, (count - behind) * sizeof *entries);
    entries[first] = (struct dft_nest_entry){.start = start, .end = end, .length = end - start};
    set_count(nest, first + 1 + count - behind);
    return &entries[first];
}

void dft_nest_merge(struct dft_nest *nest, const uint64_t *starts, size_t count)
{
    struct dft_nest_entry *entries = entries_of(nest);
    size_t kept = 0, open = 0, last_open = 0;

    for (size_t i = 0; i < count_of(nest); i++) {
        struct dft_nest_entry entry = entries[i];
        while (open < count && starts[open] <= entry.start)
            open++;
        if (open == 0) /* no open call contains it */
            continue;
        if (kept > 0 && open == last_open)
            merge_entry(&entries[kept - 1], &entry);
        else
            entries[kept++] = entry;
        last_open = open;
    }
    set_count(nest, kept);
}

bool dft_nests_copy(struct dft_buffer *to, const struct dft_buffer *from)
{
    size_t count = from->used / sizeof(struct dft_nest);
    const struct dft_nest *source = (const struct dft_nest *)from->data;

    dft_nests_release(to);
    if (!dft_buffer_reserve(to, from->used))
        return false;
    to->used = from->used; /* fresh pages are zero */
    for (size_t i = 0; i < count; i++) {
        struct dft_nest *nest = &((struct dft_nest *)to->data)[i];
        if (!dft_buffer_reserve(&nest->list, source[i].list.used))
            return false;
        if (source[i].list.used)
            dft_put_bytes(&nest->list, source[i].list.data, source[i].list.used);
    }
    return true;
}

void dft_nests_release(struct dft_buffer *nests)
{
    struct dft_nest *nest = (struct dft_nest *)nests->data;

    for (size_t i = 0; i < nests->used / sizeof *nest; i++)
        dft_buffer_release(&nest[i].list);
    dft_buffer_release(nests);
}
