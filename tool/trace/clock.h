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

struct dft_wall_clock {
    struct dft_text host; /* empty where the trace names none */
    bool has_offset;
    int64_t offset; /* from the clock to nanoseconds of the epoch */
    int64_t first;
    int64_t last;
};

/* All zero to begin with. */
struct dft_wall {
    struct dft_wall_clock *clocks;
    size_t count;
    size_t room;
    struct dft_wall_clock current; /* of the open trace */
};

void dft_wall_open_trace(struct dft_wall *wall);
void dft_wall_set_host(struct dft_wall *wall, struct dft_text host);
void dft_wall_set_offset(struct dft_wall *wall, int64_t offset);
void dft_wall_add(struct dft_wall *wall, int64_t start, int64_t end);
void dft_wall_close_trace(struct dft_wall *wall);

/* Over all traces: the longest stretch of one host where clocks cannot be compared. */
int64_t dft_wall_time(const struct dft_wall *wall);

void dft_wall_free(struct dft_wall *wall);

#endif
