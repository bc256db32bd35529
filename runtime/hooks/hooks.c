/*
 * The hot path: runs for every traced call, in any thread and any context, signal handlers
 * included.
 *
 * No lock, no system call, no heap. errno, signal mask and floating-point state are kept. A signal
 * handler may run between any two instructions, and a process killed between any two instructions
 * leaves a consistent spool:
 *
 *   enter  reserves a frame before it fills it. A handler that runs in between uses the next
 *          frame and releases it. A frame that was never filled has start 0 and is ignored.
 *   exit   stores in its frame which record it wants. Then it reserves that record by moving
 *          `next` past it, in one instruction. If a handler has already moved `next`, the hook
 *          tries again with the record that is next then. Once reserved, the record belongs to
 *          this call, whatever handlers do to the chunk. The writer waits for the record as long
 *          as the frame refers to it. Storing the site completes the record. Only then is the
 *          frame popped. So at every moment a call is open, or recorded, or both with the same
 *          start.
 */
#include "dftrace/abi.h"
#include "runtime/base/clock.h"
#include "runtime/hooks/fast_path.h"
#include "runtime/hooks/hooks_x86_64.h"
#include "runtime/session/thread.h"

#define EXPORT __attribute__((visibility("default")))

DFT_HOT uint64_t enter(struct dftrace_site *site, struct dft_place place, dft_read_clock *clock)
{
    struct dft_thread *self = dft_self;
    uint32_t id = __atomic_load_n(&site->id, __ATOMIC_RELAXED);
    uint64_t start =
        DFT_LIKELY(self && (int32_t)id > 0) ? dft_fast_path_enter(self, id, place, clock) : 0;

    return DFT_LIKELY(start) ? start : dft_slow_path_enter(site, place);
}

DFT_HOT void leave(struct dftrace_site *site, uint64_t start, uint64_t stack, dft_read_clock *clock)
{
    uint64_t now = clock();
    struct dft_thread *self = dft_self;

    if (DFT_LIKELY(self && self->top[-1].start == start) &&
        DFT_LIKELY(dft_fast_path_leave(self, self->top - 1, start, now - start)))
        return;
    dft_slow_path_exit(site, start, now, stack);
}

/*
 * For machines without a usable counter. Out of line, so that hooks that use the counter need not
 * save a register.
 */
static __attribute__((noinline, cold)) uint64_t enter_by_kernel_clock(struct dftrace_site *site,
                                                                      struct dft_place place)
{
    return enter(site, place, dft_clock_monotonic);
}

static __attribute__((noinline, cold)) void leave_by_kernel_clock(struct dftrace_site *site,
                                                                  uint64_t start, uint64_t stack)
{
    leave(site, start, stack, dft_clock_monotonic);
}

EXPORT uint64_t __dftrace_enter(struct dftrace_site *site)
{
    struct dft_place place = {dft_stack_address(),
                              (uint64_t)(uintptr_t)__builtin_return_address(0)};

    if (DFT_LIKELY(dft_clock_kind == DFT_CLOCK_COUNTER))
        return enter(site, place, dft_ticks_counter);
    return enter_by_kernel_clock(site, place);
}

EXPORT void __dftrace_exit(struct dftrace_site *site, uint64_t start)
{
    if (DFT_LIKELY(dft_clock_kind == DFT_CLOCK_COUNTER))
        leave(site, start, dft_stack_address(), dft_ticks_counter);
    else
        leave_by_kernel_clock(site, start, dft_stack_address());
}

#if defined(__x86_64__)
uint64_t dft_hooks_x86_64_enter(struct dftrace_site *site, struct dft_place place)
{
    if (DFT_LIKELY(dft_clock_kind == DFT_CLOCK_COUNTER))
        return dft_slow_path_enter(site, place);
    return enter_by_kernel_clock(site, place);
}

void dft_hooks_x86_64_exit(struct dftrace_site *site, uint64_t start, uint64_t now, uint64_t stack)
{
    if (DFT_LIKELY(dft_clock_kind == DFT_CLOCK_COUNTER))
        dft_slow_path_exit(site, start, now, stack);
    else
        leave_by_kernel_clock(site, start, stack);
}
#endif
