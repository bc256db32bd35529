/* Signals that end the program at their default action: the trace is completed first. */
#ifndef DFT_SIGNALS_H
#define DFT_SIGNALS_H

/* Once, at the start of the first session, where DFTRACER_BIND_SIGNALS allows it. */
void dft_signals_bind(void);

/* The program is about to set its first alternate stack: handlers that are to run there, will. */
void dft_signals_use_stacks(void);

#endif
