/*
 * Works out the times of calls that come parents first: the calls that are open when a call begins
 * are a stack.
 *
 * Backward passes use reversed time, in which the end of a call is its start, so that parents come
 * first. An unfinished call is inserted where it ends, before the calls inside it.
 */
#include "tool/analysis/stacks/stack_internal.h"
#include "tool/base/tool.h"

#include <stdlib.h>
#include <string.h>

/* Calls that start at the same time are sorted by length. No real trace has more of them. */
#define EQUAL_STARTS_MAX 1024

static void insert_open(struct dft_stack *stack, size_t place, const struct dft_open_call *call)
{
    stack->frames =
        dft_tool_grow(stack->frames, stack->depth, &stack->frame_room, sizeof *stack->frames);
    memmove(stack->frames + place + 1, stack->frames + place,
            (stack->depth - place) * sizeof *stack->frames);
    stack->frames[place] = *call;
    stack->depth++;
}

/* --- the tree --- */

/* The node of a call on the stack, given that those of the calls around it are known. */
static uint32_t find_node(const struct dft_stack *stack, struct dft_call_tree *tree, size_t at)
{
    const struct dft_open_call *call = &stack->frames[at];
    const struct dft_stack_slot *slot = &stack->slots[call->slot];
    uint32_t parent = at > 0 ? stack->frames[at - 1].node : DFT_TREE_ROOT;

    if (call->is_pause)
        return parent;
    for (size_t i = at; slot->open > 1 && i > 0; i--) {
        if (stack->frames[i - 1].slot == call->slot)
            return stack->frames[i - 1].node;
    }
    return dft_call_tree_child(tree, parent, slot->function);
}

/* The innermost call has ended. Only now it is certain which calls are around it. */
static void count_in_tree(struct dft_stack *stack, struct dft_call_tree *tree)
{
    struct dft_open_call *call = &stack->frames[stack->depth - 1];
    size_t known = stack->depth;

    while (known > 0 && stack->frames[known - 1].node == DFT_TREE_NO_NODE)
        known--;
    for (; known < stack->depth; known++)
        stack->frames[known].node = find_node(stack, tree, known);
    if (!call->is_pause)
        dft_call_tree_count(tree, call->node, 1,
                            stack->slots[call->slot].open > 1 ? 0 : dft_call_total(call),
                            dft_call_length(call) + call->self);
}

static void pop_call(struct dft_stack *stack, const struct dft_sinks *sinks)
{
    if (sinks->tree)
        count_in_tree(stack, sinks->tree);
    stack->slots[stack->frames[--stack->depth].slot].open--;
}

/* The call was inserted below others, whose callers have changed by that. */
static void forget_nodes_above(struct dft_stack *stack, size_t place)
{
    for (size_t i = place + 1; i < stack->depth; i++)
        stack->frames[i].node = DFT_TREE_NO_NODE;
}

/* --- calls --- */

/*
 * Finds the place of a call on the stack: above all calls that began before it, and below shorter
 * calls that began at the same time. False if there are too many of these.
 */
static bool find_place(const struct dft_stack *stack, const struct dft_open_call *call,
                       bool equal_is_inside, size_t *place)
{
    size_t at = stack->depth;

    for (; at > 0; at--) {
        const struct dft_open_call *other = &stack->frames[at - 1];

        if (other->start != call->start || other->end > call->end ||
            (other->end == call->end && !equal_is_inside))
            break;
        if (stack->depth - at == EQUAL_STARTS_MAX)
            return false;
    }
    *place = at;
    return true;
}

void dft_parents_first_track(struct dft_stack *stack, const struct dft_open_call *call)
{
    size_t place;

    while (stack->depth > 0 && stack->frames[stack->depth - 1].end <= call->start)
        stack->depth--;
    if (!find_place(stack, call, true, &place))
        place = stack->depth = 0;
    insert_open(stack, place, call);
}

/* The stack contains the last call, and the calls inside it that began at the same time. */
void dft_parents_first_begin(struct dft_stack *stack)
{
    int64_t start = stack->frames[0].start;
    size_t place = 0;

    for (size_t i = stack->unfinished_count; i > 0; i--) {
        const struct dft_open_call *call = &stack->unfinished[i - 1];

        if (call->start <= start && call->end > start)
            insert_open(stack, place++, call);
    }
    stack->unfinished_count = 0;
    for (size_t i = 0; i < stack->depth; i++)
        stack->slots[stack->frames[i].slot].open++;
}

/* The part of `call` that is inside `parent`: because of rounding, it may end a little later. */
static int64_t part_inside(const struct dft_open_call *call, const struct dft_open_call *parent)
{
    return (call->end < parent->end ? call->end : parent->end) - call->start;
}

