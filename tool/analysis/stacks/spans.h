/*
 * Stretches of time on one thread, sorted by their start: 16 bytes each.
 */
#ifndef DFT_TOOL_ANALYSIS_STACKS_SPANS_H
#define DFT_TOOL_ANALYSIS_STACKS_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dft_span {
    int64_t start;
    int64_t time; /* what counts of it, at most its length when it stands for one call */
};

/* All zero is empty. */
struct dft_spans {
    struct dft_span *list;
    size_t count;
    size_t room;
};

/* `start` is not before the last one's. */
void dft_spans_push(struct dft_spans *spans, int64_t start, int64_t time);

/* Takes those off the end that begin at `start` or later; returns the sum of their times. */
int64_t dft_spans_take(struct dft_spans *spans, int64_t start);

/* Makes one out of those that lie below the same element of `roots`. */
void dft_spans_merge(struct dft_spans *spans, const struct dft_spans *roots);

/* A call that is put over spans which are there already. */
struct dft_cover {
    int64_t start;
    int64_t end;
    int64_t time;   /* what counts of it for those above */
    int64_t inside; /* set: the sum of the times below it */
};

/*
 * Puts calls over the list, innermost first: each takes the place of what begins inside it, other
 * calls included. `covers` must be sorted: latest start first, of equal ones the shortest first.
 */
void dft_spans_cover(struct dft_spans *spans, struct dft_cover *covers, size_t count);

void dft_spans_free(struct dft_spans *spans);

#endif
