/*
 * CPU and memory usage of the processes of a trace, from their counters.
 */
#ifndef DFT_TOOL_ANALYSIS_USAGE_H
#define DFT_TOOL_ANALYSIS_USAGE_H

#include "tool/base/index.h"
#include "tool/trace/reader.h"

struct dft_traced_process;

/* All zero initially. */
struct dft_usage {
    struct dft_traced_process *processes; /* of the open trace */
    size_t count;
    size_t room;
    struct dft_index index;
    bool known;          /* there was a counter */
    int64_t cpu_ns;      /* of all processes */
    int64_t peak_rss_kb; /* of the largest one */
};

/* Takes a counter of dftrace, or the event that ends a process. */
void dft_usage_add(struct dft_usage *usage, const struct dft_event *event);
void dft_usage_close_trace(struct dft_usage *usage);
void dft_usage_free(struct dft_usage *usage);

#endif
