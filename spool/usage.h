/*
 * What a process has used so far, as the kernel tells it. No heap, no locks; may change errno.
 * Async-signal-safe but for what is said of others.
 */
#ifndef DFT_SPOOL_USAGE_H
#define DFT_SPOOL_USAGE_H

#include "spool/format.h"

#include <stdbool.h>

/* Which files of /proc are read. */
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
 * They stay open from one reading to the next, once `own` is set: only where nobody but the reader
 * can close a descriptor of this table. Always of the same process; all zero to begin with. One
 * that stays open goes on telling of its process, however soon the pid is another's.
 */
struct dft_usage_files {
    bool own;
    int kept[DFT_USAGE_FILES]; /* 0: not open */
};

/* By the thread that has read. */
void dft_usage_close(struct dft_usage_files *files);

/* Of the calling process. `files` may be NULL here and below: then none is kept. */
void dft_usage_read_own(struct dft_usage_files *files, struct dft_process_usage *figures);

/* Of another one, started at `born` (/proc/PID/stat); false where it is gone. Not for handlers. */
bool dft_usage_read_other(struct dft_usage_files *files, int32_t pid, uint64_t born,
                          struct dft_process_usage *figures);

/* Of one thread: nanoseconds that it has run; 0 where that cannot be told. */
uint64_t dft_usage_thread_ns(struct dft_usage_files *files, int32_t pid, int32_t tid);

/* Of the whole machine, since its start: hundredths of seconds, and KiB. */
struct dft_machine_usage {
    uint64_t user, system, waiting, all; /* waiting: idle, while disks are at work */
    uint64_t memory_kb, available_kb;
};

bool dft_usage_read_machine(struct dft_usage_files *files, struct dft_machine_usage *figures);

#endif
