/* A large stack for work that the caller's own stack may be too small for. */
#ifndef DFT_RUNTIME_BASE_BIG_STACK_H
#define DFT_RUNTIME_BASE_BIG_STACK_H

#include <stdbool.h>

/*
 * Runs `work` on a stack that is large enough for the demangler. The caller may be in a coroutine
 * or a signal handler with a few KiB of stack. Only while holding the private heap's lock: there is
 * one such stack. Returns false if there is no memory for it.
 */
bool dft_big_stack_run(void (*work)(void *), void *argument);

#endif
