/*
 * Time that the runtime takes of a traced thread: waiting for the writer, and any other work of
 * 1 us or more. It is recorded like a call, so that readers can subtract it from the calls around.
 * Everything here runs below a guard.
 */
#ifndef DFT_RUNTIME_SESSION_OWN_WORK_H
#define DFT_RUNTIME_SESSION_OWN_WORK_H

#include "spool/spool.h"

/* The thread has waited for the writer. Recorded by the next dft_own_work_end. */
void dft_own_work_waited(uint64_t start, uint64_t end);

/*
 * The runtime has worked since `since`, which is not before the end of any recorded call, and
 * returns to the program now. `self` may be NULL: then there is nowhere to record it.
 */
void dft_own_work_end(struct dft_thread *self, uint64_t since);

#endif
