/*
 * The call tree of all threads: one node for each chain of callers of a function.
 *
 * Recursion is folded: a call below another call of its own function belongs to that call's node.
 * So no function occurs twice on a path, and a node's total counts outermost calls only.
 */
#ifndef DFT_TOOL_ANALYSIS_CALL_TREE_H
#define DFT_TOOL_ANALYSIS_CALL_TREE_H

#include "tool/base/index.h"
#include "tool/base/memory_limit.h"

#define DFT_TREE_ROOT 0u
#define DFT_TREE_NO_NODE UINT32_MAX

/* In place of a function's number: the root, and functions for which there was no memory. */
#define DFT_TREE_NO_FUNCTION UINT32_MAX
#define DFT_TREE_OTHER_FUNCTIONS (UINT32_MAX - 1)

struct dft_tree_node {
    uint32_t function;
    uint32_t parent; /* its number is smaller than the node's own */
    uint64_t calls;
    int64_t total_ns;
    int64_t self_ns;
};

struct dft_call_tree {
    struct dft_tree_node *nodes;
    size_t count;
    size_t room;
    struct dft_index index;          /* by parent and function */
    struct dft_memory_limit *memory; /* NULL: no limit */
    bool has_others;                 /* a node of other functions was made */
};

/* With a root only. */
struct dft_call_tree *dft_call_tree_new(struct dft_memory_limit *memory);

/*
 * The node of a function that is called from `parent`. Where the memory is used up, functions that
 * have no node below `parent` share one, which has no nodes below it.
 */
uint32_t dft_call_tree_child(struct dft_call_tree *tree, uint32_t parent, uint32_t function);

/* Sums that do not fit stay at the largest value. */
void dft_call_tree_count(struct dft_call_tree *tree, uint32_t node, uint64_t calls,
                         int64_t total_ns, int64_t self_ns);

/* Which functions are meant, by their numbers. */
typedef bool dft_call_tree_matches(const void *context, uint32_t function);

/* Trees made from a tree, with the same limit. */

/* The calls inside these functions, merged: below the root, one node for each of them. */
struct dft_call_tree *dft_call_tree_from(const struct dft_call_tree *tree,
                                         dft_call_tree_matches *matches, const void *context);

/*
 * Upside down: below the root these functions, below each its callers, below those their callers,
 * up to `depth` levels of them. Every node has the times of the functions at the top. The caller of
 * calls without a traced caller has no function.
 */
struct dft_call_tree *dft_call_tree_callers(const struct dft_call_tree *tree,
                                            dft_call_tree_matches *matches, const void *context,
                                            size_t depth);

void dft_call_tree_free(struct dft_call_tree *tree);

#endif
