/* Completes the trace before a signal ends the program by its default action. */
#ifndef DFT_RUNTIME_INTERPOSE_SIGNALS_H
#define DFT_RUNTIME_INTERPOSE_SIGNALS_H

/*
 * Looks up the next definitions in advance, because a signal handler must not call dlsym. Called
 * once, without holding a lock.
 */
void dft_signals_find_next(void);

/* Called once, at the start of the first session, if DFTRACER_BIND_SIGNALS allows it. */
void dft_signals_bind(void);

/*
 * Called when the program is about to set its first alternate stack: the kernel now gets the
 * SA_ONSTACK flags that were withheld from it.
 */
void dft_signals_use_stacks(void);

#endif
