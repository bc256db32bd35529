/*
 * Events that begin as an earlier one did. In our traces all calls of a function on a thread do, up
 * to their times, and what is in that part need not be parsed again.
 */
#ifndef DFT_TOOL_TRACE_EVENT_CACHE_H
#define DFT_TOOL_TRACE_EVENT_CACHE_H

#include "tool/trace/reader.h"

/* All zero to begin with. */
struct dft_event_cache {
    struct dft_event_prefix *heads;
    struct dft_event_prefix *last; /* of the last event that has one; NULL to begin with */
    uint64_t noted;                /* beginnings so far */
};

/*
 * Whether the event that begins at the scanner's place is a known beginning, a duration and a
 * start; then it is in `event`, valid until the next one is noted, and the scanner behind it. Else
 * nothing has changed.
 */
bool dft_event_cache_parse(struct dft_event_cache *cache, struct dft_scanner *scanner,
                           struct dft_event *event);

/* An event that was parsed as others are: its beginning may come again, and gets its number. */
void dft_event_cache_note(struct dft_event_cache *cache, struct dft_event *event);

void dft_event_cache_free(struct dft_event_cache *cache);

#endif
