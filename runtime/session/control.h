/* The control channel, which `dftrace ctl` talks to. */
#ifndef DFT_RUNTIME_SESSION_CONTROL_H
#define DFT_RUNTIME_SESSION_CONTROL_H

/*
 * Starts the control thread in this process and in every forked child; reports a failure. Called
 * while holding the lock of library.c.
 */
void dft_control_start(void);

/* In a forked child, for fork.c: the child has no control thread until one is started. */
void dft_control_in_child(void);

/*
 * Called when the process ends. Waits for the current request, unless it hangs, and refuses later
 * ones.
 */
void dft_control_stop(void);

/* How many threads the control channel has: 0 or 1. */
unsigned dft_control_threads(void);

#endif
