/*
 * Converting traces: every output format is one struct dft_target, listed in DFT_TARGETS. A target
 * is given every event of all input files, one after the other, and writes bytes.
 */
#ifndef DFT_TOOL_CONVERT_CONVERT_H
#define DFT_TOOL_CONVERT_CONVERT_H

#include "tool/convert/losses.h"
#include "tool/convert/out_file.h"
#include "tool/trace/reader.h"

/* What is known of the input. */
struct dft_conversion {
    struct dft_out_file *out;
    struct dft_losses *losses;
    const char *path; /* of the input file that is open */
    uint32_t trace;   /* its number, from 0 on */
    uint32_t trace_count;
};

struct dft_target {
    const char *name;       /* as for --to */
    const char *extensions; /* of OUT, separated by spaces; the first one is usual */
    const char *help;
    bool has_members; /* compressed, it may consist of several gzip members */

    void *(*begin)(struct dft_conversion *conversion);

    /*
     * NULL: not needed. Otherwise every file is read twice: all of its events are passed here
     * before the first one is passed to `event`.
     */
    void (*survey)(void *state, struct dft_reader *reader, const struct dft_event *event);
    void (*event)(void *state, struct dft_reader *reader, const struct dft_event *event);

    /* No more events of this file come. NULL: not needed. */
    void (*end_trace)(void *state);

    /* Writes the rest, and frees the state. */
    void (*end)(void *state);
};

/* The output formats, in the order in which the help lists them. */
#define DFT_TARGETS(X) X(json) X(dftracer) X(perfetto) X(speedscope) X(folded) X(csv) X(otlp)

#define DFT_TARGET(name) extern const struct dft_target dft_target_##name;
DFT_TARGETS(DFT_TARGET)
#undef DFT_TARGET

/* NULL after the last one. */
const struct dft_target *dft_target_at(size_t index);

/* By its name. NULL if there is none. */
const struct dft_target *dft_target_find(const char *name);

/* By the extension of a path, with or without ".gz". NULL if none has it. */
const struct dft_target *dft_target_of_path(const char *path);

#endif
