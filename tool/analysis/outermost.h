/*
 * Sums the time of a thread's calls by bucket, without counting a call that is inside another call
 * of its bucket. Calls may come children first or parents first. Memory is bounded: what is further
 * back than DFT_OUTERMOST_SPANS calls is not subtracted any more.
 */
#ifndef DFT_TOOL_ANALYSIS_OUTERMOST_H
#define DFT_TOOL_ANALYSIS_OUTERMOST_H

#include <stddef.h>
#include <stdint.h>

#define DFT_OUTERMOST_SPANS 1024

struct dft_outermost_span {
    int64_t start, end;
    uint32_t bucket;
};

/* The calls of one thread. All zero initially. */
struct dft_outermost {
    struct dft_outermost_span *spans; /* none is inside another one of its bucket */
    size_t count;
    size_t room;
    int64_t last_end; /* none of them ends later */
};

/* Adds a call. Returns the change of its bucket's sum, which may be negative. */
int64_t dft_outermost_add(struct dft_outermost *calls, uint32_t bucket, int64_t start, int64_t end);

void dft_outermost_free(struct dft_outermost *calls);

#endif
