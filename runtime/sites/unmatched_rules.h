/*
 * Reports rules of the run's allowlist and of DFTRACER_AGGREGATE that match no function. `dftrace
 * run` does so by itself, for all processes of the run together.
 */
#ifndef DFT_RUNTIME_SITES_UNMATCHED_RULES_H
#define DFT_RUNTIME_SITES_UNMATCHED_RULES_H

#include <stddef.h>

/*
 * Called at the end of a session: prints one line if there are such rules. Prints nothing in a
 * forked child, since its parent does.
 */
void dft_unmatched_rules_report(void);

/*
 * For `dftrace ctl set`: appends " unmatched=COUNT rule=LINE:RULE" with the first such rule to the
 * text if the allowlist has any.
 */
void dft_unmatched_rules_append(char *text, size_t size);

#endif
