/*
 * The two ways in which `dftrace report` shows a profile.
 */
#ifndef DFT_TOOL_PRINT_RESULTS_H
#define DFT_TOOL_PRINT_RESULTS_H

#include "tool/analysis/profile.h"

struct dft_results {
    const char *const *traces;
    size_t trace_count;
    struct dft_profile_summary summary;
    const struct dft_function *const *rows; /* in the order in which they are shown */
    size_t row_count;
    size_t top;   /* rows of the table; 0: all */
    size_t width; /* of the terminal; 0: lines may be as long as they need to be */
};

/* For people: a header and a table. */
void dft_results_print_text(FILE *out, const struct dft_results *results);

/* For programs: all rows, times in whole nanoseconds. */
void dft_results_print_json(FILE *out, const struct dft_results *results);

#endif
