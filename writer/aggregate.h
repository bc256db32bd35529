/*
 * Calls without an event of their own, aggregated by function and interval. Each batch has a table
 * of its own, so each gzip member depends on one batch only.
 */
#ifndef DFT_WRITER_AGGREGATE_H
#define DFT_WRITER_AGGREGATE_H

#include "spool/spool.h"
#include "writer/encode/encoder.h"

struct dft_aggregates {
    struct dft_buffer entries; /* struct dft_aggregate */
    struct dft_buffer slots;   /* uint32_t: index + 1 of an entry, by hash; 2^n of them */
    uint64_t calls;            /* in all entries */
    uint32_t last;             /* index of the entry that a call was last added to */
};

/* Decides which calls are aggregated. Must be read again for each chunk. */
struct dft_aggregation {
    const struct dft_spool *spool;
    bool is_wanted; /* false: nothing is aggregated */
    bool all;
    bool by_site;
    uint64_t min_duration_ns;
    uint64_t interval_ns; /* 0: the whole trace is one interval */
};

struct dft_aggregation dft_aggregation_of(const struct dft_spool *spool);

/*
 * Whether a call of this site is aggregated however long it is: because all calls of the function
 * are, or because the function was throttled before the call began.
 */
bool dft_aggregation_takes_site(const struct dft_aggregation *aggregation, uint32_t site,
                                uint64_t start);

/* `start` in ticks. */
static inline bool dft_aggregation_takes(const struct dft_aggregation *aggregation, uint32_t site,
                                         uint64_t start, uint64_t duration_ns)
{
    return aggregation->all || duration_ns < aggregation->min_duration_ns ||
           (aggregation->by_site && dft_aggregation_takes_site(aggregation, site, start));
}

/* A call to be aggregated. */
struct dft_added_call {
    uint32_t site;
    uint64_t start_ns;
    uint64_t duration_ns; /* without the runtime's own work */
    int64_t self_ns;
    bool self_estimated;
};

/* False if memory is exhausted: then the call gets an event of its own. */
bool dft_aggregates_add(struct dft_aggregates *all, const struct dft_aggregation *aggregation,
                        const struct dft_added_call *call);

static inline size_t dft_aggregates_count(const struct dft_aggregates *all)
{
    return all->entries.used / sizeof(struct dft_aggregate);
}

static inline const struct dft_aggregate *dft_aggregates_entries(const struct dft_aggregates *all)
{
    return (const struct dft_aggregate *)all->entries.data;
}

void dft_aggregates_clear(struct dft_aggregates *all);
void dft_aggregates_release(struct dft_aggregates *all);

#endif
