/*
 * Spools on disk: opening one that another process has made, and completing the trace of one whose
 * process is gone.
 *
 * Whoever writes a trace from a spool holds a lock on its file, so that two never do.
 */
#ifndef DFT_TOOL_RUN_SPOOL_FILE_H
#define DFT_TOOL_RUN_SPOOL_FILE_H

#include "spool/owner.h"
#include "spool/spool.h"
#include "writer/writer.h"

#define DFT_SPOOL_FILE_PREFIX "dftrace-"
#define DFT_RUN_DIRECTORY_PREFIX "dftrace-run-"

struct dft_spool_file {
    struct dft_spool spool;
    int fd; /* holds the lock */
};

/* Negative errno as dft_spool_open has them, and -EBUSY: somebody is writing its trace. */
int dft_spool_file_open(struct dft_spool_file *file, const char *path);
void dft_spool_file_close(struct dft_spool_file *file);

/* The pid in the name of a spool's file; 0 where there is none. */
int32_t dft_spool_file_pid(const char *path);

/*
 * The private directory of one `dftrace run`. Its host holds a lock on it as long as it lives: the
 * descriptor, or -1 where somebody else has the lock.
 */
int dft_spool_file_lock_run(const char *directory);

/* Removes that directory unless there are spools in it; true when it has gone. */
bool dft_spool_file_remove_run(const char *directory);

/* The version that the header of a spool names, also of one that cannot be opened; 0: unknown. */
uint32_t dft_spool_file_version(const char *path);

/* A sentence for an error of dft_spool_file_open. */
const char *dft_spool_file_explain(int error);

/* Whether the error says what the file is, and not that it could not be looked at. */
bool dft_spool_file_is_expected(int error);

#endif
