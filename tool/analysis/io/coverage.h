/*
 * How much of a line a number of ranges cover together, where ranges that overlap count once: the
 * time in which a file is busy, or the bytes of it that have been read.
 *
 * The memory is bounded: of more than DFT_COVERAGE_SPANS separate ranges, neighbours share a span
 * that also knows how much of it is covered. Ranges that do not overlap are always added up
 * exactly; a range that overlaps a shared span is assumed to fill the rest of it first.
 */
#ifndef DFT_TOOL_ANALYSIS_COVERAGE_H
#define DFT_TOOL_ANALYSIS_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DFT_COVERAGE_SPANS 4096

struct dft_coverage_span {
    int64_t start, end;
    int64_t covered;
};

/* All zero is empty. */
struct dft_coverage {
    struct dft_coverage_span *spans; /* sorted; none overlaps another */
    size_t count, room;
    bool is_estimate; /* a range has overlapped a shared span */
};

/* Adds a range. Returns how much of it was not covered before. */
int64_t dft_coverage_add(struct dft_coverage *coverage, int64_t start, int64_t end);

void dft_coverage_free(struct dft_coverage *coverage);

#endif
