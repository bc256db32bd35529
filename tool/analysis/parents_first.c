/*
 * Nesting of calls that come parents first: those that are still open when a call begins are a
 * stack.
 *
 * Backwards: time is turned round, so that the end of a call is its start, and calls come parents
 * first. Unfinished calls are put in where they end, before those that lie inside them.
 */
#include "tool/analysis/nesting_internal.h"
#include "tool/base/tool.h"

#include <stdlib.h>
#include <string.h>

/* Calls of equal start are put in order by their length; a file with more of them is no trace. */
#define MOST_EQUAL_STARTS 1024

static void insert_open(struct dft_nesting *nesting, size_t place, const struct dft_open_call *call)
{
    nesting->stack =
        dft_tool_grow(nesting->stack, nesting->depth, &nesting->stack_room, sizeof *nesting->stack);
    memmove(nesting->stack + place + 1, nesting->stack + place,
            (nesting->depth - place) * sizeof *nesting->stack);
    nesting->stack[place] = *call;
    nesting->depth++;
}

/*
 * Where on the stack a call belongs: above all that began before it, and below those of the same
 * start that it is longer than. False when there are too many of these.
 */
static bool find_place(const struct dft_nesting *nesting, const struct dft_open_call *call,
                       bool equal_is_inside, size_t *place)
{
    size_t at = nesting->depth;

    for (; at > 0; at--) {
        const struct dft_open_call *other = &nesting->stack[at - 1];

        if (other->start != call->start || other->end > call->end ||
            (other->end == call->end && !equal_is_inside))
            break;
        if (nesting->depth - at == MOST_EQUAL_STARTS)
            return false;
    }
    *place = at;
    return true;
}

void dft_parents_first_track(struct dft_nesting *nesting, const struct dft_open_call *call)
{
    size_t place;

    while (nesting->depth > 0 && nesting->stack[nesting->depth - 1].end <= call->start)
        nesting->depth--;
    if (!find_place(nesting, call, true, &place))
        place = nesting->depth = 0;
    insert_open(nesting, place, call);
}

/* The stack holds the last call, and those of the same start that lie inside it. */
void dft_parents_first_begin(struct dft_nesting *nesting)
{
    int64_t start = nesting->stack[0].start;
    size_t place = 0;

    for (size_t i = nesting->unfinished_count; i > 0; i--) {
        const struct dft_open_call *call = &nesting->unfinished[i - 1];

        if (call->start <= start && call->end > start)
            insert_open(nesting, place++, call);
    }
    nesting->unfinished_count = 0;
    for (size_t i = 0; i < nesting->depth; i++)
        nesting->slots[nesting->stack[i].slot].open++;
}

/* The part of `call` that lies inside `parent`: rounded ends may stand out by a digit. */
static int64_t part_inside(const struct dft_open_call *call, const struct dft_open_call *parent)
{
    return (call->end < parent->end ? call->end : parent->end) - call->start;
}

/* Whether a call at `place` has its own function below it; `above` is its lowest one above. */
static bool is_recursive(const struct dft_nesting *nesting, const struct dft_open_call *call,
                         size_t place, const struct dft_open_call **above)
{
    uint32_t open = nesting->slots[call->slot].open;

    *above = NULL;
    for (size_t i = nesting->depth; i > place; i--) {
        if (nesting->stack[i - 1].slot == call->slot) {
            *above = &nesting->stack[i - 1];
            open--;
        }
    }
    return open > 0;
}

void dft_parents_first_add(struct dft_nesting *nesting, struct dft_times *times,
                           const struct dft_open_call *call)
{
    struct dft_times *own = dft_nesting_times(nesting, times, call->slot);
    const struct dft_open_call *above;
    size_t place;

    while (nesting->depth > 0 && nesting->stack[nesting->depth - 1].end <= call->start)
        nesting->slots[nesting->stack[--nesting->depth].slot].open--;
    if ((nesting->depth > 0 && nesting->stack[nesting->depth - 1].start > call->start) ||
        !find_place(nesting, call, false, &place)) {
        dft_nesting_count_alone(nesting, times, call);
        return;
    }
    const struct dft_open_call *parent = place > 0 ? &nesting->stack[place - 1] : NULL;
    const struct dft_open_call *inner = place < nesting->depth ? &nesting->stack[place] : NULL;

    own->self += dft_call_length(call);
    if (inner)
        own->self -= dft_call_length(inner);
    if (parent)
        dft_nesting_times(nesting, times, parent->slot)->self -=
            part_inside(call, parent) + call->cost;
    if (parent && inner)
        dft_nesting_times(nesting, times, parent->slot)->self += part_inside(inner, parent);
    if (!is_recursive(nesting, call, place, &above))
        own->total += dft_call_total(call) - (above ? dft_call_total(above) : 0);
    nesting->slots[call->slot].open++;
    insert_open(nesting, place, call);
}

/* --- backwards --- */

/* Start and end are those of the turned time. */
static int compare_turned(const void *left, const void *right)
{
    const struct dft_open_call *a = left;
    const struct dft_open_call *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return 0;
}

static struct dft_open_call turn(const struct dft_open_call *call)
{
    /* The smallest number has no counterpart. */
    struct dft_open_call turned = {~call->end, ~call->start, call->slot, call->cost, call->pause};

    return turned;
}

/* Rounded ends may stand out of the parent's by a digit: for the parent they end with it. */
static void add_turned(struct dft_nesting *nesting, struct dft_times *times,
                       struct dft_open_call *call)
{
    if (nesting->depth > 0) {
        const struct dft_open_call *top = &nesting->stack[nesting->depth - 1];
        bool stands_out = call->start < top->start;

        if (stands_out && call->end > top->start && call->end <= top->end) {
            struct dft_times *own = dft_nesting_times(nesting, times, call->slot);
            int64_t outside = top->start - call->start;

            own->self += outside;
            own->total += nesting->slots[call->slot].open ? 0 : outside;
            call->start = top->start;
        }
    }
    dft_parents_first_add(nesting, times, call);
}

/* Those that are open when a call ends are its parents, and must be there before it. */
static void add_unfinished_until(struct dft_nesting *nesting, struct dft_times *times,
                                 int64_t start)
{
    while (nesting->unfinished_count > nesting->unfinished_done &&
           nesting->unfinished[nesting->unfinished_done].start <= start)
        add_turned(nesting, times, &nesting->unfinished[nesting->unfinished_done++]);
}

void dft_parents_first_add_backwards(struct dft_nesting *nesting, struct dft_times *times,
                                     const struct dft_open_call *call)
{
    struct dft_open_call turned = turn(call);

    if (!nesting->is_turned) {
        for (size_t i = 0; i < nesting->unfinished_count; i++)
            nesting->unfinished[i] = turn(&nesting->unfinished[i]);
        if (nesting->unfinished_count > 0)
            qsort(nesting->unfinished, nesting->unfinished_count, sizeof *nesting->unfinished,
                  compare_turned);
        nesting->is_turned = true;
    }
    add_unfinished_until(nesting, times, turned.start);
    add_turned(nesting, times, &turned);
}

void dft_parents_first_end_backwards(struct dft_nesting *nesting, struct dft_times *times)
{
    add_unfinished_until(nesting, times, INT64_MAX);
}
