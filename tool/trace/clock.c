/*
 * First start and last end, for each host's clock.
 */
#include "tool/trace/clock.h"

#include "tool/base/tool.h"

#include <stdlib.h>

void dft_trace_clocks_open_trace(struct dft_trace_clocks *clocks)
{
    clocks->current = (struct dft_trace_clock){.first = INT64_MAX, .last = INT64_MIN};
}

void dft_trace_clocks_set_host(struct dft_trace_clocks *clocks, struct dft_text host)
{
    free((char *)clocks->current.host.at);
    clocks->current.host = (struct dft_text){dft_tool_copy(host.at, host.length), host.length};
}

void dft_trace_clocks_set_offset(struct dft_trace_clocks *clocks, int64_t offset)
{
    clocks->current.offset = offset;
    clocks->current.has_offset = true;
}

void dft_trace_clocks_add(struct dft_trace_clocks *clocks, int64_t start, int64_t end)
{
    if (start < clocks->current.first)
        clocks->current.first = start;
    if (end > clocks->current.last)
        clocks->current.last = end;
}

void dft_trace_clocks_close_trace(struct dft_trace_clocks *clocks)
{
    struct dft_trace_clock *current = &clocks->current;
    struct dft_trace_clock *same = NULL;

    if (!current->host.at)
        dft_trace_clocks_set_host(clocks, dft_text(""));
    for (size_t i = 0; i < clocks->count && !same; i++) {
        if (dft_text_equal(clocks->list[i].host, current->host))
            same = &clocks->list[i];
    }
    if (same || current->first > current->last) {
        free((char *)current->host.at);
    } else {
        if (clocks->count == clocks->room) {
            clocks->room = clocks->room ? clocks->room * 2 : 4;
            clocks->list = dft_tool_resize(clocks->list, clocks->room, sizeof *clocks->list);
        }
        clocks->list[clocks->count++] = *current;
    }
    if (same && current->first < same->first)
        same->first = current->first;
    if (same && current->last > same->last)
        same->last = current->last;
    clocks->current = (struct dft_trace_clock){0};
}

static int64_t clip(__int128 time)
{
    return time > INT64_MAX ? INT64_MAX : (int64_t)time;
}

int64_t dft_trace_clocks_time(const struct dft_trace_clocks *clocks)
{
    __int128 first = 0;
    __int128 last = 0;
    __int128 longest = 0;
    bool comparable = true;

    for (size_t i = 0; i < clocks->count; i++) {
        const struct dft_trace_clock *clock = &clocks->list[i];
        __int128 begin = (__int128)clock->first + clock->offset;
        __int128 end = (__int128)clock->last + clock->offset;

        first = i == 0 || begin < first ? begin : first;
        last = i == 0 || end > last ? end : last;
        longest = end - begin > longest ? end - begin : longest;
        comparable &= clock->has_offset || clocks->count == 1;
    }
    return clip(comparable ? last - first : longest);
}

void dft_trace_clocks_free(struct dft_trace_clocks *clocks)
{
    for (size_t i = 0; i < clocks->count; i++)
        free((char *)clocks->list[i].host.at);
    free((char *)clocks->current.host.at);
    free(clocks->list);
    *clocks = (struct dft_trace_clocks){0};
}
