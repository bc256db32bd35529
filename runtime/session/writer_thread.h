/* The writer inside the traced process: one background thread. */
#ifndef DFT_RUNTIME_SESSION_WRITER_THREAD_H
#define DFT_RUNTIME_SESSION_WRITER_THREAD_H

#include "spool/spool.h"

/*
 * Returns a negative errno if the file cannot be created (then `path` names it) or if the thread
 * cannot be started.
 */
int dft_writer_thread_start(struct dft_spool *spool, char *path, size_t path_size);

/* Waits until the trace is complete, and reports errors and losses. */
void dft_writer_thread_finish(struct dft_spool *spool, unsigned functions);

/*
 * Waits until the trace is complete. Any context, in a process that is about to end; its spool must
 * not be in state RUNNING any more. If the writer makes no progress, or the caller is the writer's
 * thread, reports that and returns.
 */
void dft_writer_thread_await(void);

/*
 * For exec: conclude completes the file as if the process ended now, and removes the spool. resume
 * undoes that after the exec has failed. conclude returns false if the writer makes no progress.
 */
bool dft_writer_thread_conclude(void);
void dft_writer_thread_resume(void);

/* Gives the spool's file to another user: after setuid, the process must be able to remove it. */
void dft_writer_thread_give_spool(uint32_t user);

/* How many threads the writer has in this process, including helpers. */
unsigned dft_writer_thread_count(void);

/* In a forked child, for fork.c: the thread and its file are the parent's. */
void dft_writer_thread_in_child(void);

#endif
