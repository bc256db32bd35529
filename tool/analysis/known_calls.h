/*
 * What all calls with the same beginning have in common, so that it is looked up once for all of
 * them.
 */
#ifndef DFT_TOOL_ANALYSIS_KNOWN_CALLS_H
#define DFT_TOOL_ANALYSIS_KNOWN_CALLS_H

#include "tool/trace/reader.h"

#define DFT_KNOWN_CALLS_MOST 4096u

struct dft_stack;

struct dft_known_call {
    uint64_t beginning;
    uint32_t function;
    bool is_sampled;
    bool unfinished;
    int64_t added_ns; /* what calls inside of it took that have no event */
    bool added_is_estimated;
    bool is_own;             /* no call but a pause that dftrace made */
    struct dft_stack *stack; /* of its thread */
};

/* All zero to begin with, and for another reader. */
struct dft_known_calls {
    struct dft_known_call list[DFT_KNOWN_CALLS_MOST]; /* each at the place that its number has */
};

/* Of this function and this thread, and otherwise as the event. It is known from now on. */
struct dft_known_call dft_known_calls_add(struct dft_known_calls *calls,
                                          const struct dft_event *event, uint32_t function,
                                          bool is_own, struct dft_stack *stack);

/* NULL: a call of this beginning is not known, or not any more. Valid until the next is added. */
const struct dft_known_call *dft_known_calls_find(const struct dft_known_calls *calls,
                                                  const struct dft_event *event);

#endif
