/*
 * DFTRACER_BUDGET: what tracing costs is kept below a share of what the program uses, by counting
 * the calls of its hottest short functions in place of recording them.
 */
#ifndef DFT_RUNTIME_SITES_THROTTLE_H
#define DFT_RUNTIME_SITES_THROTTLE_H

#include "spool/spool.h"

/* Before the first call of a session: measures what a call costs, and says so in the header. */
void dft_throttle_begin(struct dft_spool_header *header);

/* This thread has got a slot. Below a guard. */
void dft_throttle_attach(struct dft_thread *self);

/* Its open chunk is full, or it ends: what it has recorded is paid for. Below a guard. */
void dft_throttle_charge(struct dft_thread *self);

#endif
