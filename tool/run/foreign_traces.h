/*
 * Traces that programs below `dftrace run` have written themselves, because they cannot be seen
 * from here: those in a container or another namespace, say.
 */
#ifndef DFT_TOOL_RUN_FOREIGN_TRACES_H
#define DFT_TOOL_RUN_FOREIGN_TRACES_H

#include <stddef.h>
#include <time.h>

/* Calls `found` with the path of each trace of this prefix that was written since then. */
void dft_foreign_traces_find(const char *prefix, struct timespec since,
                             void (*found)(void *context, const char *path), void *context);

#endif
