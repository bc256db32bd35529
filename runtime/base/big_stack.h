/* A stack of the runtime's own. */
#ifndef DFT_RUNTIME_BASE_BIG_STACK_H
#define DFT_RUNTIME_BASE_BIG_STACK_H

#include <stdbool.h>

/*
 * Runs `work` on a stack that has room for a demangler, wherever the caller is: a coroutine or a
 * signal handler may have a few KiB. Below the heap's lock: there is one such stack. False where
 * there is no memory for it.
 */
bool dft_big_stack_run(void (*work)(void *), void *argument);

#endif
