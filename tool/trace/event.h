/*
 * From the text of one event to struct dft_event. The reader's inner half.
 */
#ifndef DFT_TOOL_TRACE_EVENT_H
#define DFT_TOOL_TRACE_EVENT_H

#include "tool/trace/event_cache.h"
#include "tool/trace/reader.h"

/* What parsing needs from one event to the next. All zero to begin with. */
struct dft_event_memory {
    struct dft_scratch scratch;
    struct dft_arg *args;
    size_t arg_room;
    struct dft_event_cache cache;
};

/*
 * The scanner stands before the event's opening brace. DFT_SCAN_MORE leaves it there; what `event`
 * then holds is meaningless.
 */
enum dft_scan dft_event_parse(struct dft_scanner *scanner, struct dft_event_memory *memory,
                              struct dft_event *event);

void dft_event_memory_free(struct dft_event_memory *memory);

/* A key that only events have, none of the object that holds "traceEvents". */
bool dft_event_has_key(struct dft_text key);

#endif
