/*
 * Prints the first rows of the report on stderr, after a run.
 */
#ifndef DFT_TOOL_RUN_REPORT_H
#define DFT_TOOL_RUN_REPORT_H

#include "tool/run/child.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dft_run_report {
    DFT_RUN_REPORT_DONE,
    DFT_RUN_REPORT_ENDED,  /* by a signal to this process */
    DFT_RUN_REPORT_FAILED, /* it could not be started, or ended in another way */
};

/* What the report shows: flags of dftrace report and their values. */
struct dft_run_report_flags {
    const char *words[4]; /* --top N and --sort KEY */
    size_t count;
};

/* Sets `--name value`. False if `dftrace report` rejects it; a message has been printed. */
bool dft_run_report_set_flag(struct dft_run_report_flags *flags, const char *name,
                             const char *value);

/* Call it after the end of the program. `calls`: how many calls the traces contain. */
enum dft_run_report dft_run_report(const struct dft_child *child,
                                   const struct dft_run_report_flags *flags, char **traces,
                                   size_t count, uint64_t calls);

#endif
