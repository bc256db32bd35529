/* The control channel: what `dftrace ctl` talks to. */
#ifndef DFT_CONTROL_H
#define DFT_CONTROL_H

/* Starts its thread; says so where that fails. Below the lock of lifecycle.c. */
void dft_control_start(void);

/* In a forked child: it gets a thread of its own. */
void dft_control_in_child(void);

/* The process ends: whatever is being asked is finished first, nothing comes after it. */
void dft_control_stop(void);

/* Threads of ours that it has. */
unsigned dft_control_threads(void);

#endif
