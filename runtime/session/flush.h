/* Waiting until the trace file has everything that was recorded. */
#ifndef DFT_RUNTIME_SESSION_FLUSH_H
#define DFT_RUNTIME_SESSION_FLUSH_H

#include "spool/format.h"

/*
 * Asks the writer, in this process or in another, for a snapshot, and waits for it. ASKED: the
 * writer is not making progress. One thread at a time; the others wait for it.
 */
enum dft_show dft_flush_ask(void);

/* For dftrace_flush: the same. Returns at once if there is no session. Keeps errno. */
void dft_flush_wait(void);

/* In a forked child, for fork.c. */
void dft_flush_in_child(void);

#endif
