/*
 * Replaces tree_libyaml.c in a build without libyaml: every configuration file is an error.
 */
#include "configuration/tree.h"

#include "allowlist/message.h"

const struct dft_tree_node *dft_tree_read(const char *text, size_t length, struct dft_arena *arena,
                                          struct dft_allowlist_error *error)
{
    (void)text, (void)length, (void)arena;
    dft_message_set(error, 0, 0,
                    "this dftrace was built without libyaml and cannot read configuration files; "
                    "set the options in the environment (dftrace options lists them)");
    return NULL;
}
