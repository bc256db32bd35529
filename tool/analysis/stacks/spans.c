/*
 * Sorted time ranges. Loops only remove elements, so they cost no more in total than the pushes
 * before them.
 */
#include "tool/analysis/stacks/spans.h"

#include "tool/base/tool.h"

#include <stdlib.h>

/* Times come from untrusted files: a sum that overflows becomes the largest value. */
static int64_t add_times(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void dft_spans_push(struct dft_spans *spans, int64_t start, int64_t time)
{
    if (spans->count == spans->room) {
        spans->room = spans->room ? spans->room * 2 : 4;
        spans->list = dft_tool_resize(spans->list, spans->room, sizeof *spans->list);
    }
    spans->list[spans->count++] = (struct dft_span){start, time};
}

int64_t dft_spans_take(struct dft_spans *spans, int64_t start)
{
    int64_t sum = 0;

    while (spans->count > 0 && spans->list[spans->count - 1].start >= start)
        sum = add_times(sum, spans->list[--spans->count].time);
    return sum;
}

/* The number of elements that begin at or before `start`; at least `from` do. */
static size_t count_until(const struct dft_spans *spans, size_t from, int64_t start)
{
    size_t step = 1;

    /* The result is usually near: steps double first, then halve. */
    while (from + step <= spans->count && spans->list[from + step - 1].start <= start) {
        from += step;
        step *= 2;
    }
    for (; step > 0; step /= 2) {
        if (from + step <= spans->count && spans->list[from + step - 1].start <= start)
            from += step;
    }
    return from;
}

static void give_back_room(struct dft_spans *spans)
{
    if (spans->count == 0) {
        dft_spans_free(spans);
    } else if (spans->count < spans->room / 4) {
        spans->room = spans->count * 2;
        spans->list = dft_tool_resize(spans->list, spans->room, sizeof *spans->list);
    }
}

void dft_spans_merge(struct dft_spans *spans, const struct dft_spans *roots)
{
    size_t kept = 0;
    size_t last_root = 0;

    for (size_t i = 0; i < spans->count; i++) {
        size_t root = count_until(roots, last_root, spans->list[i].start);

        if (kept > 0 && root == last_root)
            spans->list[kept - 1].time = add_times(spans->list[kept - 1].time, spans->list[i].time);
        else
            spans->list[kept++] = spans->list[i];
        last_root = root;
    }
    spans->count = kept;
    give_back_room(spans);
}

/* Replaces the elements inside one call by the call. The top of `stack` is the earliest element. */
static void cover_one(struct dft_spans *stack, struct dft_cover *cover)
{
    cover->inside = 0;
    while (stack->count > 0 && stack->list[stack->count - 1].start < cover->end)
        cover->inside = add_times(cover->inside, stack->list[--stack->count].time);
    dft_spans_push(stack, cover->start, cover->time);
}

void dft_spans_cover(struct dft_spans *spans, struct dft_cover *covers, size_t count)
{
    struct dft_spans stack = {0};
    size_t left = spans->count;

    /*
     * From the latest start to the earliest, so that the elements inside a call are always on top.
     */
    for (size_t i = 0; i < count; i++) {
        for (; left > 0 && spans->list[left - 1].start >= covers[i].start; left--)
            dft_spans_push(&stack, spans->list[left - 1].start, spans->list[left - 1].time);
        cover_one(&stack, &covers[i]);
    }
    spans->count = left;
    while (stack.count > 0) {
        stack.count--;
        dft_spans_push(spans, stack.list[stack.count].start, stack.list[stack.count].time);
    }
    dft_spans_free(&stack);
}

void dft_spans_free(struct dft_spans *spans)
{
    free(spans->list);
    *spans = (struct dft_spans){0};
}
