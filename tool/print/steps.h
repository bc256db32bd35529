/*
 * Prints steps and epochs: `dftrace report --by step`, and in a few lines below other reports.
 */
#ifndef DFT_TOOL_PRINT_STEPS_H
#define DFT_TOOL_PRINT_STEPS_H

#include "tool/analysis/steps.h"
#include "tool/print/results.h"

/* The orders of steps besides that of their numbers; the time of all columns is in these too. */
enum dft_steps_order {
    DFT_STEPS_BY_NUMBER,
    DFT_STEPS_BY_TOTAL,
    DFT_STEPS_BY_CALLS,
    DFT_STEPS_BY_MEAN
};

struct dft_steps_results {
    const struct dft_results *results; /* for the header; its rows are not printed */
    const struct dft_step *steps;
    size_t step_count;
    const struct dft_epoch *epochs;
    size_t epoch_count;
    enum dft_steps_order order;
};

/* False: there is no such order. */
bool dft_steps_find_order(const char *sort, enum dft_steps_order *order);

void dft_steps_print_text(FILE *out, const struct dft_steps_results *results);
void dft_steps_print_json(FILE *out, const struct dft_steps_results *results);

/* One line for each of the first epochs, and one for all of them. Nothing if there is no step. */
void dft_steps_print_summary(FILE *out, const struct dft_steps_results *results);

#endif
