/*
 * Works out which calls of one thread are nested in which, from calls in the order in which they
 * end. This gives the self times of aggregated calls, and the time of aggregated calls inside calls
 * that have an event. Only used if calls are aggregated. Runs in the writer's own thread.
 *
 * The list contains the ended calls whose caller has not ended, sorted by start. When a call ends,
 * all entries that began after its start are its children: its own entry replaces them. At the
 * beginning of each chunk, the thread has written the starts of its open calls (DFT_RECORD_OPEN).
 * Entries that began between two of these starts have the same caller and are merged. So there are
 * never more entries than records in a chunk plus frames of a thread.
 */
#ifndef DFT_WRITER_NESTING_H
#define DFT_WRITER_NESTING_H

#include "spool/format.h"
#include "writer/buffer.h"

/* A call that has ended, or several with the same caller. All times in ns. */
struct dft_nest_entry {
    uint64_t start, end; /* start of the first call, end of the last */
    uint64_t length;     /* sum of the durations */
    uint64_t pause;      /* part of `length`: own work and waits */
    uint64_t added;      /* part of `length`: self time of calls without an event */
    int64_t untimed;     /* not in `length`: estimated time of calls that were only counted */
};

struct dft_nest {
    struct dft_buffer list; /* struct dft_nest_entry */
};

/* Reserves room for this many more calls; false if memory is exhausted. */
bool dft_nest_reserve(struct dft_nest *nest, size_t calls);

/* The rare case of dft_nest_end: the last call in the list ended after this one. */
struct dft_nest_entry *dft_nest_insert(struct dft_nest *nest, uint64_t start, uint64_t end,
                                       struct dft_nest_entry *inside);

static inline void dft_nest_add(struct dft_nest_entry *to, const struct dft_nest_entry *entry)
{
    to->length += entry->length;
    to->pause += entry->pause;
    to->added += entry->added;
    to->untimed += entry->untimed;
}

/*
 * Called when a call ends; room for its entry is reserved. Adds up the calls inside it in `inside`.
 * Returns the entry. Its times and length are set; the code that asked for it fills in the rest.
 */
static inline struct dft_nest_entry *dft_nest_end(struct dft_nest *nest, uint64_t start,
                                                  uint64_t end, struct dft_nest_entry *inside)
{
    struct dft_nest_entry *first = (struct dft_nest_entry *)nest->list.data;
    struct dft_nest_entry *at = (struct dft_nest_entry *)(nest->list.data + nest->list.used);

    *inside = (struct dft_nest_entry){0};
    if (__builtin_expect(at > first && at[-1].end > end, 0))
        return dft_nest_insert(nest, start, end, inside);
    while (at > first && at[-1].start >= start)
        dft_nest_add(inside, --at);
    *at = (struct dft_nest_entry){.start = start, .end = end, .length = end - start};
    nest->list.used = (size_t)((char *)(at + 1) - nest->list.data);
    return at;
}

/*
 * Merges entries with the same caller. `starts` are those of all `count` open calls, in ascending
 * order.
 */
void dft_nest_merge(struct dft_nest *nest, const uint64_t *starts, size_t count);

/* Copies the nests of all slots and replaces those in `to`; false if memory is exhausted. */
bool dft_nests_copy(struct dft_buffer *to, const struct dft_buffer *from);
void dft_nests_release(struct dft_buffer *nests);

#endif
