/*
 * The top of the report behind a run, on stderr.
 */
#ifndef DFT_RUN_REPORT_H
#define DFT_RUN_REPORT_H

#include "tool/child.h"

#include <stddef.h>

/* The program has ended. False: whoever waited ended the report, before it was there. */
bool dft_run_report(const struct dft_child *child, char **traces, size_t count);

#endif
