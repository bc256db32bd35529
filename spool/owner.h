/*
 * Which process a spool belongs to, and whether it is still there.
 *
 * Describing runs in the traced process when it makes its spool and uses no heap; looking is for
 * other processes.
 */
#ifndef DFT_SPOOL_OWNER_H
#define DFT_SPOOL_OWNER_H

#include "spool/spool.h"

/* Writes pid, host and everything that tells this process from others into the header. */
void dft_owner_describe(struct dft_spool_header *header);

enum dft_owner_state {
    DFT_OWNER_ALIVE,
    DFT_OWNER_GONE,     /* ended, or its pid is another's now */
    DFT_OWNER_REPLACED, /* alive, but exec has put another program in its place */
    DFT_OWNER_FOREIGN,  /* of another machine or pid namespace: cannot be told from here */
};

/* Of the process that made this spool. */
enum dft_owner_state dft_owner_look(const struct dft_spool *spool);

/* Whether the spool was made since this machine was started. */
bool dft_owner_is_this_boot(const struct dft_spool_header *header);

#endif
