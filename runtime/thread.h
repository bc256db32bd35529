/* Threads of the traced program: their slot in the spool, and what the hot path leaves to others.
 */
#ifndef DFT_THREAD_H
#define DFT_THREAD_H

#include "dftrace/abi.h"
#include "spool/spool.h"

#include <signal.h>

#define DFT_TLS __thread __attribute__((tls_model("initial-exec")))

/* This thread's slot; NULL before its first traced call and after its end. */
extern DFT_TLS struct dft_thread *dft_self;

/* Set while this thread runs code of ours that may call code of the program: hooks do nothing. */
extern DFT_TLS bool dft_busy;

/* Once, before the first thread attaches. */
int dft_thread_init(void);

/* The slow halves of the two hooks: everything that is not "one more call like the last". */
uint64_t dft_thread_enter(struct dftrace_site *site, uint64_t stack);
void dft_thread_exit(struct dftrace_site *site, uint64_t start, uint64_t now);

/* Gives this thread a slot; signals must be blocked. */
struct dft_thread *dft_thread_attach(void);

/* Around a fork: the child continues the calls that the forking thread had open. */
void dft_thread_before_fork(void);
void dft_thread_in_child(void);

/* Signals stay out of the slow paths, so a handler never finds them half done. */
void dft_signals_block(sigset_t *saved);
void dft_signals_restore(const sigset_t *saved);

#endif
