/*
 * Lets `dftrace recover` put a trace into another directory than it was begun in. On the same file
 * system, the trace is completed and then moved. On another one, it is copied first, because its
 * own file system may be full.
 */
#ifndef DFT_TOOL_RUN_RELOCATE_H
#define DFT_TOOL_RUN_RELOCATE_H

#include "spool/spool.h"

struct dft_relocation {
    char *prefix;   /* prefix of the new path, without "-<app>-<pid>"; NULL: the trace stays */
    char *old;      /* the trace that was copied */
    uint64_t inode; /* and its inode */
};

/*
 * Call it before a writer is opened on the spool. `wanted` is a prefix, or a directory in which the
 * trace keeps its name; NULL: the trace stays. On failure, returns a negative errno and leaves the
 * spool unchanged.
 */
int dft_relocate_begin(struct dft_relocation *relocation, struct dft_spool *spool,
                       const char *wanted);

/* Call it when the trace at `path` is complete. Returns its final path, to be freed. */
char *dft_relocate_end(const struct dft_relocation *relocation,
                       const struct dft_spool_header *header, const char *path);

void dft_relocate_release(struct dft_relocation *relocation);

#endif
