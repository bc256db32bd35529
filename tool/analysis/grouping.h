/*
 * By what calls are added up: by function, or by the thread, category, file or module that they
 * belong to. A group takes the place of a function in the table of functions: self and total of a
 * group are worked out as those of a function are, and calls inside calls of the same group count
 * as recursion does.
 */
#ifndef DFT_TOOL_ANALYSIS_GROUPING_H
#define DFT_TOOL_ANALYSIS_GROUPING_H

#include "tool/analysis/functions.h"
#include "tool/trace/reader.h"

struct dft_module_of_function;
struct dft_thread_label;

/* What the open trace says of functions and threads. All zero to begin with, but `by`. */
struct dft_groups {
    enum dft_grouping by;
    struct dft_memory_limit *memory;
    int64_t trace; /* its number */
    char label[64];

    struct dft_module_of_function *modules;
    size_t module_count;
    size_t module_room;
    struct dft_index module_index;

    struct dft_thread_label *threads; /* that have a name */
    size_t thread_count;
    size_t thread_room;
};

void dft_groups_open_trace(struct dft_groups *groups);

/* An event that describes a function or names a thread; others are ignored. */
void dft_groups_note(struct dft_groups *groups, struct dft_reader *reader,
                     const struct dft_event *event);

/* The group of a function's calls in this event; valid until the next one is asked for. */
struct dft_function_key dft_groups_key(struct dft_groups *groups,
                                       const struct dft_function_key *function,
                                       const struct dft_event *event);

/* Gives the groups of threads their names. */
void dft_groups_close_trace(struct dft_groups *groups, struct dft_function_table *table);

void dft_groups_free(struct dft_groups *groups);

#endif
