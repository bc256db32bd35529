/*
 * Makes one call of a begin and an end event ("B" and "E"), thread by thread. Memory grows with the
 * number of calls that are open.
 */
#ifndef DFT_TOOL_TRACE_PAIRS_H
#define DFT_TOOL_TRACE_PAIRS_H

#include "tool/base/index.h"
#include "tool/trace/reader.h"

struct dft_open_pair;
struct dft_pair_thread;

/* All zero initially. */
struct dft_pairs {
    struct dft_pair_thread *threads;
    size_t thread_count;
    size_t thread_room;
    struct dft_index index;
    size_t bytes;                  /* of all open calls */
    int64_t last_ns;               /* the latest time of any event */
    struct dft_open_pair *current; /* the begin of the event that was passed on last */
    struct dft_arg *args;          /* its args */
    size_t arg_room;
    size_t taken; /* threads whose open calls were all taken */
};

void dft_pairs_note_time(struct dft_pairs *pairs, int64_t ns);

/* Keeps a copy of the event. False if there are too many open calls. */
bool dft_pairs_begin(struct dft_pairs *pairs, const struct dft_event *event);

/*
 * Changes an end into the call that ends: phase "X", with the name of the begin and the args of
 * both. What the event points to is valid until the next call of any of these functions. If there
 * is no begin, the event does not change. Always true.
 */
bool dft_pairs_end(struct dft_pairs *pairs, struct dft_event *event);

/* At the end of the trace: takes one open call, as an unfinished one. False if there is none. */
bool dft_pairs_take_open(struct dft_pairs *pairs, struct dft_event *event);

void dft_pairs_free(struct dft_pairs *pairs);

#endif
