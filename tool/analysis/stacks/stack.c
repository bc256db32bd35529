/*
 * Finds out in which order the calls of a thread come. Their times are then worked out in
 * children_first.c or parents_first.c.
 *
 * While the order is unknown, calls are counted as if it were children first, which is correct as
 * long as no call is inside another one. The stack for parents first is maintained as well.
 */
#include "tool/analysis/stacks/stack.h"

#include "tool/analysis/stacks/stack_internal.h"
#include "tool/base/tool.h"

#include <stdlib.h>

struct dft_stack *dft_stack_new(void)
{
    return dft_tool_zeroed(1, sizeof(struct dft_stack));
}

struct dft_pauses *dft_stack_pauses(struct dft_stack *stack)
{
    return &stack->pauses;
}

struct slot_key {
    const struct dft_stack *stack;
    uint32_t function;
};

static bool slot_matches(const void *context, uint32_t number)
{
    const struct slot_key *key = context;

    return key->stack->slots[number].function == key->function;
}

static uint32_t find_slot(struct dft_stack *stack, uint32_t function, bool *is_new)
{
    struct slot_key key = {stack, function};
    uint64_t hash = dft_hash_number(0, function + UINT64_C(1));
    uint32_t found = dft_index_find(&stack->index, hash, slot_matches, &key);

    *is_new = found == DFT_INDEX_NONE;
    if (!*is_new)
        return found;
    stack->slots = dft_tool_grow(stack->slots, stack->slot_count, &stack->slot_room,
                                 sizeof(struct dft_stack_slot));
    found = (uint32_t)stack->slot_count++;
    stack->slots[found] = (struct dft_stack_slot){.function = function};
    dft_index_add(&stack->index, hash, found);
    return found;
}

static void defer_unfinished(struct dft_stack *stack, const struct dft_open_call *call)
{
    stack->unfinished = dft_tool_grow(stack->unfinished, stack->unfinished_count,
                                      &stack->unfinished_room, sizeof *stack->unfinished);
    stack->unfinished[stack->unfinished_count++] = *call;
}

static void enter_parents_first(struct dft_stack *stack, const struct dft_sinks *sinks)
{
    dft_children_first_settle(stack, sinks);
    dft_stack_sort_unfinished(stack);
    dft_parents_first_begin(stack);
    dft_children_first_free(stack);
    stack->order = DFT_ORDER_PARENTS_FIRST;
}

static void add_unknown(struct dft_stack *stack, const struct dft_sinks *sinks,
                        struct dft_open_call *call)
{
    if (stack->roots.count > 0) {
        const struct dft_span *last = &stack->roots.list[stack->roots.count - 1];
        int64_t last_end = last->start + last->time;

        if ((call->start > last->start && call->start < last_end && call->end <= last_end) ||
            (call->start == last->start && call->end < last_end)) {
            enter_parents_first(stack, sinks);
            dft_parents_first_add(stack, sinks, call);
            return;
        }
        if (call->start < last->start && !dft_call_is_before(call, last)) {
            stack->order = DFT_ORDER_CHILDREN_FIRST;
            stack->depth = 0;
        } else if (call->start >= last->start) {
            dft_parents_first_track(stack, call);
        }
    } else {
        dft_parents_first_track(stack, call);
    }
    dft_children_first_add(stack, sinks, call);
}

static struct dft_open_call make_entry(struct dft_stack *stack, const struct dft_stack_call *call,
                                       bool *is_new)
{
    return (struct dft_open_call){
        .start = call->start,
        .end = call->end,
        .cost = call->cost,
        .pause = call->pause,
        .self = -call->inside,
        .slot = find_slot(stack, call->function, is_new),
        .node = DFT_TREE_NO_NODE,
        .is_pause = call->is_pause,
    };
}

bool dft_stack_add(struct dft_stack *stack, const struct dft_sinks *sinks,
                   const struct dft_stack_call *call)
{
    bool is_new;
    struct dft_open_call entry = make_entry(stack, call, &is_new);

    if (stack->order == DFT_ORDER_PARENTS_FIRST)
        dft_parents_first_add(stack, sinks, &entry);
    else if (call->unfinished)
        defer_unfinished(stack, &entry);
    else if (stack->order == DFT_ORDER_CHILDREN_FIRST)
        dft_children_first_add(stack, sinks, &entry);
    else if (stack->order == DFT_ORDER_UNKNOWN)
        add_unknown(stack, sinks, &entry);
    return is_new;
}

size_t dft_stack_pending(const struct dft_stack *stack)
{
    return stack->roots.count + stack->costs.count + stack->entries + stack->depth;
}

bool dft_stack_is_settled(const struct dft_stack *stack)
{
    return stack->order == DFT_ORDER_PARENTS_FIRST;
}

void dft_stack_give_up(struct dft_stack *stack)
{
    dft_children_first_free(stack);
    stack->depth = 0;
    stack->disordered = 0;
    stack->order = DFT_ORDER_BACKWARDS;
}

void dft_stack_restart(struct dft_stack *stack)
{
    if (stack->order != DFT_ORDER_PARENTS_FIRST) {
        dft_stack_give_up(stack);
        return;
    }
    for (size_t i = 0; i < stack->slot_count; i++)
        stack->slots[i].open = 0;
    stack->depth = 0;
    stack->disordered = 0;
    stack->unfinished_count = 0;
}

void dft_stack_add_backwards(struct dft_stack *stack, const struct dft_sinks *sinks,
                             const struct dft_stack_call *call)
{
    bool is_new;
    struct dft_open_call entry = make_entry(stack, call, &is_new);

    dft_parents_first_add_backwards(stack, sinks, &entry);
}

uint64_t dft_stack_finish(struct dft_stack *stack, const struct dft_sinks *sinks)
{
    if (stack->order == DFT_ORDER_BACKWARDS)
        dft_parents_first_end_backwards(stack, sinks);
    else if (stack->order == DFT_ORDER_PARENTS_FIRST)
        dft_parents_first_end(stack, sinks);
    else
        dft_children_first_settle(stack, sinks);
    uint64_t disordered = stack->disordered;

    dft_children_first_free(stack);
    dft_index_free(&stack->index);
    free(stack->slots);
    free(stack->frames);
    free(stack->unfinished);
    dft_pauses_free(&stack->pauses);
    free(stack);
    return disordered;
}
