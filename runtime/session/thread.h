/* Threads of the traced program, and their slots in the spool. */
#ifndef DFT_RUNTIME_SESSION_THREAD_H
#define DFT_RUNTIME_SESSION_THREAD_H

#include "runtime/base/tls.h"
#include "spool/spool.h"

/* This thread's slot; NULL before its first traced call and after its end. */
extern DFT_TLS struct dft_thread *dft_self;

/*
 * The same for the assembly hooks. Never NULL; points to a dummy full slot when the assembly path
 * must not run.
 */
extern DFT_TLS struct dft_thread *dft_asm_self;

/*
 * Set while this thread runs code of ours that may call code of the program. Hooks do nothing then.
 */
extern DFT_TLS bool dft_busy;

/* Called once, before the first thread attaches. */
int dft_thread_init(void);

/* From now on, hooks of this thread use this slot; NULL: none. Inside a guard. */
void dft_thread_use(struct dft_thread *self);

/* Claims a slot for this thread, or for the fiber that it runs on; inside a guard. */
struct dft_thread *dft_thread_attach(void);

/* A claimed slot as it is before the first call. The caller sets tid, name and limit. */
void dft_thread_clear(struct dft_thread *slot);

/* For fork.c: the child continues the calls that the forking thread had open. */
void dft_thread_before_fork(void);
void dft_thread_after_fork(void);
void dft_thread_in_child(void);

/* Whether this thread of a forked child has yet to claim a slot, to continue calls of its parent. */
bool dft_thread_is_heir(void);

#endif
