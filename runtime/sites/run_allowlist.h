/*
 * DFTRACER_ALLOWLIST: the run-time allowlist, for programs compiled with another list or with none.
 */
#ifndef DFT_RUNTIME_SITES_RUN_ALLOWLIST_H
#define DFT_RUNTIME_SITES_RUN_ALLOWLIST_H

#include "allowlist/allowlist.h"
#include "dftrace/abi.h"

/*
 * Reads the list from a file, or takes its text. If the list is refused, returns false, fills
 * `error` and keeps the previous list. While holding the private heap's lock.
 */
bool dft_run_allowlist_load(const char *path, struct dft_allowlist_error *error);
bool dft_run_allowlist_set(const char *text, size_t length, struct dft_allowlist_error *error);
bool dft_run_allowlist_is_set(void);
bool dft_run_allowlist_has_samples(void);

/*
 * Sets the patterns of functions to aggregate, joined by commas. If they are refused, returns false
 * and fills `error`, whose line is the number of the pattern. While holding the private heap's
 * lock.
 */
bool dft_run_allowlist_load_aggregated(const char *patterns, struct dft_allowlist_error *error);

/* Rules of either list that have matched no function; those of [never] do not count. */
struct dft_unmatched {
    size_t count;
    const struct dft_rule *first;
    bool is_pattern; /* `first` is one of the patterns of functions to aggregate */
};

/* False if there is none, or if this process was forked after the lists had been read. */
bool dft_run_allowlist_find_unmatched(struct dft_unmatched *found);

/*
 * From now on, each rule of either list that matches a function is marked in a file (rule_marks.h),
 * if `dftrace run` has created that file in this directory. Called once, after both lists have been
 * read.
 */
void dft_run_allowlist_share_marks(const char *directory);

/*
 * Whether the patterns or the list ask for aggregation of the function whose site has this text.
 * While holding the private heap's lock, on the big stack.
 */
bool dft_run_allowlist_aggregates(const char *text);
bool dft_run_allowlist_has_aggregated(void);

/*
 * Makes a list of this one rule, to be freed by dft_allowlist_free; NULL if `pattern` is not a
 * rule.
 */
struct dft_allowlist *dft_run_allowlist_rule(const char *pattern);

/* What the list says about a function. While holding the private heap's lock, on the big stack. */
void dft_run_allowlist_match(const struct dft_names *names, const char *file,
                             struct dft_verdict *verdict);

/*
 * The same for regions, instants and counters, by their names. Need no big stack. The first is for a
 * list that dft_run_allowlist_rule has made. The category of a verdict is NULL if no rule has one.
 */
bool dft_run_allowlist_names_region(const struct dft_allowlist *list, const char *name);
void dft_run_allowlist_judge_region(const char *name, struct dft_verdict *verdict);
bool dft_run_allowlist_aggregates_region(const char *name);

/* The same for calls of libc (DFT_SUBJECT_IO) and their files (DFT_SUBJECT_FILE). */
bool dft_run_allowlist_names_io(const struct dft_allowlist *list, const char *name);
void dft_run_allowlist_judge_plain(enum dft_subject subject, const char *name,
                                   struct dft_verdict *verdict);

/* Whether `list` names the function whose site has this text (abi.h). NULL: the run's allowlist. */
bool dft_run_allowlist_names(const struct dft_allowlist *list, const char *text);

/*
 * Whether the list names a function of a guest (dftrace/guest.h). Needs no lock; does not allocate.
 * True if it cannot be decided so.
 */
bool dft_run_allowlist_may_name_guest(const struct dft_guest_names *names, const char *file);

/*
 * The same with the whole verdict, and for another list, and for aggregation. While holding the
 * private heap's lock. Without a list, no such function is traced.
 */
void dft_run_allowlist_judge_guest(const struct dft_guest_names *names, const char *file,
                                   struct dft_verdict *verdict);
bool dft_run_allowlist_names_guest(const struct dft_allowlist *list,
                                   const struct dft_guest_names *names, const char *file);
bool dft_run_allowlist_aggregates_guest(const struct dft_guest_names *names, const char *file);

/*
 * The parameters that the rules of a verdict omit, one after the other: `*place` is 0 at first.
 * False: no more. While holding the private heap's lock, which must not have been released since
 * the verdict.
 */
bool dft_run_allowlist_next_left_out(const struct dft_name_set *set, size_t *place,
                                     const char **name);

#endif
