/*
 * Which functions a trace describes. Calls of others, in a trace of dftrace, are regions that the
 * program has named itself.
 */
#ifndef DFT_TOOL_ANALYSIS_DESCRIPTIONS_H
#define DFT_TOOL_ANALYSIS_DESCRIPTIONS_H

#include "tool/analysis/functions.h"
#include "tool/trace/reader.h"

/* Hashes of the functions. All zero initially. */
struct dft_descriptions {
    uint64_t *hashes;
    size_t count;
    size_t room;
    struct dft_index index;
};

/* The description of a function. */
void dft_descriptions_add(struct dft_descriptions *descriptions, struct dft_reader *reader,
                          const struct dft_event *event);

bool dft_descriptions_have(const struct dft_descriptions *descriptions,
                           const struct dft_function_key *key);

void dft_descriptions_free(struct dft_descriptions *descriptions);

#endif
