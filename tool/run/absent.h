/*
 * Instrumented programs that ran below `dftrace run` without the runtime: their own code, which the
 * plugin has put into them, appends a line to a file in the run's directory (dftrace/absent.h).
 */
#ifndef DFT_TOOL_RUN_ABSENT_H
#define DFT_TOOL_RUN_ABSENT_H

#include <stddef.h>

/* Makes the file; returns a descriptor to read it from, or -1. */
int dft_absent_make(const char *directory);

/* Says how many there were, and which; returns their number. The descriptor stays open. */
size_t dft_absent_report(int fd);

/* The number alone. */
size_t dft_absent_count(int fd);

#endif
