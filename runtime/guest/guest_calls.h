/*
 * Calls of guest functions: their frames, and what the hot path leaves.
 *
 * The hooks have no token. Calls of guests nest, so an exit belongs to the innermost frame of its
 * site. Every call has a frame, also one that is not recorded: otherwise its exit would end another
 * call.
 */
#ifndef DFT_RUNTIME_GUEST_GUEST_CALLS_H
#define DFT_RUNTIME_GUEST_GUEST_CALLS_H

#include "dftrace/abi.h"
#include "runtime/base/tls.h"
#include "spool/spool.h"

/* Takes the place of the start of a call that is not recorded. Its frame has no site. */
#define DFT_GUEST_OFF 1u

/*
 * What a guest's frame contains as `caller`: the address of its site, and above it the position of
 * the frame. So it identifies the site, and no two frames have the same: dft_frame_is_left would
 * take the outer one for abandoned, since many calls of guests run in one C frame of the interpreter.
 * Only user addresses are below bit 48. A return address never has the higher bits.
 */
static inline uint64_t dft_guest_mark(const struct dftrace_site *site,
                                      const struct dft_thread *self, const struct dft_frame *frame)
{
    uint64_t position = (uint64_t)((const char *)frame - (const char *)self);

    return (uint64_t)(uintptr_t)site ^ position << 43; /* a frame takes 32 bytes */
}

/* How many calls of this thread are beyond the shadow stack; see deep_guests.c. */
extern DFT_TLS uint32_t dft_deep_guests;

/* The slow halves of the hooks. errno is kept. */
void dft_guest_calls_enter(struct dftrace_site *site, uint64_t stack);
void dft_guest_calls_exit(struct dftrace_site *site, uint64_t now);

/* That of the two sites whose call is the innermost one on this thread; `begun` if none is open. */
struct dftrace_site *dft_guest_calls_innermost(struct dftrace_site *begun,
                                               struct dftrace_site *resumed);

#endif
