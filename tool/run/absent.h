/*
 * Lists instrumented programs that ran under `dftrace run` without the runtime. Code that the
 * plugin has added to each program appends a line to a file in the run's directory
 * (dftrace/absent.h).
 */
#ifndef DFT_TOOL_RUN_ABSENT_H
#define DFT_TOOL_RUN_ABSENT_H

#include <stddef.h>

/* Creates the file; returns a descriptor for reading it, or -1. */
int dft_absent_make(const char *directory);

/* Prints how many there were, and which; returns their number. The descriptor stays open. */
size_t dft_absent_report(int fd);

/* The number alone. */
size_t dft_absent_count(int fd);

#endif
