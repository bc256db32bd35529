/* Alternate signal stacks for threads that have none, so that a stack overflow can be told of. */
#ifndef DFT_RUNTIME_INTERPOSE_ALTSTACK_H
#define DFT_RUNTIME_INTERPOSE_ALTSTACK_H

#include <stdbool.h>

/* For the calling thread; nothing where the program has set one. Below a guard. */
void dft_altstack_give(void);

/* Takes ours back. Below a guard. */
void dft_altstack_take(void);

/* Whether the calling thread runs on an alternate stack, whoever's it is. */
bool dft_altstack_is_used(void);

/* Whether any thread has got a stack from us, and the program has never set one of its own. */
bool dft_altstack_is_only_ours(void);

#endif
