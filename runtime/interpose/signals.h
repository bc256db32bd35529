/* Signals that end the program at their default action: the trace is completed first. */
#ifndef DFT_RUNTIME_INTERPOSE_SIGNALS_H
#define DFT_RUNTIME_INTERPOSE_SIGNALS_H

/* Once, while no lock is held: a signal handler may not look functions up. */
void dft_signals_find_next(void);

/* Once, at the start of the first session, where DFTRACER_BIND_SIGNALS allows it. */
void dft_signals_bind(void);

/* The program is about to set its first alternate stack: handlers that are to run there, will. */
void dft_signals_use_stacks(void);

#endif
