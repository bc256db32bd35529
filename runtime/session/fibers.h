/*
 * Fibers: stacks that threads switch between. Each has a slot of its own in the spool, which the
 * trace shows as a track.
 */
#ifndef DFT_RUNTIME_SESSION_FIBERS_H
#define DFT_RUNTIME_SESSION_FIBERS_H

#include <stdint.h>

/* See dftrace/dftrace.h. Not in signal handlers. The options ask for a trace. */
void dft_fibers_switch(uint64_t id);
void dft_fibers_end(uint64_t id);

/*
 * The number of the entry in the site table that names the current fiber; 0: the thread runs on its
 * own stack, or there is no room for the name. Inside a guard, while there is a session.
 */
uint32_t dft_fibers_number(void);

/* Called when the thread ends, inside a guard: from now on it runs on its own stack. */
void dft_fibers_leave(void);

/* For fork.c: the child has no fibers. What the forking thread has open becomes the thread's own. */
void dft_fibers_in_child(void);

#endif
