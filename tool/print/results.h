/*
 * The ways in which `dftrace report` shows a profile.
 */
#ifndef DFT_TOOL_PRINT_RESULTS_H
#define DFT_TOOL_PRINT_RESULTS_H

#include "tool/analysis/profile.h"

struct dft_results {
    const char *const *traces;
    size_t trace_count;
    struct dft_profile_summary summary;
    const char *title;                      /* of the rows: "FUNCTION" */
    const struct dft_function *const *rows; /* in the order in which they are shown */
    size_t row_count;
    size_t top;   /* rows of the table; 0: all */
    size_t width; /* of the terminal; 0: no limit */
};

/* Above every report for people: what was recorded, and what is missing. */
void dft_results_print_header(FILE *out, const struct dft_results *results);

/* For people: a header and a table. */
void dft_results_print_text(FILE *out, const struct dft_results *results);

/* For programs: all rows, times in whole nanoseconds. */
void dft_results_print_json(FILE *out, const struct dft_results *results);

/* The same as the beginning of an object that holds more. */
void dft_results_print_json_summary(FILE *out, const struct dft_results *results);

struct dft_call_tree;
struct dft_column;

/* A call tree in place of the rows. */
struct dft_tree_results {
    const struct dft_results *results;
    const struct dft_call_tree *tree;
    const struct dft_function *functions; /* by the numbers that the tree has */
    const struct dft_column *sort;        /* order of the calls of a function; NULL: by name */
    size_t depth;                         /* levels below the functions at the top */
    const char *what;                     /* the title of the names: "FUNCTION", "CALLERS" */
};

void dft_tree_print_text(FILE *out, const struct dft_tree_results *results);
void dft_tree_print_json(FILE *out, const struct dft_tree_results *results);

#endif
