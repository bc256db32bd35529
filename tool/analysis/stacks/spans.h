/*
 * Time ranges on one thread, sorted by start; 16 bytes each.
 */
#ifndef DFT_TOOL_ANALYSIS_STACKS_SPANS_H
#define DFT_TOOL_ANALYSIS_STACKS_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dft_span {
    int64_t start;
    int64_t time; /* the part of it that counts; of a single call, at most its length */
};

/* All zero is empty. */
struct dft_spans {
    struct dft_span *list;
    size_t count;
    size_t room;
};

/* `start` is not before the last one's. */
void dft_spans_push(struct dft_spans *spans, int64_t start, int64_t time);

/* Removes all that begin at `start` or later; returns the sum of their times. */
int64_t dft_spans_take(struct dft_spans *spans, int64_t start);

/* Merges those that are below the same element of `roots`. */
void dft_spans_merge(struct dft_spans *spans, const struct dft_spans *roots);

/* A call that is added after the calls inside it. */
struct dft_cover {
    int64_t start;
    int64_t end;
    int64_t time;   /* the part of it that counts for its callers */
    int64_t inside; /* result: the sum of the times inside it */
};

/*
 * Adds calls to the list, innermost first. Each one replaces the elements inside it, including
 * calls that were just added. `covers` must be sorted: latest start first; of equal starts, the
 * shortest first.
 */
void dft_spans_cover(struct dft_spans *spans, struct dft_cover *covers, size_t count);

void dft_spans_free(struct dft_spans *spans);

#endif
