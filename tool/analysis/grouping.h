/*
 * Groups of calls: by thread, category, file, module or language. A group takes the place of a function in
 * the table of functions: its self and total are worked out in the same way, and a call inside
 * another call of its group counts like a recursive call.
 */
#ifndef DFT_TOOL_ANALYSIS_GROUPING_H
#define DFT_TOOL_ANALYSIS_GROUPING_H

#include "tool/analysis/functions.h"
#include "tool/trace/reader.h"

struct dft_described_function;
struct dft_thread_label;

/*
 * What is known of the functions and threads of the open trace. All zero initially, except `by` and
 * `memory`.
 */
struct dft_groups {
    enum dft_grouping by;
    struct dft_memory_limit *memory;
    int64_t trace; /* its number */
    char label[64];

    struct dft_described_function *described;
    size_t described_count;
    size_t described_room;
    struct dft_index described_index;

    struct dft_thread_label *threads; /* that have a name */
    size_t thread_count;
    size_t thread_room;
};

void dft_groups_open_trace(struct dft_groups *groups);

/* An event that describes a function or names a thread; others are ignored. */
void dft_groups_note(struct dft_groups *groups, struct dft_reader *reader,
                     const struct dft_event *event);

/* The group of a function's calls in this event; valid until the next call. */
struct dft_function_key dft_groups_key(struct dft_groups *groups,
                                       const struct dft_function_key *function,
                                       const struct dft_event *event);

/* Gives the groups of threads their names. */
void dft_groups_close_trace(struct dft_groups *groups, struct dft_function_table *table);

void dft_groups_free(struct dft_groups *groups);

#endif
