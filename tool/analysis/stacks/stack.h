/*
 * Works out which calls of a thread are inside which: self times, and totals that do not count
 * recursive calls twice.
 *
 * Calls come either children first, in the order in which they end, as dftrace writes them, or
 * parents first, sorted by start, as other tools write them. The first pair of nested calls
 * decides. Children first needs 16 bytes for each call whose parent has not come yet, and as much
 * for each function below each of those; parents first needs the depth of the stack.
 *
 * Calls that come children first are parents first when they are read backwards. A caller that can
 * do so may give up when children first needs too much memory.
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
    int64_t cost;   /* the cost of tracing in the caller, before and after the call */
    int64_t pause;  /* the time of pauses inside it, which is not part of its total */
    int64_t inside; /* time of calls inside it that have no event of their own; for the tree */
    bool is_pause;  /* not a call, but time that dftrace took from the thread */
    bool unfinished;
};

struct dft_stack;

struct dft_stack *dft_stack_new(void);

/* The pauses of the thread, which the caller maintains. Each of them is also added as a call. */
struct dft_pauses *dft_stack_pauses(struct dft_stack *stack);

/* Returns true for the thread's first call of this function. */
bool dft_stack_add(struct dft_stack *stack, const struct dft_sinks *sinks,
                   const struct dft_stack_call *call);

/* How many calls, and functions below calls, are kept until their parents come. */
size_t dft_stack_pending(const struct dft_stack *stack);

/* Whether parents come before their children, so that reading backwards is not needed. */
bool dft_stack_is_settled(const struct dft_stack *stack);

/*
 * From now on, only unfinished calls are kept, and no times are counted. All other calls will be
 * added again by dft_stack_add_backwards, last call first.
 */
void dft_stack_give_up(struct dft_stack *stack);

/*
 * Forgets the times, because all calls will be added again: if dft_stack_is_settled, by
 * dft_stack_add in the same order; otherwise as after dft_stack_give_up.
 */
void dft_stack_restart(struct dft_stack *stack);
void dft_stack_add_backwards(struct dft_stack *stack, const struct dft_sinks *sinks,
                             const struct dft_stack_call *call);

/*
 * All calls of the thread have been added. Frees the object. Returns how many calls overlap others
 * in a way that is impossible on one thread; they count for their function, but for no parent.
 */
uint64_t dft_stack_finish(struct dft_stack *stack, const struct dft_sinks *sinks);

#endif
