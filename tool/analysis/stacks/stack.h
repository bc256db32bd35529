/*
 * Which calls of one thread lie inside which, worked out while they pass by: self time, and the
 * time of a function without that of its own recursive calls.
 *
 * Calls come either children first, as dftrace writes them when they end, or parents first, sorted
 * by start, as other tools write them; the first pair of nested calls tells which. Children first
 * takes 16 bytes for each call whose parent has not come yet, and as much for each function below
 * each of those; parents first takes the depth of the stack.
 *
 * What comes children first is parents first when it is read from its end. Who can do that may give
 * up when the first takes too much.
 */
#ifndef DFT_TOOL_ANALYSIS_STACKS_STACK_H
#define DFT_TOOL_ANALYSIS_STACKS_STACK_H

#include "tool/analysis/stacks/pauses.h"
#include "tool/analysis/stacks/sinks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dft_stack_call {
    uint32_t function; /* number in the caller's array of times */
    int64_t start;
    int64_t end;    /* not before the start */
    int64_t cost;   /* what tracing took of the caller's time, before and behind the call */
    int64_t pause;  /* what it has of dft_stack_pauses: not its own time, nor its total */
    int64_t inside; /* time of calls inside it that have no event of their own; for the tree */
    bool is_pause;  /* no call, but time that dftrace took from the thread */
    bool unfinished;
};

struct dft_stack;

struct dft_stack *dft_stack_new(void);

/* Of the thread; kept for whoever feeds it with calls. Each of them comes as a call as well. */
struct dft_pauses *dft_stack_pauses(struct dft_stack *stack);

/* Returns true for the thread's first call of this function. */
bool dft_stack_add(struct dft_stack *stack, const struct dft_sinks *sinks,
                   const struct dft_stack_call *call);

/* How many calls and functions below calls are kept because their parents have not come. */
size_t dft_stack_pending(const struct dft_stack *stack);

/* Parents come before their children: that the calls are read backwards would be of no use. */
bool dft_stack_is_settled(const struct dft_stack *stack);

/*
 * From now on only unfinished calls are kept, and no times are counted. All calls but these will
 * come again, the last one first, by dft_stack_add_backwards.
 */
void dft_stack_give_up(struct dft_stack *stack);

/*
 * All calls have come once, no times are to be counted yet, and all calls will come again: where
 * dft_stack_is_settled, in the same order by dft_stack_add, otherwise as after dft_stack_give_up.
 */
void dft_stack_restart(struct dft_stack *stack);
void dft_stack_add_backwards(struct dft_stack *stack, const struct dft_sinks *sinks,
                             const struct dft_stack_call *call);

/*
 * All calls of the thread have come. Frees the object and returns how many calls were in no order
 * that a thread can have; their times count in full for their function and for nobody's parent.
 */
uint64_t dft_stack_finish(struct dft_stack *stack, const struct dft_sinks *sinks);

#endif
