/*
 * The files of spools: opens a spool that another process has created.
 *
 * A process that writes a trace from a spool holds a lock on the spool's file, so that there is
 * only one.
 */
#ifndef DFT_TOOL_RUN_SPOOL_FILE_H
#define DFT_TOOL_RUN_SPOOL_FILE_H

#include "spool/owner.h"
#include "spool/spool.h"
#include "writer/writer.h"

#define DFT_SPOOL_FILE_PREFIX "dftrace-"
#define DFT_RUN_DIRECTORY_PREFIX "dftrace-run-"
#define DFT_RUN_ALLOWLIST_FILE "allowlist" /* the rules of a configuration file, and of -t */

struct dft_spool_file {
    struct dft_spool spool;
    int fd; /* holds the lock */
};

/*
 * Returns a negative errno as dft_spool_open does, or -EBUSY: another process is writing the trace.
 */
int dft_spool_file_open(struct dft_spool_file *file, const char *path);
void dft_spool_file_close(struct dft_spool_file *file);

/* The pid in the name of a spool's file; 0 if there is none. */
int32_t dft_spool_file_pid(const char *path);

/*
 * Locks the private directory of one `dftrace run`, whose host holds the lock as long as it runs.
 * Returns the descriptor, or -1 if another process has the lock.
 */
int dft_spool_file_lock_run(const char *directory);

/* Removes that directory unless it contains spools; true if it was removed. */
bool dft_spool_file_remove_run(const char *directory);

/* The version in the header of a spool, even of one that cannot be opened; 0: unknown. */
uint32_t dft_spool_file_version(const char *path);

/* A sentence for an error of dft_spool_file_open. */
const char *dft_spool_file_explain(int error);

/* Whether the error is about the contents of the file, and not about accessing it. */
bool dft_spool_file_is_expected(int error);

#endif
