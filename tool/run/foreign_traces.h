/*
 * Finds traces that programs under `dftrace run` have written themselves, because this process
 * cannot see them: those in a container or another namespace, for example.
 */
#ifndef DFT_TOOL_RUN_FOREIGN_TRACES_H
#define DFT_TOOL_RUN_FOREIGN_TRACES_H

#include <stddef.h>
#include <time.h>

/* Calls `found` with the path of each trace with this prefix that was written after `since`. */
void dft_foreign_traces_find(const char *prefix, struct timespec since,
                             void (*found)(void *context, const char *path), void *context);

#endif
