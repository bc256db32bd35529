/*
 * Which process a spool belongs to, and whether it is still there.
 *
 * Describing runs in the traced process when it makes its spool and uses no heap; looking is for
 * other processes.
 */
#ifndef DFT_SPOOL_OWNER_H
#define DFT_SPOOL_OWNER_H

#include "spool/spool.h"

struct dft_process_status {
    char state; /* as proc(5) has it: Z is a zombie */
    uint64_t threads;
    uint64_t born; /* in clock ticks since the machine was started */
    int ended_by;  /* as wait(2) has it, of a main thread that has ended */
};

/* False where /proc does not tell. No heap. */
bool dft_process_read_status(int32_t pid, struct dft_process_status *status);

/* Writes pid, host and everything that tells this process from others into the header. */
void dft_process_describe(struct dft_spool_header *header);

enum dft_process_state {
    DFT_PROCESS_ALIVE,
    DFT_PROCESS_GONE,     /* ended, or its pid is another's now */
    DFT_PROCESS_REPLACED, /* alive, but exec has put another program in its place */
    DFT_PROCESS_FOREIGN,  /* of another machine or pid namespace: cannot be told from here */
};

/* Of the process that made this spool. */
enum dft_process_state dft_process_look(const struct dft_spool *spool);

/* Whether there is no such process, or nothing but its remains. */
bool dft_process_is_dead(int32_t pid);

/* Whether the spool was made since this machine was started. */
bool dft_process_is_this_boot(const struct dft_spool_header *header);

#endif
