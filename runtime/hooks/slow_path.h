/* The slow path: every call that the hot path does not handle. */
#ifndef DFT_RUNTIME_HOOKS_SLOW_PATH_H
#define DFT_RUNTIME_HOOKS_SLOW_PATH_H

#include "dftrace/abi.h"
#include "spool/attachments.h"

/* Where a hook was called. This is enough to decide whether an earlier call can still be open. */
struct dft_place {
    uint64_t stack;
    uint64_t caller;
};

/*
 * Whether a frame was abandoned by longjmp, judged at a later call: the frame is deeper in the
 * stack than the later call, or was entered by the same instruction at the same stack address. If
 * one call is inlined into the other, both have the same stack address but different instructions.
 */
static inline bool dft_frame_is_left(const struct dft_frame *frame, struct dft_place place)
{
    return __builtin_expect(frame->stack <= place.stack, 0) &&
           (frame->stack < place.stack || frame->caller == place.caller);
}

/* Called when aggregation of a site that has a number is switched on or off. */
void dft_slow_path_style(const struct dftrace_site *site);

/* The site's number, which is assigned now, at its first call. Inside a guard. */
uint32_t dft_slow_path_number(struct dftrace_site *site);

/* The slow halves of the two hooks. */
uint64_t dft_slow_path_enter(struct dftrace_site *site, struct dft_place place);
void dft_slow_path_exit(struct dftrace_site *site, uint64_t token, uint64_t now, uint64_t stack);

/* Closes calls of this thread that a later call at this place shows to be abandoned. */
void dft_slow_path_close_left(struct dft_place place);

/* Ends all calls of this thread, which do not return. Inside a guard. */
void dft_slow_path_close_all(void);

/* Ends a call that has a frame but is not recorded; the frame has no site. */
void dft_slow_path_forget(struct dft_frame *frame, uint64_t now);

/* dft_slow_path_exit for an intercepted call of libc, with its values. NULL: the call is not recorded. */
void dft_slow_path_exit_io(struct dftrace_site *site, uint64_t token, uint64_t now, uint64_t stack,
                           const struct dft_attachments *attachments);

/* Records such a call that has no frame. */
void dft_slow_path_note_io(struct dftrace_site *site, uint64_t start,
                           const struct dft_attachments *attachments);

#endif
