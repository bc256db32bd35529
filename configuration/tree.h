/*
 * A YAML document as a tree. tree_libyaml.c reads it; tree_none.c replaces it in a build without
 * libyaml.
 */
#ifndef DFT_CONFIGURATION_TREE_H
#define DFT_CONFIGURATION_TREE_H

#include "configuration/configuration.h"

enum dft_tree_kind { DFT_TREE_SCALAR, DFT_TREE_LIST, DFT_TREE_MAP };

struct dft_tree_entry;

/* An alias refers to the node of its anchor, so a node may have several parents. */
struct dft_tree_node {
    enum dft_tree_kind kind;
    bool is_plain; /* a scalar without quotes */
    struct dft_configuration_position at;
    const char *text; /* of a scalar: UTF-8, NUL-terminated, without other NULs */
    size_t length;
    const struct dft_tree_entry *entries; /* of a list or a map, in the order of the file */
};

struct dft_tree_entry {
    const struct dft_tree_node *key; /* a scalar; NULL in a list. No two of a map are equal. */
    const struct dft_tree_node *value;
    const struct dft_tree_entry *next;
};

/* NULL with the reason in `error`. The tree is in the arena. */
const struct dft_tree_node *dft_tree_read(const char *text, size_t length, struct dft_arena *arena,
                                          struct dft_allowlist_error *error);

#endif
