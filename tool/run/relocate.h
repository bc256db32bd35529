/*
 * Where dftrace recover puts a trace that was begun in another place: on the same file system it is
 * completed there and moved, on another one it is copied first, since its own may have no room.
 */
#ifndef DFT_TOOL_RUN_RELOCATE_H
#define DFT_TOOL_RUN_RELOCATE_H

#include "spool/spool.h"

struct dft_relocation {
    char *prefix;   /* where the trace is to be, without "-<app>-<pid>"; NULL: where it was begun */
    char *old;      /* the trace that was copied */
    uint64_t inode; /* and its inode */
};

/*
 * Before a writer is opened on the spool. `wanted` is a prefix, or a directory that keeps the name;
 * NULL: nothing is relocated. On failure returns a negative errno, and the spool is as it was.
 */
int dft_relocate_begin(struct dft_relocation *relocation, struct dft_spool *spool,
                       const char *wanted);

/* The trace at `path` is complete: returns where it is from now on, to be freed. */
char *dft_relocate_end(const struct dft_relocation *relocation,
                       const struct dft_spool_header *header, const char *path);

void dft_relocate_release(struct dft_relocation *relocation);

#endif
