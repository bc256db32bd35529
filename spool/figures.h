/*
 * What a process has used so far, as the kernel tells it. No heap, no locks, no descriptor is kept;
 * may change errno. Async-signal-safe but for what is said of others.
 */
#ifndef DFT_FIGURES_H
#define DFT_FIGURES_H

#include "spool/format.h"

#include <stdbool.h>

/* Of the calling process. */
void dft_figures_read_own(struct dft_figures *figures);

/* Of another one, started at `born` (/proc/PID/stat); false where it is gone. Not for handlers. */
bool dft_figures_read_other(int32_t pid, uint64_t born, struct dft_figures *figures);

/* Of one thread: nanoseconds that it has run; 0 where that cannot be told. */
uint64_t dft_figures_thread_ns(int32_t pid, int32_t tid);

/* Of the whole machine, since its start: hundredths of seconds, and KiB. */
struct dft_machine_figures {
    uint64_t user, system, waiting, all; /* waiting: idle, while disks are at work */
    uint64_t memory_kb, available_kb;
};

bool dft_figures_read_machine(struct dft_machine_figures *figures);

#endif
