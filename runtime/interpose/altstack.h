/* Alternate signal stacks for threads that have none, so that a stack overflow can be handled. */
#ifndef DFT_RUNTIME_INTERPOSE_ALTSTACK_H
#define DFT_RUNTIME_INTERPOSE_ALTSTACK_H

#include <stdbool.h>

/* Gives the calling thread a stack, unless the program has set one. Inside a guard. */
void dft_altstack_give(void);

/* Removes our stack from the calling thread. Inside a guard. */
void dft_altstack_take(void);

/* Whether the calling thread runs on an alternate stack, ours or the program's. */
bool dft_altstack_is_used(void);

/* Whether any thread has a stack of ours and the program has never set one. */
bool dft_altstack_is_only_ours(void);

#endif
