/*
 * Tables of aggregated calls. The writer's own thread fills them; the thread that encodes the batch
 * reads them.
 */
#include "writer/aggregate.h"

#define SLOTS_AT_FIRST 256u

struct dft_aggregation dft_aggregation_of(const struct dft_spool *spool)
{
    const struct dft_spool_settings *settings = &spool->header->settings;
    struct dft_aggregation aggregation = {
        .spool = spool,
        .all = settings->aggregate_all,
        .by_site = atomic_load_explicit(&spool->header->styled, memory_order_acquire),
        .min_duration_ns = settings->min_duration_ns,
        .interval_ns = (uint64_t)settings->counter_interval_ms * 1000000u,
    };

    aggregation.is_wanted =
        aggregation.all || aggregation.by_site || aggregation.min_duration_ns > 0;
    return aggregation;
}

bool dft_aggregation_takes_site(const struct dft_aggregation *aggregation, uint32_t site,
                                uint64_t start)
{
    uint32_t style = dft_spool_site_style(aggregation->spool, site);
    uint32_t index = DFT_STYLE_INDEX(style);

    return style & DFT_STYLE_AGGREGATED ||
           (style & DFT_STYLE_THROTTLED && index < dft_spool_throttled_sites(aggregation->spool) &&
            start >= dft_spool_throttled(aggregation->spool, index)->since);
}

static uint32_t *slots_of(const struct dft_aggregates *all)
{
    return (uint32_t *)all->slots.data;
}

static struct dft_aggregate *entries_of(const struct dft_aggregates *all)
{
    return (struct dft_aggregate *)all->entries.data;
}

static size_t slot_count(const struct dft_aggregates *all)
{
    return all->slots.used / sizeof(uint32_t);
}

/* The slot of this entry, or the free slot for it. */
static uint32_t *find_slot(const struct dft_aggregates *all, uint32_t site, uint64_t interval)
{
    uint64_t hash = (site + interval * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    size_t mask = slot_count(all) - 1;
    uint32_t *slots = slots_of(all);

    for (size_t at = (hash >> 32) & mask;; at = (at + 1) & mask) {
        if (slots[at] == 0)
            return &slots[at];
        const struct dft_aggregate *entry = &entries_of(all)[slots[at] - 1];
        if (entry->site == site && entry->interval == interval)
            return &slots[at];
    }
}

/* Makes room for one more entry. There are at least twice as many slots as entries. */
static bool make_room(struct dft_aggregates *all)
{
    size_t count = dft_aggregates_count(all), slots = slot_count(all);
    struct dft_buffer grown = {0};

    if (!dft_buffer_reserve(&all->entries, sizeof(struct dft_aggregate)))
        return false;
    if (2 * (count + 1) <= slots)
        return true;
    size_t size = (slots ? 2 * slots : SLOTS_AT_FIRST) * sizeof(uint32_t);
    if (!dft_buffer_reserve(&grown, size))
        return false;
    grown.used = size; /* fresh pages are zero */
    dft_buffer_release(&all->slots);
    all->slots = grown;
    for (size_t i = 0; i < count; i++)
        *find_slot(all, entries_of(all)[i].site, entries_of(all)[i].interval) = (uint32_t)i + 1;
    return true;
}

static struct dft_aggregate *find_entry(struct dft_aggregates *all, uint32_t site,
                                        uint64_t interval)
{
    if (all->last < dft_aggregates_count(all)) {
        struct dft_aggregate *last = &entries_of(all)[all->last];
        if (last->site == site && last->interval == interval)
            return last;
    }
    if (!make_room(all))
        return NULL;
    uint32_t *slot = find_slot(all, site, interval);
    if (*slot == 0) {
        struct dft_aggregate fresh = {
            .site = site, .interval = interval, .first_ns = UINT64_MAX, .min_ns = UINT64_MAX};
        dft_put_bytes(&all->entries, (const char *)&fresh, sizeof fresh);
        *slot = (uint32_t)dft_aggregates_count(all);
    }
    all->last = *slot - 1;
    return &entries_of(all)[all->last];
}

bool dft_aggregates_add(struct dft_aggregates *all, const struct dft_aggregation *aggregation,
                        const struct dft_added_call *call)
{
    uint64_t interval = aggregation->interval_ns ? call->start_ns / aggregation->interval_ns : 0;
    uint64_t duration = call->duration_ns;
    struct dft_aggregate *entry = find_entry(all, call->site, interval);

    if (!entry)
        return false;
    entry->count++;
    entry->sum_ns += duration;
    entry->self_ns += call->self_ns;
    entry->self_estimated |= call->self_estimated;
    if (duration < entry->min_ns)
        entry->min_ns = duration;
    if (duration > entry->max_ns)
        entry->max_ns = duration;
    if (call->start_ns < entry->first_ns)
        entry->first_ns = call->start_ns;
    all->calls++;
    return true;
}

void dft_aggregates_clear(struct dft_aggregates *all)
{
    if (all->slots.used)
        memset(all->slots.data, 0, all->slots.used);
    all->entries.used = 0;
    all->calls = 0;
    all->last = 0;
}

void dft_aggregates_release(struct dft_aggregates *all)
{
    dft_buffer_release(&all->entries);
    dft_buffer_release(&all->slots);
}
