/* The writer's host inside the traced process: one background thread. */
#ifndef DFT_HOST_H
#define DFT_HOST_H

#include "spool/spool.h"

/* Negative errno when the file cannot be made (then `path` names it) or the thread not started. */
int dft_host_start(struct dft_spool *spool, char *path, size_t path_size);

/* Waits until the trace is complete, and says what went wrong or was lost. */
void dft_host_finish(struct dft_spool *spool, unsigned functions);

/* In a forked child: the thread and its file are the parent's. */
void dft_host_forget(void);

#endif
