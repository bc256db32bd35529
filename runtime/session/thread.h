/* Threads of the traced program, and their slots in the spool. */
#ifndef DFT_RUNTIME_SESSION_THREAD_H
#define DFT_RUNTIME_SESSION_THREAD_H

#include "runtime/base/tls.h"
#include "spool/spool.h"

/* This thread's slot; NULL before its first traced call and after its end. */
extern DFT_TLS struct dft_thread *dft_self;

/* The same for the quick hooks, which know one clock only; never NULL, but perhaps a slot in which
 * they find nothing as they want it. */
extern DFT_TLS struct dft_thread *dft_asm_self;

/* Set while this thread runs code of ours that may call code of the program: hooks do nothing. */
extern DFT_TLS bool dft_busy;

/* Once, before the first thread attaches. */
int dft_thread_init(void);

/* Gives this thread a slot; below a guard. */
struct dft_thread *dft_thread_attach(void);

/* Around a fork: the child continues the calls that the forking thread had open. */
void dft_thread_before_fork(void);
void dft_thread_after_fork(void);
void dft_thread_in_child(void);

#endif
