/* Ends of the process that run no destructors: the trace is completed on the way. */
#ifndef DFT_RUNTIME_INTERPOSE_EXIT_H
#define DFT_RUNTIME_INTERPOSE_EXIT_H

/* Once, at the start of the first session. */
void dft_exit_init(void);

/*
 * In the handler of a signal that is about to end the process. Where another thread dies already,
 * does not return: the first one decides how the process ends.
 */
void dft_exit_by_signal(void);

/* Any thread that is about to end or replace the process in another way, before it begins. */
void dft_exit_give_way(void);

/* In a forked child: the thread that was dying is not in it. */
void dft_exit_in_child(void);

#endif
