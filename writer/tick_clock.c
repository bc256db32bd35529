/* The writer's clock: see tick_clock.h. Pure arithmetic; writer.c reads the clocks. */
#include "writer/tick_clock.h"

#define ONE ((uint64_t)1 << DFT_CLOCK_FRACTION)

/* A bend corrects the error of the old line within this time. */
#define CATCH_UP_NS 1000000000u

/*
 * Errors up to ERROR_NS are tolerated. The limit doubles every SEGMENTS_PER_DOUBLING segments: a
 * counter whose rate never settles must not fill the memory.
 */
#define ERROR_NS 250u
#define SEGMENTS_PER_DOUBLING 4096u

static struct dft_clock_segment *segments(const struct dft_clock *clock)
{
    return (struct dft_clock_segment *)clock->segments.data;
}

static size_t count(const struct dft_clock *clock)
{
    return clock->segments.used / sizeof(struct dft_clock_segment);
}

static uint64_t along(const struct dft_clock_segment *segment, uint64_t ticks)
{
    /* Before the first anchor: a call that a forked child has inherited from its parent. */
    if (ticks < segment->ticks) {
        uint64_t back = (uint64_t)((unsigned __int128)(segment->ticks - ticks) * segment->rate >>
                                   DFT_CLOCK_FRACTION);
        return back < segment->ns ? segment->ns - back : 0;
    }
    return segment->ns + (uint64_t)((unsigned __int128)(ticks - segment->ticks) * segment->rate >>
                                    DFT_CLOCK_FRACTION);
}

static uint64_t rate_of(uint64_t ns, uint64_t ticks)
{
    return ticks ? (uint64_t)(((unsigned __int128)ns << DFT_CLOCK_FRACTION) / ticks) : ONE;
}

static void push(struct dft_clock *clock, struct dft_clock_segment segment)
{
    size_t n = count(clock);

    /*
     * If there is no room for another segment, the last one stays in use: less exact, still
     * monotone.
     */
    if ((clock->kept && n >= clock->kept_max) ||
        !dft_buffer_reserve(&clock->segments, sizeof segment))
        return;
    dft_put_bytes(&clock->segments, (const char *)&segment, sizeof segment);
    if (clock->kept) {
        clock->kept[n] = segment;
        atomic_store_explicit(clock->kept_count, (uint32_t)n + 1, memory_order_release);
    }
}

void dft_clock_init(struct dft_clock *clock, enum dft_clock_kind kind,
                    const struct dft_anchor *first)
{
    *clock =
        (struct dft_clock){.kind = kind, .last = *first, .bend = *first, .frontier = first->ticks};
    if (kind == DFT_CLOCK_MONOTONIC) {
        clock->current.rate = ONE;
        clock->span = INT64_MAX;
    }
}

/* Removes segments that have not been used to convert anything. */
static void drop_unused(struct dft_clock *clock)
{
    while (count(clock) > 1 && segments(clock)[count(clock) - 1].ticks > clock->frontier)
        clock->segments.used -= sizeof(struct dft_clock_segment);
    if (clock->kept)
        atomic_store_explicit(clock->kept_count, (uint32_t)count(clock), memory_order_release);
}

static bool is_good(const struct dft_clock *clock, const struct dft_anchor *anchor)
{
    /* A bend makes two segments. The second is the line that will be valid in the long run. */
    uint64_t ns = along(&segments(clock)[count(clock) - 1], anchor->ticks);
    uint64_t error =
        ns > anchor->monotonic_ns ? ns - anchor->monotonic_ns : anchor->monotonic_ns - ns;
    unsigned doublings = (unsigned)(count(clock) / SEGMENTS_PER_DOUBLING);

    return error <= (uint64_t)ERROR_NS << (doublings < 32 ? doublings : 32);
}

/*
 * Adds two segments: from the frontier to the true time CATCH_UP_NS ahead, and from there on at the
 * measured rate.
 */
static void bend(struct dft_clock *clock, const struct dft_anchor *anchor, uint64_t rate)
{
    drop_unused(clock);
    const struct dft_clock_segment *newest = &segments(clock)[count(clock) - 1];
    uint64_t ticks = clock->frontier > newest->ticks ? clock->frontier : newest->ticks;
    struct dft_clock_segment next = {.ticks = ticks, .ns = along(newest, ticks)};
    uint64_t ahead_ticks =
        (uint64_t)(((unsigned __int128)CATCH_UP_NS << DFT_CLOCK_FRACTION) / (rate ? rate : 1));
    struct dft_clock_segment after = {.ticks = anchor->ticks + ahead_ticks,
                                      .ns = anchor->monotonic_ns + CATCH_UP_NS,
                                      .rate = rate};

    clock->span = 0;
    if (after.ticks <= next.ticks || after.ns <= next.ns)
        return;
    next.rate = rate_of(after.ns - next.ns, after.ticks - next.ticks);
    push(clock, next);
    after.ns = along(&next, after.ticks); /* the rounded value: the line has no gap */
    push(clock, after);
}

void dft_clock_keep(struct dft_clock *clock, struct dft_clock_segment *kept,
                    _Atomic uint32_t *kept_count, size_t kept_max)
{
    size_t there = atomic_load_explicit(kept_count, memory_order_acquire);

    for (size_t i = 0; i < there && i < kept_max; i++)
        push(clock, kept[i]);
    clock->kept = kept;
    clock->kept_count = kept_count;
    clock->kept_max = kept_max;
}

void dft_clock_add(struct dft_clock *clock, const struct dft_anchor *anchor)
{
    struct dft_anchor before = clock->last;

    if (clock->kind == DFT_CLOCK_MONOTONIC || anchor->ticks <= before.ticks ||
        anchor->monotonic_ns <= before.monotonic_ns)
        return;
    clock->last = *anchor;
    uint64_t rate =
        rate_of(anchor->monotonic_ns - clock->bend.monotonic_ns, anchor->ticks - clock->bend.ticks);
    if (count(clock) == 0) {
        push(clock, (struct dft_clock_segment){before.ticks, before.monotonic_ns, rate});
    } else if (!is_good(clock, anchor)) {
        bend(clock, anchor, rate);
        clock->bend = *anchor;
    }
}

uint64_t dft_clock_convert_slowly(struct dft_clock *clock, uint64_t ticks)
{
    if (clock->kind == DFT_CLOCK_MONOTONIC)
        return ticks;
    size_t n = count(clock);
    if (n == 0) /* no second anchor, so the rate is unknown; at least the order is right */
        return ticks;
    if (ticks > clock->frontier)
        clock->frontier = ticks;
    const struct dft_clock_segment *all = segments(clock);
    size_t low = 0;
    for (size_t high = n; high - low > 1;) {
        size_t middle = low + (high - low) / 2;
        if (all[middle].ticks <= ticks)
            low = middle;
        else
            high = middle;
    }
    if (ticks >= all[low].ticks) {
        clock->current = all[low];
        clock->span = low + 1 < n ? all[low + 1].ticks - all[low].ticks : INT64_MAX;
    }
    return along(&all[low], ticks);
}

void dft_clock_release(struct dft_clock *clock)
{
    dft_buffer_release(&clock->segments);
}
