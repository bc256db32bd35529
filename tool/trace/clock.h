/*
 * The stretch of time that traces cover together.
 *
 * Processes of one host share a clock, so their events are compared as they are. The clocks of two
 * hosts share nothing; they are compared through each host's offset to the time of day, where the
 * traces have it.
 */
#ifndef DFT_TOOL_TRACE_CLOCK_H
#define DFT_TOOL_TRACE_CLOCK_H

#include "tool/base/text.h"

struct dft_trace_clock {
    struct dft_text host; /* empty where the trace names none */
    bool has_offset;
    int64_t offset; /* from the clock to nanoseconds of the epoch */
    int64_t first;
    int64_t last;
};

/* All zero to begin with. */
struct dft_trace_clocks {
    struct dft_trace_clock *list;
    size_t count;
    size_t room;
    struct dft_trace_clock current; /* of the open trace */
};

void dft_trace_clocks_open_trace(struct dft_trace_clocks *clocks);
void dft_trace_clocks_set_host(struct dft_trace_clocks *clocks, struct dft_text host);
void dft_trace_clocks_set_offset(struct dft_trace_clocks *clocks, int64_t offset);
void dft_trace_clocks_add(struct dft_trace_clocks *clocks, int64_t start, int64_t end);
void dft_trace_clocks_close_trace(struct dft_trace_clocks *clocks);

/* Over all traces: the longest stretch of one host where clocks cannot be compared. */
int64_t dft_trace_clocks_time(const struct dft_trace_clocks *clocks);

void dft_trace_clocks_free(struct dft_trace_clocks *clocks);

#endif
