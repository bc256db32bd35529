/*
 * Resource usage of a process, from the kernel. No heap, no locks; may change errno.
 * Async-signal-safe, except for reading other processes.
 */
#ifndef DFT_SPOOL_USAGE_H
#define DFT_SPOOL_USAGE_H

#include "spool/format.h"

#include <stdbool.h>

/* The files of /proc that are read. */
enum dft_usage_file {
    DFT_FILE_STAT,
    DFT_FILE_STATUS,
    DFT_FILE_IO,
    DFT_FILE_TASKS,
    DFT_FILE_MACHINE_STAT,
    DFT_FILE_MACHINE_MEMORY,
    DFT_USAGE_FILES,
};

/*
 * Files of one process that stay open between readings, if `own` is set. The caller may set `own`
 * only if nobody but the reader can close descriptors in the reader's descriptor table. Initially
 * all zero. An open file still refers to its process after the pid has been reused.
 */
struct dft_usage_files {
    bool own;
    int kept[DFT_USAGE_FILES]; /* 0: not open */
};

/* Closes the files. Must be called by the thread that has read them. */
void dft_usage_close(struct dft_usage_files *files);

/*
 * Reads the usage of the calling process. `files` may be NULL in all functions: then none is kept
 * open.
 */
void dft_usage_read_own(struct dft_usage_files *files, struct dft_process_usage *usage);

/*
 * Reads the usage of another process, started at `born` (/proc/PID/stat). False if it is gone. Not
 * for signal handlers.
 */
bool dft_usage_read_other(struct dft_usage_files *files, int32_t pid, uint64_t born,
                          struct dft_process_usage *usage);

/* CPU time of a thread in nanoseconds; 0 if it is unknown. */
uint64_t dft_usage_thread_ns(struct dft_usage_files *files, int32_t pid, int32_t tid);

/* Usage of the whole machine since boot, in hundredths of seconds and KiB. */
struct dft_machine_usage {
    uint64_t user, system, waiting, all; /* waiting: idle while disk I/O is pending */
    uint64_t memory_kb, available_kb;
};

bool dft_usage_read_machine(struct dft_usage_files *files, struct dft_machine_usage *usage);

#endif
