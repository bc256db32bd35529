/*
 * Puts the calls of each thread into the order in which they ended, callees before their callers.
 * Memory grows with the number of calls that are open at the same time.
 */
#ifndef DFT_TOOL_CONVERT_CALL_ORDER_H
#define DFT_TOOL_CONVERT_CALL_ORDER_H

#include "tool/base/index.h"
#include "tool/convert/encoding.h"

struct dft_held_call;
struct dft_order_thread;

/* `context` and `take` are set, the rest is zero initially. */
struct dft_call_order {
    void *context;
    void (*take)(void *context, const struct dft_encoding_event *event);
    struct dft_order_thread *threads;
    size_t count;
    size_t room;
    struct dft_index index;
};

/* Takes a call; calls that have ended before it are passed on. */
void dft_call_order_add(struct dft_call_order *order, const struct dft_encoding_event *event);

/* Passes on the calls of a thread that ended before this time. */
void dft_call_order_advance(struct dft_call_order *order, int32_t tid, uint64_t ns);

/* Passes on everything. */
void dft_call_order_finish(struct dft_call_order *order);
void dft_call_order_free(struct dft_call_order *order);

#endif
