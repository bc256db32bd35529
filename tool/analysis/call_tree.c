/*
 * Call trees. Children are found by a hash of parent and function, so that a function that calls
 * many others costs no more than one that calls a few. One thread of the tool uses it.
 */
#include "tool/analysis/call_tree.h"

#include "tool/base/tool.h"

#include <stdlib.h>

/* With its place in the array and the index, both of which grow by doubling. */
#define NODE_BYTES (2 * sizeof(struct dft_tree_node) + 48)

struct key {
    const struct dft_call_tree *tree;
    uint32_t parent;
    uint32_t function;
};

static bool matches_key(const void *context, uint32_t number)
{
    const struct key *key = context;
    const struct dft_tree_node *node = &key->tree->nodes[number];

    return node->parent == key->parent && node->function == key->function;
}

static uint32_t add_node(struct dft_call_tree *tree, uint32_t parent, uint32_t function,
                         uint64_t hash)
{
    uint32_t number = (uint32_t)tree->count;

    tree->nodes = dft_tool_grow(tree->nodes, tree->count, &tree->room, sizeof *tree->nodes);
    tree->nodes[tree->count++] = (struct dft_tree_node){.function = function, .parent = parent};
    dft_index_add(&tree->index, hash, number);
    if (tree->memory)
        tree->memory->used += NODE_BYTES;
    return number;
}

struct dft_call_tree *dft_call_tree_new(struct dft_memory_limit *memory)
{
    struct dft_call_tree *tree = dft_tool_zeroed(1, sizeof *tree);

    tree->memory = memory;
    add_node(tree, DFT_TREE_NO_NODE, DFT_TREE_NO_FUNCTION, 0);
    return tree;
}

uint32_t dft_call_tree_child(struct dft_call_tree *tree, uint32_t parent, uint32_t function)
{
    struct key key = {tree, parent, function};
    uint64_t hash = dft_hash_number(dft_hash_number(1, parent), function);

    if (tree->nodes[parent].function == DFT_TREE_OTHER_FUNCTIONS)
        return parent;
    uint32_t found = dft_index_find(&tree->index, hash, matches_key, &key);
    if (found != DFT_INDEX_NONE)
        return found;
    if (function != DFT_TREE_OTHER_FUNCTIONS && tree->memory &&
        dft_memory_limit_is_reached(tree->memory)) {
        tree->has_others = true;
        return dft_call_tree_child(tree, parent, DFT_TREE_OTHER_FUNCTIONS);
    }
    return add_node(tree, parent, function, hash);
}

static int64_t add_times(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void dft_call_tree_count(struct dft_call_tree *tree, uint32_t node, uint64_t calls,
                         int64_t total_ns, int64_t self_ns)
{
    struct dft_tree_node *counted = &tree->nodes[node];

    counted->calls += calls;
    counted->total_ns = add_times(counted->total_ns, total_ns);
    counted->self_ns = add_times(counted->self_ns, self_ns);
}

static void count_node(struct dft_call_tree *tree, uint32_t node, const struct dft_tree_node *more)
{
    dft_call_tree_count(tree, node, more->calls, more->total_ns, more->self_ns);
}

struct dft_call_tree *dft_call_tree_from(const struct dft_call_tree *tree,
                                         dft_call_tree_matches *matches, const void *context)
{
    struct dft_call_tree *part = dft_call_tree_new(tree->memory);
    uint32_t *copies = dft_tool_zeroed(tree->count, sizeof *copies);

    /* The root's copy has the number 0, and so has a node that is not in the part. */
    for (uint32_t i = 1; i < tree->count; i++) {
        const struct dft_tree_node *node = &tree->nodes[i];

        if (copies[node->parent] != DFT_TREE_ROOT || matches(context, node->function)) {
            copies[i] = dft_call_tree_child(part, copies[node->parent], node->function);
            count_node(part, copies[i], node);
        }
    }
    free(copies);
    return part;
}

struct dft_call_tree *dft_call_tree_callers(const struct dft_call_tree *tree,
                                            dft_call_tree_matches *matches, const void *context,
                                            size_t depth)
{
    struct dft_call_tree *callers = dft_call_tree_new(tree->memory);

    for (uint32_t i = 1; i < tree->count; i++) {
        const struct dft_tree_node *node = &tree->nodes[i];

        if (!matches(context, node->function))
            continue;
        uint32_t copy = dft_call_tree_child(callers, DFT_TREE_ROOT, node->function);
        uint32_t caller = node->parent;

        count_node(callers, copy, node);
        if (caller == DFT_TREE_ROOT && depth > 0)
            count_node(callers, dft_call_tree_child(callers, copy, DFT_TREE_NO_FUNCTION), node);
        for (size_t level = 0; level < depth && caller != DFT_TREE_ROOT; level++) {
            copy = dft_call_tree_child(callers, copy, tree->nodes[caller].function);
            count_node(callers, copy, node);
            if (callers->nodes[copy].function == DFT_TREE_OTHER_FUNCTIONS)
                break;
            caller = tree->nodes[caller].parent;
        }
    }
    return callers;
}

void dft_call_tree_free(struct dft_call_tree *tree)
{
    if (tree->memory)
        tree->memory->used -= tree->count * NODE_BYTES;
    dft_index_free(&tree->index);
    free(tree->nodes);
    free(tree);
}
