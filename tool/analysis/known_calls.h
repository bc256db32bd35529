/*
 * Caches what all calls with the same prefix (event_cache.h) have in common.
 */
#ifndef DFT_TOOL_ANALYSIS_KNOWN_CALLS_H
#define DFT_TOOL_ANALYSIS_KNOWN_CALLS_H

#include "tool/trace/reader.h"

#define DFT_KNOWN_CALLS_MAX 4096u

struct dft_stack;

struct dft_known_call {
    uint64_t prefix_id;
    uint32_t function;
    bool is_sampled;
    bool unfinished;
    bool resumed;     /* goes on with a call that has begun before */
    int64_t added_ns; /* time of calls inside it that have no event of their own */
    bool added_is_estimated;
    bool is_own;             /* not a call, but a pause */
    struct dft_stack *stack; /* of its thread */
};

/* All zero initially, and for another reader. */
struct dft_known_calls {
    struct dft_known_call list[DFT_KNOWN_CALLS_MAX]; /* indexed by the number of the prefix */
};

/* Makes the entry of an event, given its function and thread, and adds it to the cache. */
struct dft_known_call dft_known_calls_add(struct dft_known_calls *calls,
                                          const struct dft_event *event, uint32_t function,
                                          bool is_own, struct dft_stack *stack);

/* NULL if the prefix is not in the cache. Valid until the next one is added. */
const struct dft_known_call *dft_known_calls_find(const struct dft_known_calls *calls,
                                                  const struct dft_event *event);

#endif
