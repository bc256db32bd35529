/* Completes the trace when the process ends without running destructors. */
#ifndef DFT_RUNTIME_INTERPOSE_EXIT_H
#define DFT_RUNTIME_INTERPOSE_EXIT_H

/* Called once, at the start of the first session. */
void dft_exit_init(void);

/*
 * Called in the handler of a signal that will end the process. Does not return if another thread is
 * already ending the process: the first thread decides how it ends.
 */
void dft_exit_by_signal(void);

/*
 * Called by any thread that is about to end or replace the process in another way than by a signal.
 * Does not return if another thread handles a fatal signal.
 */
void dft_exit_give_way(void);

/* In a forked child: the thread that was ending the process is not in it. */
void dft_exit_in_child(void);

#endif
