/*
 * First start and last end, for each host's clock.
 */
#include "tool/trace/clock.h"

#include "tool/base/tool.h"

#include <stdlib.h>

void dft_wall_open_trace(struct dft_wall *wall)
{
    wall->current = (struct dft_wall_clock){.first = INT64_MAX, .last = INT64_MIN};
}

void dft_wall_set_host(struct dft_wall *wall, struct dft_text host)
{
    free((char *)wall->current.host.at);
    wall->current.host = (struct dft_text){dft_tool_copy(host.at, host.length), host.length};
}

void dft_wall_set_offset(struct dft_wall *wall, int64_t offset)
{
    wall->current.offset = offset;
    wall->current.has_offset = true;
}

void dft_wall_add(struct dft_wall *wall, int64_t start, int64_t end)
{
    if (start < wall->current.first)
        wall->current.first = start;
    if (end > wall->current.last)
        wall->current.last = end;
}

void dft_wall_close_trace(struct dft_wall *wall)
{
    struct dft_wall_clock *current = &wall->current;
    struct dft_wall_clock *same = NULL;

    if (!current->host.at)
        dft_wall_set_host(wall, dft_text(""));
    for (size_t i = 0; i < wall->count && !same; i++) {
        if (dft_text_equal(wall->clocks[i].host, current->host))
            same = &wall->clocks[i];
    }
    if (same || current->first > current->last) {
        free((char *)current->host.at);
    } else {
        if (wall->count == wall->room) {
            wall->room = wall->room ? wall->room * 2 : 4;
            wall->clocks = dft_tool_resize(wall->clocks, wall->room, sizeof *wall->clocks);
        }
        wall->clocks[wall->count++] = *current;
    }
    if (same && current->first < same->first)
        same->first = current->first;
    if (same && current->last > same->last)
        same->last = current->last;
    wall->current = (struct dft_wall_clock){0};
}

static int64_t clip(__int128 time)
{
    return time > INT64_MAX ? INT64_MAX : (int64_t)time;
}

int64_t dft_wall_time(const struct dft_wall *wall)
{
    __int128 first = 0;
    __int128 last = 0;
    __int128 longest = 0;
    bool comparable = true;

    for (size_t i = 0; i < wall->count; i++) {
        const struct dft_wall_clock *clock = &wall->clocks[i];
        __int128 begin = (__int128)clock->first + clock->offset;
        __int128 end = (__int128)clock->last + clock->offset;

        first = i == 0 || begin < first ? begin : first;
        last = i == 0 || end > last ? end : last;
        longest = end - begin > longest ? end - begin : longest;
        comparable &= clock->has_offset || wall->count == 1;
    }
    return clip(comparable ? last - first : longest);
}

void dft_wall_free(struct dft_wall *wall)
{
    for (size_t i = 0; i < wall->count; i++)
        free((char *)wall->clocks[i].host.at);
    free((char *)wall->current.host.at);
    free(wall->clocks);
    *wall = (struct dft_wall){0};
}
