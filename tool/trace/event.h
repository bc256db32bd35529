/*
 * Parses the text of one event into a struct dft_event. Used by the reader only.
 */
#ifndef DFT_TOOL_TRACE_EVENT_H
#define DFT_TOOL_TRACE_EVENT_H

#include "tool/trace/event_cache.h"
#include "tool/trace/reader.h"

/* State of the parser between events. All zero initially. */
struct dft_event_memory {
    struct dft_scratch scratch;
    struct dft_arg *args;
    size_t arg_room;
    struct dft_event_cache cache;
};

/*
 * The scanner is at the event's opening brace. After DFT_SCAN_MORE it is there again, and the
 * contents of `event` are undefined.
 */
enum dft_scan dft_event_parse(struct dft_scanner *scanner, struct dft_event_memory *memory,
                              struct dft_event *event);

void dft_event_memory_free(struct dft_event_memory *memory);

/* Whether this is a key of events, and not of the object that contains "traceEvents". */
bool dft_event_has_key(struct dft_text key);

#endif
