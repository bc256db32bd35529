/*
 * The most recent calls of a thread. Pure, except for memory.
 */
#include "tool/analysis/outermost.h"

#include "tool/base/tool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Only parents that came before: where children come first, no earlier call ends later. */
static bool is_inside(const struct dft_outermost *calls, const struct dft_outermost_span *call)
{
    if (calls->count == 0 || call->end > calls->last_end)
        return false;
    for (size_t i = calls->count; i-- > 0;) {
        const struct dft_outermost_span *span = &calls->spans[i];
        if (span->bucket == call->bucket && span->start <= call->start && span->end >= call->end)
            return true;
    }
    return false;
}

/* Removes the calls of its bucket that came before and are inside. Returns their time. */
static int64_t take_inside(struct dft_outermost *calls, const struct dft_outermost_span *call)
{
    size_t first = calls->count, kept;
    int64_t time = 0;

    while (first > 0 && calls->spans[first - 1].start >= call->start &&
           calls->spans[first - 1].end <= call->end)
        first--;
    kept = first;
    for (size_t i = first; i < calls->count; i++) {
        int64_t length = calls->spans[i].end - calls->spans[i].start;
        if (calls->spans[i].bucket != call->bucket)
            calls->spans[kept++] = calls->spans[i];
        else if (__builtin_add_overflow(time, length, &time)) /* of calls that overlap */
            time = INT64_MAX;
    }
    calls->count = kept;
    return time;
}

/* Forgets the older half: later calls are unlikely to enclose it. */
static void make_room(struct dft_outermost *calls)
{
    const size_t half = DFT_OUTERMOST_SPANS / 2;

    if (calls->count < DFT_OUTERMOST_SPANS)
        return;
    memmove(calls->spans, calls->spans + half, (calls->count - half) * sizeof *calls->spans);
    calls->count -= half;
}

int64_t dft_outermost_add(struct dft_outermost *calls, uint32_t bucket, int64_t start, int64_t end)
{
    const struct dft_outermost_span call = {start, end, bucket};
    int64_t change = end - start;

    if (is_inside(calls, &call))
        return 0;
    change -= take_inside(calls, &call);
    make_room(calls);
    calls->spans = dft_tool_grow(calls->spans, calls->count, &calls->room, sizeof *calls->spans);
    calls->last_end = calls->count == 0 || end > calls->last_end ? end : calls->last_end;
    calls->spans[calls->count++] = call;
    return change;
}

void dft_outermost_free(struct dft_outermost *calls)
{
    free(calls->spans);
    *calls = (struct dft_outermost){0};
}
