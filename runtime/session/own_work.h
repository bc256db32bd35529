/*
 * Time that the runtime takes in a traced thread: waiting for the writer, and other work of 1 us or
 * more. It is recorded like a call, so that readers can subtract it from the surrounding calls. All
 * functions must be called inside a guard.
 */
#ifndef DFT_RUNTIME_SESSION_OWN_WORK_H
#define DFT_RUNTIME_SESSION_OWN_WORK_H

#include "spool/spool.h"

/* Reports that the thread has waited for the writer. The next dft_own_work_end records it. */
void dft_own_work_waited(uint64_t start, uint64_t end);

/*
 * Reports that the runtime has worked since `since` and now returns to the program. If the last
 * recorded call ended after `since`, the work counts only from the end of that call. If `self` is
 * NULL, nothing can be recorded.
 */
void dft_own_work_end(struct dft_thread *self, uint64_t since);

#endif
