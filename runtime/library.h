/* The library's start and end, the registration of modules, and the lock for both. */
#ifndef DFT_RUNTIME_LIBRARY_H
#define DFT_RUNTIME_LIBRARY_H

#include "runtime/base/guard.h"

#include <stdbool.h>

struct dftrace_site;

/* Held by everything that changes which sites are on. Signals are blocked meanwhile. */
void dft_library_lock(struct dft_guard *guard);
void dft_library_unlock(const struct dft_guard *guard);

/*
 * For functions without a plugin's site (-finstrument-functions): starts the recording if it has
 * not begun, and adds `more` to the number of functions that may be recorded. Before the first
 * function is known, `more` is 0. Called inside a guard.
 */
void dft_library_begin(unsigned more);

/* Adds the calls of libc that are intercepted. False if they are never recorded. */
bool dft_library_add_io(struct dftrace_site *begin, struct dftrace_site *end);

/* Reads the options, on the first call. Returns dft_library_is_enabled(). */
bool dft_library_prepare(void);

/*
 * Whether the options ask for a trace, now or later. The second reads the options if they have not
 * been read yet.
 */
bool dft_library_is_enabled(void);
bool dft_library_is_traced(void);

/*
 * Whether the options ask for a trace later: nothing is recorded until `dftrace ctl` asks for it.
 */
bool dft_library_is_attachable(void);

/*
 * The first remembers that recording was switched on or off. The second returns whether that has
 * ever happened. If so, the exit hook may run for a call whose enter hook did not.
 */
void dft_library_remember_switch(void);
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
