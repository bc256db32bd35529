/*
 * Nesting of calls that come children first.
 *
 * `roots` holds the calls whose parent has not come. A call takes off the end of it all that began
 * after it began: those are its children, and it takes their place. The same is done once more for
 * each function alone, to find calls of a function below a call of itself. Entries of such a list
 * that lie below one root can only be taken together, so they are merged when the lists have grown;
 * that keeps them as short as the list of roots.
 *
 * What tracing took around calls is a list of its own, from which each call takes what lies in it.
 *
 * Unfinished calls are put over the roots at the very end: they are open until then, wherever in
 * the file they stand.
 */
#include "tool/analysis/stacks/stack_internal.h"
#include "tool/base/tool.h"

#include <stdlib.h>

/* The lists of single functions are merged when they have grown by this many entries and doubled.
 */
#define MERGE_AFTER 4096

static void merge_entries(struct dft_stack *stack)
{
    stack->entries = 0;
    for (size_t i = 0; i < stack->slot_count; i++) {
        dft_spans_merge(&stack->slots[i].calls, &stack->roots);
        stack->entries += stack->slots[i].calls.count;
    }
    stack->merged = stack->entries;
}

/* What is left of a call's time when `inside` is taken away; rounding may have made it more. */
static int64_t remainder_of(int64_t time, int64_t inside)
{
    return time > inside ? time - inside : 0;
}

void dft_children_first_add(struct dft_stack *stack, const struct dft_sinks *sinks,
                            const struct dft_open_call *call)
{
    struct dft_times *own = dft_stack_times(stack, sinks, call->slot);
    struct dft_spans *same = &stack->slots[call->slot].calls;

    if (stack->roots.count > 0) {
        const struct dft_span *last = &stack->roots.list[stack->roots.count - 1];
        int64_t last_end = last->start + last->time;

        if (dft_call_is_before(call, last) ||
            (call->start == last->start && call->end < last_end)) {
            dft_stack_count_alone(stack, sinks, call);
            return;
        }
        if (call->start > last->start && call->start < last_end && call->end <= last_end)
            stack->disordered++; /* its parent has been here already */
    }
    int64_t inside = dft_spans_take(&stack->roots, call->start);
    own->self +=
        remainder_of(dft_call_length(call), inside) - dft_spans_take(&stack->costs, call->start);
    dft_spans_push(&stack->roots, call->start, dft_call_length(call));
    if (call->cost)
        dft_spans_push(&stack->costs, call->start, call->cost);

    size_t before = same->count;
    own->total += remainder_of(dft_call_total(call), dft_spans_take(same, call->start));
    dft_spans_push(same, call->start, dft_call_total(call));
    stack->entries = stack->entries - before + same->count;
    if (stack->entries > stack->merged * 2 + MERGE_AFTER)
        merge_entries(stack);
}

/* --- unfinished calls --- */

/* Innermost first. */
static int compare_calls(const void *left, const void *right)
{
    const struct dft_open_call *a = left;
    const struct dft_open_call *b = right;

    if (a->start != b->start)
        return a->start > b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return 0;
}

void dft_stack_sort_unfinished(struct dft_stack *stack)
{
    if (stack->unfinished_count > 0)
        qsort(stack->unfinished, stack->unfinished_count, sizeof *stack->unfinished, compare_calls);
}

static int compare_slots(const void *left, const void *right)
{
    const struct dft_open_call *a = left;
    const struct dft_open_call *b = right;

    if (a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
    return compare_calls(left, right);
}

/* Puts sorted calls over a list; each of them adds what it does not cover to its function. */
static void cover_spans(struct dft_stack *stack, const struct dft_sinks *sinks,
                        struct dft_spans *spans, const struct dft_open_call *calls, size_t count,
                        bool is_self)
{
    struct dft_cover *covers = dft_tool_zeroed(count, sizeof *covers);

    for (size_t i = 0; i < count; i++)
        covers[i] = (struct dft_cover){.start = calls[i].start,
                                       .end = calls[i].end,
                                       .time = is_self ? dft_call_length(&calls[i])
                                                       : dft_call_total(&calls[i])};
    dft_spans_cover(spans, covers, count);
    for (size_t i = 0; i < count; i++) {
        struct dft_times *own = dft_stack_times(stack, sinks, calls[i].slot);

        *(is_self ? &own->self : &own->total) += remainder_of(covers[i].time, covers[i].inside);
    }
    free(covers);
}

void dft_children_first_settle(struct dft_stack *stack, const struct dft_sinks *sinks)
{
    struct dft_open_call *calls = stack->unfinished;
    size_t count = stack->unfinished_count;

    if (count == 0)
        return;
    dft_stack_sort_unfinished(stack);
    cover_spans(stack, sinks, &stack->roots, calls, count, true);
    for (size_t i = 0; i < count; i++)
        dft_stack_times(stack, sinks, calls[i].slot)->self -=
            dft_spans_take(&stack->costs, calls[i].start);
    qsort(calls, count, sizeof *calls, compare_slots);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;

        while (end < count && calls[end].slot == calls[i].slot)
            end++;
        cover_spans(stack, sinks, &stack->slots[calls[i].slot].calls, calls + i, end - i, false);
        i = end;
    }
}

void dft_children_first_free(struct dft_stack *stack)
{
    dft_spans_free(&stack->roots);
    dft_spans_free(&stack->costs);
    for (size_t i = 0; i < stack->slot_count; i++)
        dft_spans_free(&stack->slots[i].calls);
    stack->entries = 0;
}
