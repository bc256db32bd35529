/*
 * Where the calls of all threads are added up: what a stack hands its calls to.
 *
 * `times` takes self and total of each function, in any order of calls. `tree` takes each call
 * together with the calls around it, and therefore only when parents come before their children.
 */
#ifndef DFT_TOOL_ANALYSIS_STACKS_SINKS_H
#define DFT_TOOL_ANALYSIS_STACKS_SINKS_H

struct dft_call_tree;

/* Of one function, over all threads. 128 bits, because times come from untrusted files. */
struct dft_times {
    __int128 self;
    __int128 total; /* outermost calls only */
};

struct dft_sinks {
    struct dft_times *times;    /* one for each function */
    struct dft_call_tree *tree; /* NULL: not wanted */
};

#endif
