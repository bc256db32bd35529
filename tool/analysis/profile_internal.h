/*
 * Shared by profile.c (everything but calls) and profile_calls.c only.
 */
#ifndef DFT_TOOL_ANALYSIS_PROFILE_INTERNAL_H
#define DFT_TOOL_ANALYSIS_PROFILE_INTERNAL_H

#include "tool/analysis/command_lines.h"
#include "tool/analysis/descriptions.h"
#include "tool/analysis/grouping.h"
#include "tool/analysis/known_calls.h"
#include "tool/analysis/profile.h"
#include "tool/analysis/stacks/stack.h"
#include "tool/analysis/threads.h"
#include "tool/analysis/usage.h"
#include "tool/trace/clock.h"

struct dft_call_again;

struct dft_profile {
    struct dft_profile_summary summary;

    struct dft_memory_limit memory;
    struct dft_function_table functions;
    struct dft_groups groups;
    bool separates_io;
    struct dft_call_tree *tree; /* NULL: not wanted */
    struct dft_command_lines commands;

    struct dft_profile_throttling *switches;
    size_t switch_count;
    size_t switch_room;

    struct dft_profile_metadata *metadata;
    size_t metadata_count;
    size_t metadata_room;
    struct dft_descriptions descriptions; /* of all traces */

    /* Of the open trace: */
    bool is_ours; /* written by dftrace */
    struct dft_threads threads;
    size_t named_threads;
    bool is_exact;     /* written by dftrace: calls come when they end, and times are not rounded */
    bool is_backwards; /* no times are counted before the calls come again, backwards */
    enum dft_pass pass; /* the current one; NONE: the first pass */
    bool wants_forward; /* passes that are still to come */
    bool wants_backward;
    size_t pending;               /* over all threads */
    size_t most_pending;          /* with more pending calls, a backward pass is used */
    uint64_t to_come;             /* calls that have not come again */
    uint64_t unwanted;            /* calls that came again too often */
    struct dft_call_again *again; /* the calls of one piece */
    size_t again_count;
    size_t again_room;
    struct dft_known_calls known;

    struct dft_trace_clocks clocks;
    struct dft_usage usage;
    int64_t sample_cost; /* around each sampled call of the open trace */
    int64_t count_cost;  /* of each throttled call of the open trace */
    int64_t budget;      /* the largest one, in thousandths of a percent */
    int64_t started_ns;  /* start of the open trace; 0: unknown */
};

/* --- profile_calls.c --- */

void dft_profile_calls_open_trace(struct dft_profile *profile);

/*
 * Adds a call with a known prefix (event_cache.h). False, without any change, if it is not known.
 */
bool dft_profile_calls_add_known(struct dft_profile *profile, const struct dft_reader *reader,
                                 const struct dft_event *event);

/* A call, or time that dftrace took from a thread. */
void dft_profile_calls_add(struct dft_profile *profile, struct dft_reader *reader,
                           const struct dft_event *event);

/* Of a visitor: */
enum dft_pass dft_profile_calls_next_pass(void *profile, const struct dft_reader *reader);
void dft_profile_calls_add_again(void *profile, struct dft_reader *reader,
                                 const struct dft_event *event);
void dft_profile_calls_end_piece(void *profile);

/* False: not all of the calls came again. */
bool dft_profile_calls_close_trace(struct dft_profile *profile);

#endif
