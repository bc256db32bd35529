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

/* The same for the quick hooks, which know one clock only: NULL where that is not the one. */
extern DFT_TLS struct dft_thread *dft_quick_self;

/* Set while this thread runs code of ours that may call code of the program: hooks do nothing. */
extern DFT_TLS bool dft_busy;

/* Once, before the first thread attaches. */
int dft_thread_init(void);

/* Where a hook was called: enough to tell whether an earlier call can still be open. */
struct dft_place {
    uint64_t stack;
    uint64_t caller;
};

/*
 * Whether a frame was left by longjmp, seen from a later call: the frame is further down the stack,
 * or was entered by the very same instruction in the very same place. Two calls of which one is
 * inlined into the other share the place, not the instruction.
 */
static inline bool dft_frame_is_left(const struct dft_frame *frame, struct dft_place place)
{
    return __builtin_expect(frame->stack <= place.stack, 0) &&
           (frame->stack < place.stack || frame->caller == place.caller);
}

/* The slow halves of the two hooks: everything that is not "one more call like the last". */
uint64_t dft_thread_enter(struct dftrace_site *site, struct dft_place place);
void dft_thread_exit(struct dftrace_site *site, uint64_t start, uint64_t now, uint64_t stack);

/* Gives this thread a slot; below a guard. */
struct dft_thread *dft_thread_attach(void);

/* Around a fork: the child continues the calls that the forking thread had open. */
void dft_thread_before_fork(void);
void dft_thread_after_fork(void);
void dft_thread_in_child(void);

/*
 * Around everything that is not the hot path: no signal handler finds it half done, no cancellation
 * ends the thread in it, errno stays as it was.
 */
struct dft_guard {
    sigset_t signals;
    int cancel_state;
    int saved_errno;
};
void dft_guard_enter(struct dft_guard *guard);
void dft_guard_leave(const struct dft_guard *guard);

#endif
