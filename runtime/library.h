/* The library's own beginning and end, and the modules that register with it. */
#ifndef DFT_RUNTIME_LIBRARY_H
#define DFT_RUNTIME_LIBRARY_H

#include "runtime/base/guard.h"

#include <stdbool.h>

/* Around everything that changes which sites are on; signals are blocked. */
void dft_library_lock(struct dft_guard *guard);
void dft_library_unlock(const struct dft_guard *guard);

/* So many functions to be traced have shown up in another way than by registration, or will, where
 * it is 0; below a guard. */
void dft_library_begin(unsigned more);

/* Reads the options, the first time; the same answer as below. */
bool dft_library_prepare(void);

/* The options have been read and ask for a trace, or for one later. */
bool dft_library_is_enabled(void);

/* They ask for one later: nothing is recorded before `dftrace ctl` says so. */
bool dft_library_is_attachable(void);

/* Whether recording has been switched off and on: a call may have an exit without an enter. */
void dft_library_note_switch(void);
bool dft_library_was_switched(void);

/* How many functions may be recorded. */
unsigned dft_library_functions(void);

/* For fork.c, with signals blocked: the lock is held across the fork; after _Fork, in whose child
 * another thread may have held it, it is made anew. */
void dft_library_before_fork(void);
void dft_library_after_fork(void);
void dft_library_in_child(void);

#endif
