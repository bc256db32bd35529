/*
 * Events that begin as an earlier one did. In our traces all calls of a function on a thread do, up
 * to their times, and what is in that part need not be parsed again.
 */
#ifndef DFT_TOOL_TRACE_EVENT_CACHE_H
#define DFT_TOOL_TRACE_EVENT_CACHE_H

#include "tool/trace/reader.h"

/* All zero to begin with. */
struct dft_repeat {
    struct dft_repeat_head *heads;
    struct dft_repeat_head *last; /* of the last event that has one; NULL to begin with */
    uint64_t noted;               /* beginnings so far */
};

/*
 * Whether the event that begins at the scanner's place is a known beginning, a duration and a
 * start; then it is in `event`, valid until the next one is noted, and the scanner behind it. Else
 * nothing has changed.
 */
bool dft_repeat_parse(struct dft_repeat *repeat, struct dft_scanner *scanner,
                      struct dft_event *event);

/* An event that was parsed as others are: its beginning may come again, and gets its number. */
void dft_repeat_note(struct dft_repeat *repeat, struct dft_event *event);

void dft_repeat_free(struct dft_repeat *repeat);

#endif
