/*
 * Works out the times of calls that come children first.
 *
 * `roots` contains the calls whose parent has not come yet. A new call removes from its end all
 * calls that began after itself: these are its children, and it takes their place. The same is done
 * for each function alone, to find recursive calls. Entries of such a list that are below one root
 * can only be removed together, so they are merged when the lists have grown; this keeps the lists
 * as short as the list of roots.
 *
 * The costs of tracing around calls are in a list of their own, from which each call removes those
 * inside itself.
 *
 * Unfinished calls are added at the very end, because they are open until then, wherever they are
 * in the file.
 */
#include "tool/analysis/stacks/stack_internal.h"
#include "tool/base/tool.h"

#include <stdlib.h>

/* The lists of functions are merged when they have doubled and grown by this many entries. */
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

/*
 * A call's time without the calls inside; because of rounding, these may be longer than the call.
 */
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
            stack->disordered++; /* its parent has come before */
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

/*
 * Adds sorted unfinished calls to a list; each one counts the time that is not in calls inside it.
 */
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
