/* The control channel: what `dftrace ctl` talks to. */
#ifndef DFT_RUNTIME_SESSION_CONTROL_H
#define DFT_RUNTIME_SESSION_CONTROL_H

/* Starts its thread, also in every forked child; says so where that fails. While the lock of
 * library.c is held. */
void dft_control_start(void);

/* In a forked child, for fork.c: there is no such thread, until it has been started again. */
void dft_control_in_child(void);

/*
 * The process ends: the request at hand is finished first, unless it hangs, nothing comes after it.
 */
void dft_control_stop(void);

/* Threads of ours that it has. */
unsigned dft_control_threads(void);

#endif
