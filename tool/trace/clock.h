/*
 * The time range that several traces cover together.
 *
 * Processes of one host share a clock, so their events are compared directly. Clocks of different
 * hosts are compared through each host's offset to the time of day, if the traces have it.
 */
#ifndef DFT_TOOL_TRACE_CLOCK_H
#define DFT_TOOL_TRACE_CLOCK_H

#include "tool/base/text.h"

struct dft_trace_clock {
    struct dft_text host; /* empty if the trace has none */
    bool has_offset;
    int64_t offset; /* from the clock to nanoseconds since the epoch */
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

/*
 * The duration of all traces together; if clocks cannot be compared, the longest one of a single
 * host.
 */
int64_t dft_trace_clocks_time(const struct dft_trace_clocks *clocks);

void dft_trace_clocks_free(struct dft_trace_clocks *clocks);

#endif
