/* The control channel: what `dftrace ctl` talks to. */
#ifndef DFT_CONTROL_H
#define DFT_CONTROL_H

/* Starts its thread, also in every forked child; says so where that fails. While the lock of
 * lifecycle.c is held. */
void dft_control_start(void);

/* The process ends: whatever is being asked is finished first, nothing comes after it. */
void dft_control_stop(void);

/* Threads of ours that it has. */
unsigned dft_control_threads(void);

#endif