/*
 * Whether the function of a call at `place` is also below it on the stack. `above` becomes the
 * lowest call of the function above it.
 */
static bool is_recursive(const struct dft_stack *stack, const struct dft_open_call *call,
                         size_t place, const struct dft_open_call **above)
{
    uint32_t open = stack->slots[call->slot].open;

    *above = NULL;
    for (size_t i = stack->depth; i > place; i--) {
        if (stack->frames[i - 1].slot == call->slot) {
            *above = &stack->frames[i - 1];
            open--;
        }
    }
    return open > 0;
}

void dft_parents_first_add(struct dft_stack *stack, const struct dft_sinks *sinks,
                           struct dft_open_call *call)
{
    struct dft_times *own = dft_stack_times(stack, sinks, call->slot);
    const struct dft_open_call *above;
    size_t place;

    while (stack->depth > 0 && stack->frames[stack->depth - 1].end <= call->start)
        pop_call(stack, sinks);
    if ((stack->depth > 0 && stack->frames[stack->depth - 1].start > call->start) ||
        !find_place(stack, call, false, &place)) {
        dft_stack_count_alone(stack, sinks, call);
        return;
    }
    struct dft_open_call *parent = place > 0 ? &stack->frames[place - 1] : NULL;
    const struct dft_open_call *inner = place < stack->depth ? &stack->frames[place] : NULL;
    own->self += dft_call_length(call);
    if (inner) {
        own->self -= dft_call_length(inner);
        call->self -= dft_call_length(inner);
    }
    if (parent) {
        int64_t part = part_inside(call, parent) + call->cost;

        if (inner)
            part -= part_inside(inner, parent);
        dft_stack_times(stack, sinks, parent->slot)->self -= part;
        parent->self -= part;
    }
    if (!is_recursive(stack, call, place, &above))
        own->total += dft_call_total(call) - (above ? dft_call_total(above) : 0);
    stack->slots[call->slot].open++;
    insert_open(stack, place, call);
    forget_nodes_above(stack, place);
}

void dft_parents_first_end(struct dft_stack *stack, const struct dft_sinks *sinks)
{
    while (stack->depth > 0)
        pop_call(stack, sinks);
}

/* --- backwards --- */

/* Start and end are in reversed time. */
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
    /* ~ instead of -, because -INT64_MIN does not exist. */
    struct dft_open_call turned = *call;

    turned.start = ~call->end;
    turned.end = ~call->start;
    return turned;
}

/*
 * Because of rounding, a call may end a little after its parent; the parent counts only the part
 * inside.
 */
static void add_turned(struct dft_stack *stack, const struct dft_sinks *sinks,
                       struct dft_open_call *call)
{
    if (stack->depth > 0) {
        const struct dft_open_call *top = &stack->frames[stack->depth - 1];
        bool stands_out = call->start < top->start;

        if (stands_out && call->end > top->start && call->end <= top->end) {
            int64_t outside = top->start - call->start;

            dft_stack_times(stack, sinks, call->slot)->self += outside;
            call->self += outside;
            call->pause -= outside; /* so that it stays in the total */
            call->start = top->start;
        }
    }
    dft_parents_first_add(stack, sinks, call);
}

/* Unfinished calls that are open when a call ends are its parents, and must be added before it. */
static void add_unfinished_until(struct dft_stack *stack, const struct dft_sinks *sinks,
                                 int64_t start)
{
    while (stack->unfinished_count > stack->unfinished_done &&
           stack->unfinished[stack->unfinished_done].start <= start)
        add_turned(stack, sinks, &stack->unfinished[stack->unfinished_done++]);
}

static void turn_unfinished(struct dft_stack *stack)
{
    if (stack->is_turned)
        return;
    for (size_t i = 0; i < stack->unfinished_count; i++)
        stack->unfinished[i] = turn(&stack->unfinished[i]);
    if (stack->unfinished_count > 0)
        qsort(stack->unfinished, stack->unfinished_count, sizeof *stack->unfinished,
              compare_turned);
    stack->is_turned = true;
}

void dft_parents_first_add_backwards(struct dft_stack *stack, const struct dft_sinks *sinks,
                                     const struct dft_open_call *call)
{
    struct dft_open_call turned = turn(call);

    turn_unfinished(stack);
    add_unfinished_until(stack, sinks, turned.start);
    add_turned(stack, sinks, &turned);
}

void dft_parents_first_end_backwards(struct dft_stack *stack, const struct dft_sinks *sinks)
{
    turn_unfinished(stack);
    add_unfinished_until(stack, sinks, INT64_MAX);
    dft_parents_first_end(stack, sinks);
}
