/*
 * The top of the report behind a run, on stderr.
 */
#ifndef DFT_RUN_REPORT_H
#define DFT_RUN_REPORT_H

#include "tool/child.h"

#include <stddef.h>

enum dft_run_report {
    DFT_RUN_REPORT_DONE,
    DFT_RUN_REPORT_ENDED,  /* by a signal to us: whoever sent it does not want to wait */
    DFT_RUN_REPORT_FAILED, /* it could not be started, or something else has ended it */
};

/* After the end of the program. */
enum dft_run_report dft_run_report(const struct dft_child *child, char **traces, size_t count);

#endif
