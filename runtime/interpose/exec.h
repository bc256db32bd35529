/* exec*: the trace is completed before the program is replaced. */
#ifndef DFT_RUNTIME_INTERPOSE_EXEC_H
#define DFT_RUNTIME_INTERPOSE_EXEC_H

#include <stdbool.h>

/*
 * Looks up the next definitions in advance, because a vfork child or a signal handler must not call
 * dlsym. Called once, without holding a lock.
 */
void dft_exec_find_next(void);

/*
 * Whether another thread is about to replace the program. Then the calling thread must not take a
 * new chunk: otherwise the writer might never finish.
 */
bool dft_exec_is_next(void);

/* In a forked child: no other thread is in exec. */
void dft_exec_in_child(void);

#endif
