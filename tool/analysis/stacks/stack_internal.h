/*
 * Shared by stack.c (the order of a thread's calls), children_first.c and parents_first.c (their
 * times in each order) only.
 */
#ifndef DFT_TOOL_ANALYSIS_STACKS_STACK_INTERNAL_H
#define DFT_TOOL_ANALYSIS_STACKS_STACK_INTERNAL_H

#include "tool/analysis/call_tree.h"
#include "tool/analysis/stacks/spans.h"
#include "tool/analysis/stacks/stack.h"
#include "tool/base/index.h"

enum dft_order {
    DFT_ORDER_UNKNOWN, /* no two calls have been nested yet */
    DFT_ORDER_CHILDREN_FIRST,
    DFT_ORDER_PARENTS_FIRST,
    DFT_ORDER_BACKWARDS,
};

/* A function on this thread. */
struct dft_stack_slot {
    uint32_t function;
    uint32_t open;          /* its calls on the stack; parents first only */
    struct dft_spans calls; /* outermost ones so far; children first only */
};

struct dft_open_call {
    int64_t start;
    int64_t end;
    int64_t cost;
    int64_t pause;
    int64_t self; /* for the tree: its self time so far, minus its length */
    uint32_t slot;
    uint32_t node; /* for the tree; DFT_TREE_NO_NODE: not looked up yet */
    bool is_pause;
};

struct dft_stack {
    enum dft_order order;
    uint64_t disordered;
    struct dft_stack_slot *slots;
    size_t slot_count;
    size_t slot_room;
    struct dft_index index; /* function to slot */

    struct dft_spans roots;
    struct dft_spans costs; /* of roots that have one */
    size_t entries;         /* in the lists of all slots */
    size_t merged;          /* how many there were after the last merge */

    /* While the order is unknown: the calls that would be open if it were parents first. */
    struct dft_open_call *frames;
    size_t depth;
    size_t frame_room;

    struct dft_open_call *unfinished;
    size_t unfinished_count;
    size_t unfinished_room;
    size_t unfinished_done; /* backwards: those that have been counted */
    bool is_turned;         /* backwards: they are sorted by their end, in reversed time */
    struct dft_pauses pauses;
};

static inline int64_t dft_call_length(const struct dft_open_call *call)
{
    return call->end - call->start;
}

/* The part of it that counts in totals. */
static inline int64_t dft_call_total(const struct dft_open_call *call)
{
    return dft_call_length(call) - call->pause;
}

static inline struct dft_times *dft_stack_times(const struct dft_stack *stack,
                                                const struct dft_sinks *sinks, uint32_t slot)
{
    return &sinks->times[stack->slots[slot].function];
}

static inline void dft_stack_count_alone(struct dft_stack *stack, const struct dft_sinks *sinks,
                                         const struct dft_open_call *call)
{
    struct dft_times *own = dft_stack_times(stack, sinks, call->slot);

    own->self += dft_call_total(call);
    own->total += dft_call_total(call);
    if (sinks->tree && !call->is_pause)
        dft_call_tree_count(
            sinks->tree,
            dft_call_tree_child(sinks->tree, DFT_TREE_ROOT, stack->slots[call->slot].function), 1,
            dft_call_total(call), dft_call_total(call));
    stack->disordered++;
}

/*
 * Whether the call ended before the other one began. A call of length 0 at the end of a call is
 * inside it.
 */
static inline bool dft_call_is_before(const struct dft_open_call *call, const struct dft_span *span)
{
    return call->start < span->start &&
           (call->end < span->start || (call->end == span->start && span->time > 0));
}

/* --- children_first.c --- */

void dft_children_first_add(struct dft_stack *stack, const struct dft_sinks *sinks,
                            const struct dft_open_call *call);

/* Adds the unfinished calls. */
void dft_children_first_settle(struct dft_stack *stack, const struct dft_sinks *sinks);

/* Sorts them, innermost first. */
void dft_stack_sort_unfinished(struct dft_stack *stack);

/* Frees the lists; further calls may come in another order. */
void dft_children_first_free(struct dft_stack *stack);

/* --- parents_first.c --- */

/* Maintains the stack for the case that the order is parents first. */
void dft_parents_first_track(struct dft_stack *stack, const struct dft_open_call *call);

/* The order is parents first. The unfinished calls are sorted. */
void dft_parents_first_begin(struct dft_stack *stack);
void dft_parents_first_add(struct dft_stack *stack, const struct dft_sinks *sinks,
                           struct dft_open_call *call);

/* Adds calls that come again, last call first; and in the end those that are unfinished. */
void dft_parents_first_add_backwards(struct dft_stack *stack, const struct dft_sinks *sinks,
                                     const struct dft_open_call *call);
/* No more calls come: those on the stack have ended. */
void dft_parents_first_end(struct dft_stack *stack, const struct dft_sinks *sinks);
void dft_parents_first_end_backwards(struct dft_stack *stack, const struct dft_sinks *sinks);

#endif
