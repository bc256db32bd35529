/*
 * See coverage.h. Pure, except for memory.
 */
#include "tool/analysis/io/coverage.h"

#include "tool/base/tool.h"

#include <stdlib.h>
#include <string.h>

/* Length of a range of untrusted numbers. */
static int64_t length_of(int64_t start, int64_t end)
{
    int64_t length;

    return __builtin_sub_overflow(end, start, &length) ? INT64_MAX : length;
}

static int64_t add_lengths(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Every two neighbours become one. */
static void share_spans(struct dft_coverage *coverage)
{
    size_t half = coverage->count / 2;

    for (size_t i = 0; i < half; i++) {
        const struct dft_coverage_span *first = &coverage->spans[2 * i], *second = first + 1;

        coverage->spans[i] = (struct dft_coverage_span){
            first->start, second->end, add_lengths(first->covered, second->covered)};
    }
    if (coverage->count % 2)
        coverage->spans[half] = coverage->spans[coverage->count - 1];
    coverage->count -= half;
}

static void insert_span(struct dft_coverage *coverage, size_t place, struct dft_coverage_span span)
{
    coverage->spans =
        dft_tool_grow(coverage->spans, coverage->count, &coverage->room, sizeof *coverage->spans);
    memmove(coverage->spans + place + 1, coverage->spans + place,
            (coverage->count - place) * sizeof *coverage->spans);
    coverage->spans[place] = span;
    coverage->count++;
}

/* The first span that ends behind `start`. */
static size_t find_span(const struct dft_coverage *coverage, int64_t start)
{
    size_t low = 0, high = coverage->count;

    if (high == 0 || coverage->spans[high - 1].end <= start)
        return high; /* ranges mostly come in their order */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (coverage->spans[middle].end <= start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Merges a range with the spans that it overlaps, `count` of them. */
static int64_t merge(struct dft_coverage *coverage, size_t first, size_t count, int64_t start,
                     int64_t end)
{
    struct dft_coverage_span *spans = coverage->spans + first;
    struct dft_coverage_span all = {least(start, spans[0].start), end, 0};
    int64_t fresh = length_of(start, end);

    for (size_t i = 0; i < count; i++) {
        int64_t from = spans[i].start > start ? spans[i].start : start;
        int64_t inside = length_of(from, least(spans[i].end, end));
        int64_t open = length_of(spans[i].start, spans[i].end) - spans[i].covered;

        if (open > 0)
            coverage->is_estimate = true;
        fresh -= inside - least(inside, open);
        all.covered = add_lengths(all.covered, spans[i].covered);
        all.end = spans[i].end > all.end ? spans[i].end : all.end;
    }
    all.covered = add_lengths(all.covered, fresh);
    spans[0] = all;
    memmove(spans + 1, spans + count, (coverage->count - first - count) * sizeof *spans);
    coverage->count -= count - 1;
    return fresh;
}

int64_t dft_coverage_add(struct dft_coverage *coverage, int64_t start, int64_t end)
{
    size_t first = find_span(coverage, start), after = first;

    if (start >= end)
        return 0;
    while (after < coverage->count && coverage->spans[after].start < end)
        after++;
    if (after > first)
        return merge(coverage, first, after - first, start, end);
    struct dft_coverage_span *before = first > 0 ? &coverage->spans[first - 1] : NULL;
    if (before && before->end == start &&
        before->covered == length_of(before->start, before->end)) {
        before->end = end;
        before->covered = length_of(before->start, end);
        return length_of(start, end);
    }
    if (coverage->count == DFT_COVERAGE_SPANS) {
        share_spans(coverage);
        return dft_coverage_add(coverage, start, end); /* the range may be in a gap of a span */
    }
    insert_span(coverage, first, (struct dft_coverage_span){start, end, length_of(start, end)});
    return length_of(start, end);
}

void dft_coverage_free(struct dft_coverage *coverage)
{
    free(coverage->spans);
    *coverage = (struct dft_coverage){0};
}
