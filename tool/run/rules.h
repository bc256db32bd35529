/*
 * `dftrace run` checks options before a program runs, and rules after it. Otherwise a mistake would
 * only be noticed as an unexpected trace.
 */
#ifndef DFT_TOOL_RUN_RULES_H
#define DFT_TOOL_RUN_RULES_H

#include "allowlist/allowlist.h"
#include "tool/run/config_file.h"

#include <stdbool.h>

struct dft_rule_marks;

/* All zero initially. */
struct dft_run_rules {
    char *path;                     /* of the allowlist, or of the configuration file */
    struct dft_allowlist *rules;    /* DFTRACER_ALLOWLIST, or those of that file; NULL: none */
    struct dft_allowlist *patterns; /* DFTRACER_AGGREGATE; NULL: none */
    size_t named;                   /* how many of the last rules are from the command line */
    struct dft_rule_marks *marks;   /* shared with the traced processes; NULL: no rules */
};

/*
 * Prints what is wrong with the options in this environment; false if anything is. `config` has
 * been applied to the environment.
 */
bool dft_run_rules_check(struct dft_run_rules *rules, const struct dft_environment *environment,
                         const struct dft_run_config *config);

/*
 * Replaces the rules by those of this text, which begins with them: further ones are from the
 * command line, the last `named` ones. False after a message.
 */
bool dft_run_rules_replace(struct dft_run_rules *rules, const char *text, size_t named);

/* Creates a file in this directory in which traced processes mark the rules that have matched. */
void dft_run_rules_share(struct dft_run_rules *rules, const char *directory);

/* After the run: prints the rules that matched no function of any process. */
void dft_run_rules_tell(const struct dft_run_rules *rules, const char *program);

void dft_run_rules_free(struct dft_run_rules *rules);

#endif
