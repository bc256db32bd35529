/*
 * Caches the prefixes of events. In dftrace's traces, all calls of a function on a thread have the
 * same text up to their times; this part is parsed only once.
 */
#ifndef DFT_TOOL_TRACE_EVENT_CACHE_H
#define DFT_TOOL_TRACE_EVENT_CACHE_H

#include "tool/trace/reader.h"

/* All zero initially. */
struct dft_event_cache {
    struct dft_event_prefix *prefixes;
    struct dft_event_prefix *last; /* of the last event that has one; NULL initially */
    uint64_t added;                /* prefixes so far */
};

/*
 * Parses the event at the scanner if it is a known prefix, a duration and a start. Then `event` is
 * valid until the next prefix is added, and the scanner is after the event. Returns false
 * otherwise, and changes nothing.
 */
bool dft_event_cache_parse(struct dft_event_cache *cache, struct dft_scanner *scanner,
                           struct dft_event *event);

/* Adds the prefix of an event that was parsed in full, and numbers it. */
void dft_event_cache_add(struct dft_event_cache *cache, struct dft_event *event);

void dft_event_cache_free(struct dft_event_cache *cache);

#endif
