/*
 * What `dftrace run` checks before and after a program: its options and the rules among them. A
 * mistake in one of them would otherwise only show as a trace that is not what was asked for.
 */
#ifndef DFT_TOOL_RUN_RULES_H
#define DFT_TOOL_RUN_RULES_H

#include "allowlist/allowlist.h"
#include "tool/run/environment.h"

#include <stdbool.h>

struct dft_rule_marks;

/* All zero to begin with. */
struct dft_run_rules {
    char *path;                     /* of the allowlist */
    struct dft_allowlist *rules;    /* DFTRACER_ALLOWLIST; NULL: none */
    struct dft_allowlist *patterns; /* DFTRACER_AGGREGATE; NULL: none */
    struct dft_rule_marks *marks;   /* shared with the traced processes; NULL: there are none */
};

/* Says what is wrong with the options of a program with this environment; false where anything is.
 */
bool dft_run_rules_check(struct dft_run_rules *rules, const struct dft_environment *environment);

/* Lets the traced processes tell, through a file in this directory, which rules have matched. */
void dft_run_rules_share(struct dft_run_rules *rules, const char *directory);

/* After the run: names rules that matched no function of any process. */
void dft_run_rules_tell(const struct dft_run_rules *rules, const char *program);

void dft_run_rules_free(struct dft_run_rules *rules);

#endif
