/* What the hot path leaves to others: calls that are not like the last. */
#ifndef DFT_RUNTIME_HOOKS_SLOW_PATH_H
#define DFT_RUNTIME_HOOKS_SLOW_PATH_H

#include "dftrace/abi.h"
#include "spool/spool.h"

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

/* A site that has a number is to be written in another way than before. */
void dft_slow_path_style(const struct dftrace_site *site);

/* The slow halves of the two hooks: everything that is not "one more call like the last". */
uint64_t dft_slow_path_enter(struct dftrace_site *site, struct dft_place place);
void dft_slow_path_exit(struct dftrace_site *site, uint64_t token, uint64_t now, uint64_t stack);

#endif
