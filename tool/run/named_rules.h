/*
 * `dftrace run -t NAME`: rules that are given on the command line. They come after those of the
 * run's allowlist, in a list in the private directory of the run.
 */
#ifndef DFT_TOOL_RUN_NAMED_RULES_H
#define DFT_TOOL_RUN_NAMED_RULES_H

#include "tool/run/config_file.h"
#include "tool/run/rules.h"

#include <stdbool.h>
#include <stddef.h>

/* All zero initially. */
struct dft_named_rules {
    char *text; /* an allowlist: a line for each name */
    size_t count;
};

/* Prints what is wrong with the name; false if anything is. */
bool dft_named_rules_add(struct dft_named_rules *named, const char *name);

/*
 * Writes the run's allowlist with these rules into this directory, names it in the environment, and
 * adds the rules to `rules`. Without names, does what dft_run_config_share does. False after a
 * message.
 */
bool dft_named_rules_share(const struct dft_named_rules *named, const struct dft_run_config *config,
                           struct dft_run_rules *rules, struct dft_environment *environment,
                           const char *directory);

void dft_named_rules_free(struct dft_named_rules *named);

#endif
