/* The writer's host inside the traced process: one background thread. */
#ifndef DFT_RUNTIME_SESSION_WRITER_THREAD_H
#define DFT_RUNTIME_SESSION_WRITER_THREAD_H

#include "spool/spool.h"

/* Negative errno when the file cannot be made (then `path` names it) or the thread not started. */
int dft_writer_thread_start(struct dft_spool *spool, char *path, size_t path_size);

/* Waits until the trace is complete, and says what went wrong or was lost. */
void dft_writer_thread_finish(struct dft_spool *spool, unsigned functions);

/*
 * Any context, in a process that is about to end and whose spool says so: waits until the trace is
 * complete. Where the writer does not get on, or the caller is the writer, says so and returns.
 */
void dft_writer_thread_await(void);

/*
 * Around an exec: conclude completes the file as if the process ended now, and removes the spool;
 * go_on takes that back when the exec has failed. False where the writer does not get on.
 */
bool dft_writer_thread_conclude(void);
void dft_writer_thread_resume(void);

/* Makes the spool's file that of another user, so that it can be removed when the process is. */
void dft_writer_thread_give_spool(uint32_t user);

/* Threads of ours in this process. */
unsigned dft_writer_thread_count(void);

/* In a forked child: the thread and its file are the parent's. */
void dft_writer_thread_forget(void);

#endif
