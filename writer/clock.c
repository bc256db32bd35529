/* The writer's clock: see clock.h. Pure arithmetic; whoever hosts the writer reads the clocks. */
#include "writer/clock.h"

/* How far ahead, at the least, a new line aims to have made up for the old one's error. */
#define CATCH_UP_NS 1000000000u

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
    /* Before the first anchor: a call that a forked child has taken over from its parent. */
    if (ticks < segment->ticks) {
        uint64_t back =
            (uint64_t)((unsigned __int128)(segment->ticks - ticks) * segment->rate >> 32);
        return back < segment->ns ? segment->ns - back : 0;
    }
    return segment->ns +
           (uint64_t)((unsigned __int128)(ticks - segment->ticks) * segment->rate >> 32);
}

static uint64_t rate_of(uint64_t ns, uint64_t ticks)
{
    return ticks ? (uint64_t)(((unsigned __int128)ns << 32) / ticks) : (uint64_t)1 << 32;
}

static void push(struct dft_clock *clock, struct dft_clock_segment segment)
{
    size_t n = count(clock);

    /* Without room for another line the last one goes on: less exact, still monotone. */
    if ((clock->kept && n >= clock->kept_most) ||
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
    *clock = (struct dft_clock){.kind = kind, .last = *first, .frontier = first->ticks};
}

void dft_clock_keep(struct dft_clock *clock, struct dft_clock_segment *kept,
                    _Atomic uint32_t *kept_count, size_t kept_most)
{
    size_t there = atomic_load_explicit(kept_count, memory_order_acquire);

    for (size_t i = 0; i < there && i < kept_most; i++)
        push(clock, kept[i]);
    clock->kept = kept;
    clock->kept_count = kept_count;
    clock->kept_most = kept_most;
}

void dft_clock_add(struct dft_clock *clock, const struct dft_anchor *anchor)
{
    struct dft_anchor before = clock->last;

    if (clock->kind == DFT_CLOCK_MONOTONIC || anchor->ticks <= before.ticks ||
        anchor->monotonic_ns <= before.monotonic_ns)
        return;
    clock->last = *anchor;
    uint64_t rate =
        rate_of(anchor->monotonic_ns - before.monotonic_ns, anchor->ticks - before.ticks);
    if (count(clock) == 0) {
        push(clock, (struct dft_clock_segment){before.ticks, before.monotonic_ns, rate});
        return;
    }
    struct dft_clock_segment *newest = &segments(clock)[count(clock) - 1];
    struct dft_clock_segment next = {.ticks = clock->frontier};
    if (next.ticks < newest->ticks)
        next.ticks = newest->ticks;
    next.ns = along(newest, next.ticks);

    /* Not before the next anchor can be expected: past its aim a line goes wrong again. */
    uint64_t ahead_ns = anchor->monotonic_ns - before.monotonic_ns;
    if (ahead_ns < CATCH_UP_NS)
        ahead_ns = CATCH_UP_NS;
    uint64_t ahead_ticks = (uint64_t)(((unsigned __int128)ahead_ns << 32) / (rate ? rate : 1));
    uint64_t aim_ticks = anchor->ticks + ahead_ticks;
    uint64_t aim_ns = anchor->monotonic_ns + ahead_ns;
    if (aim_ticks <= next.ticks || aim_ns <= next.ns)
        return;
    next.rate = rate_of(aim_ns - next.ns, aim_ticks - next.ticks);
    push(clock, next);
}

uint64_t dft_clock_convert(struct dft_clock *clock, uint64_t ticks)
{
    if (clock->kind == DFT_CLOCK_MONOTONIC)
        return ticks;
    size_t n = count(clock);
    if (n == 0) /* no second anchor: the rate is unknown, order is still right */
        return ticks;
    if (ticks > clock->frontier)
        clock->frontier = ticks;
    const struct dft_clock_segment *all = segments(clock);
    size_t i = clock->hint;
    if (i >= n || all[i].ticks > ticks || (i + 1 < n && all[i + 1].ticks <= ticks)) {
        size_t low = 0;
        for (size_t high = n; high - low > 1;) {
            size_t middle = low + (high - low) / 2;
            if (all[middle].ticks <= ticks)
                low = middle;
            else
                high = middle;
        }
        clock->hint = i = low;
    }
    return along(&all[i], ticks);
}

void dft_clock_release(struct dft_clock *clock)
{
    dft_buffer_release(&clock->segments);
}
