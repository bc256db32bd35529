/* The library's start and end, the registration of modules, and the lock for both. */
#ifndef DFT_RUNTIME_LIBRARY_H
#define DFT_RUNTIME_LIBRARY_H

#include "runtime/base/guard.h"

#include <stdbool.h>

/* Held by everything that changes which sites are on. Signals are blocked meanwhile. */
void dft_library_lock(struct dft_guard *guard);
void dft_library_unlock(const struct dft_guard *guard);

/*
 * Starts recording `more` functions that no plugin has registered (-finstrument-functions). With 0,
 * such functions may follow later. Called inside a guard.
 */
void dft_library_begin(unsigned more);

/* Reads the options, on the first call. Returns dft_library_is_enabled(). */
bool dft_library_prepare(void);

/* Whether the options have been read and ask for a trace, now or later. */
bool dft_library_is_enabled(void);

/*
 * Whether the options ask for a trace later: nothing is recorded until `dftrace ctl` asks for it.
 */
bool dft_library_is_attachable(void);

/*
 * The first remembers that recording was switched on or off. The second returns whether that has
 * ever happened. If so, the exit hook may run for a call whose enter hook did not.
 */
void dft_library_note_switch(void);
bool dft_library_was_switched(void);

/* How many functions that may be recorded are known so far. */
unsigned dft_library_functions(void);

/*
 * For fork.c, with signals blocked. The forking thread holds the lock across a fork. Across _Fork,
 * another thread of the parent may hold the lock, so the child makes a new one.
 */
void dft_library_before_fork(void);
void dft_library_after_fork(void);
void dft_library_in_child(void);

#endif
