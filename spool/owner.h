/*
 * Which process a spool belongs to, and whether that process is still alive.
 *
 * dft_owner_describe runs in the traced process when it creates its spool, and uses no heap. The
 * other functions are for other processes.
 */
#ifndef DFT_SPOOL_OWNER_H
#define DFT_SPOOL_OWNER_H

#include "spool/spool.h"

/* Writes pid, host and everything else that identifies this process into the header. */
void dft_owner_describe(struct dft_spool_header *header);

enum dft_owner_state {
    DFT_OWNER_ALIVE,
    DFT_OWNER_GONE,     /* ended; another process may have its pid */
    DFT_OWNER_REPLACED, /* alive, but exec has replaced the program */
    DFT_OWNER_FOREIGN,  /* of another machine or pid namespace: the state is unknown */
};

/* The state of the process that made this spool. */
enum dft_owner_state dft_owner_look(const struct dft_spool *spool);

/* Whether the spool was made since this machine was booted. */
bool dft_owner_is_this_boot(const struct dft_spool_header *header);

#endif
