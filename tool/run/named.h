/* Functions that the command line of `dftrace run` names: -t NAME. They become rules of an allowlist. */
#ifndef DFT_TOOL_RUN_NAMED_H
#define DFT_TOOL_RUN_NAMED_H

#include "tool/run/config_file.h"
#include "tool/run/environment.h"
#include "tool/run/rules.h"

#include <stdbool.h>
#include <stddef.h>

/* All zero initially. */
struct dft_run_named {
    char *names; /* one rule a line; NULL: none */
    char *text;  /* of the whole allowlist, with the rules of a file before the names */
};

void dft_run_named_add(struct dft_run_named *named, const char *name);

/*
 * Adds the names to the rules of the allowlist or configuration file, which have been checked. Prints
 * what is wrong with the names; false if anything is.
 */
bool dft_run_named_check(struct dft_run_named *named, struct dft_run_rules *rules,
                         const struct dft_environment *environment,
                         const struct dft_run_config *config);

/* Writes the allowlist into this directory and names it in the environment. False after a message. */
bool dft_run_named_share(const struct dft_run_named *named, struct dft_environment *environment,
                         const char *directory);

void dft_run_named_free(struct dft_run_named *named);

#endif
