/* exec*: the program is replaced, and its trace is complete before. */
#ifndef DFT_RUNTIME_INTERPOSE_EXEC_H
#define DFT_RUNTIME_INTERPOSE_EXEC_H

#include <stdbool.h>

/* Once, while no lock is held: a vfork child or a signal handler may not look functions up. */
void dft_exec_find_next(void);

/*
 * Whether another thread is about to replace the program. Then this one takes no new chunk, or
 * there would be no end of what is to be written before.
 */
bool dft_exec_is_next(void);

/* In a forked child: no other thread is about to call exec. */
void dft_exec_in_child(void);

#endif
