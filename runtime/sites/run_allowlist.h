/* DFTRACER_ALLOWLIST: the allowlist of a run, for what was compiled with another or with none. */
#ifndef DFT_RUNTIME_SITES_RUN_ALLOWLIST_H
#define DFT_RUNTIME_SITES_RUN_ALLOWLIST_H

#include "allowlist/allowlist.h"
#include "dftrace/abi.h"

/*
 * Takes the list from a file, or from its text. False where it is refused: then `error` says why,
 * and the list before stays. While the heap's lock is held.
 */
bool dft_run_allowlist_load(const char *path, struct dft_allowlist_error *error);
bool dft_run_allowlist_set(const char *text, size_t length, struct dft_allowlist_error *error);
bool dft_run_allowlist_is_set(void);
bool dft_run_allowlist_has_samples(void);

/*
 * Patterns of functions whose calls are added up, joined by commas. False where they are refused,
 * and then has filled `error`, whose line counts the patterns. Below the heap's lock.
 */
bool dft_run_allowlist_load_aggregated(const char *patterns, struct dft_allowlist_error *error);

/*
 * From now on, rules of both lists that match a function are marked in the file that `dftrace run`
 * has made in this directory (rule_marks.h), if there is one. Once, after both have been read.
 */
void dft_run_allowlist_share_marks(const char *directory);

/* Whether these patterns or the list name this function; below the heap's lock, on the big stack.
 */
bool dft_run_allowlist_aggregates(const char *text);
bool dft_run_allowlist_has_aggregated(void);

/* A list of this one rule, to be freed by dft_allowlist_free; NULL where it is none. */
struct dft_allowlist *dft_run_allowlist_rule(const char *pattern);

/* What the list says of a function. Below the heap's lock, on the big stack. */
void dft_run_allowlist_match(const struct dft_names *names, const char *file,
                             struct dft_verdict *verdict);

/* Whether a list, or the filter (NULL), names this function, whose five strings are given. */
bool dft_run_allowlist_names(const struct dft_allowlist *list, const char *text);

#endif
