/*
 * Throttled functions: all of their calls are counted and about one in 100 is timed, because
 * recording every call would exceed the budget. Writes when each function was throttled, and how
 * many of its calls were only counted. Runs in the writer's own thread.
 */
#include "writer/internal.h"

/* How long the measured calls took: those because of which the function was throttled. */
static uint64_t examined_ns(struct dft_writer *writer, const struct dft_throttled *throttled)
{
    uint64_t until = throttled->since ? throttled->since : writer->clock.last.ticks;

    if (throttled->ticks >= until)
        return 0;
    return dft_clock_convert(&writer->clock, until) -
           dft_clock_convert(&writer->clock, until - throttled->ticks);
}

/* One event for each function that has been throttled since the last step. */
void dft_throttled_step(struct dft_writer *writer)
{
    const struct dft_spool *spool = writer->spool;
    uint32_t count = dft_spool_throttled_sites(spool);

    for (; writer->throttled < count && !writer->error; writer->throttled++) {
        const struct dft_throttled *throttled = dft_spool_throttled(spool, writer->throttled);
        struct dft_throttling throttling = {
            .site = throttled->site,
            .ns = throttled->since ? dft_clock_convert(&writer->clock, throttled->since)
                                   : writer->start.monotonic_ns,
            .calls = throttled->calls,
            .calls_ns = examined_ns(writer, throttled),
            .cost_ns = throttled->calls * spool->header->call_cost_ns,
            .window_ns = throttled->window_ns,
        };
        struct dft_event event = {.kind = DFT_EVENT_THROTTLED, .throttling = throttling};
        if (!dft_batch_put_event(writer, &event))
            dft_batch_fail(writer, -ENOMEM);
    }
}

/*
 * Adds up the timed calls of throttled functions. The time of the other calls is estimated from
 * them.
 */
void dft_throttled_add(struct dft_writer *writer, const struct dft_aggregates *all)
{
    const struct dft_aggregate *entries = dft_aggregates_entries(all);

    for (size_t i = 0; i < dft_aggregates_count(all); i++) {
        if (!(dft_spool_site_style(writer->spool, entries[i].site) & DFT_STYLE_THROTTLED))
            continue;
        uint32_t index = dft_spool_find_throttled(writer->spool, entries[i].site);
        if (index == DFT_NOT_THROTTLED)
            continue;
        struct dft_throttled *throttled = dft_spool_throttled(writer->spool, index);
        throttled->timed += entries[i].count;
        throttled->timed_ns += entries[i].sum_ns;
    }
}

/*
 * Estimates the time of `count` untimed calls: from the timed calls or, if there are none, from the
 * calls before the function was throttled. The time that measuring adds to each of those is left
 * out, since it is not part of the untimed calls.
 */
static uint64_t estimate(struct dft_writer *writer, const struct dft_throttled *throttled,
                         uint64_t count)
{
    const struct dft_job *job = dft_batch_job(writer);
    const struct dft_aggregate *entries = dft_aggregates_entries(&job->aggregates);
    uint64_t calls = throttled->timed, ns = throttled->timed_ns;

    for (size_t i = 0; i < dft_aggregates_count(&job->aggregates); i++)
        if (entries[i].site == throttled->site) {
            calls += entries[i].count;
            ns += entries[i].sum_ns;
        }
    if (calls == 0) {
        calls = throttled->calls;
        ns = examined_ns(writer, throttled);
    }
    uint64_t measuring = calls * writer->spool->header->empty_call_ns;
    return calls > 0 && ns > measuring
               ? (uint64_t)((unsigned __int128)(ns - measuring) * count / calls)
               : 0;
}

void dft_throttled_end(struct dft_writer *writer, uint64_t end_ns)
{
    const struct dft_spool *spool = writer->spool;
    struct dft_job *job = dft_batch_job(writer);
    uint32_t count = dft_spool_throttled_sites(spool);

    dft_throttled_step(writer);
    for (uint32_t i = 0; i < count && !writer->error; i++) {
        const struct dft_throttled *throttled = dft_spool_throttled(spool, i);
        struct dft_aggregate aggregate = {.site = throttled->site,
                                          .first_ns = end_ns,
                                          .count = dft_spool_untimed_calls(spool, i),
                                          .estimated = true};
        aggregate.sum_ns = estimate(writer, throttled, aggregate.count);
        if (aggregate.count == 0)
            continue;
        struct dft_event event = {.kind = DFT_EVENT_AGGREGATE, .aggregate = aggregate};
        if (!dft_batch_put_event(writer, &event))
            dft_batch_fail(writer, -ENOMEM);
        job->counted += aggregate.count;
    }
}
