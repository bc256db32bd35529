/*
 * The hot path of guest functions: runs for each of their calls, in any thread and any context. See
 * hooks.c, which explains the order of the steps.
 */
#include "dftrace/guest.h"
#include "runtime/base/clock.h"
#include "runtime/guest/guest_calls.h"
#include "runtime/hooks/fast_path.h"
#include "runtime/session/thread.h"

#define EXPORT __attribute__((visibility("default"), aligned(64)))

/* Pushes a frame; false if the slow path must do that. */
DFT_HOT bool push(const struct dftrace_site *site, uint64_t stack, dft_read_clock *clock)
{
    struct dft_thread *self = dft_self;
    uint32_t id = __atomic_load_n(&site->id, __ATOMIC_RELAXED);

    if (!DFT_LIKELY(self && (int32_t)id > 0 && site->on) ||
        !DFT_LIKELY(self->top != self->limit && self->top[-1].stack >= stack))
        return false;
    struct dft_place place = {stack, dft_guest_mark(site, self, self->top)};
    (void)dft_fast_path_push(self, id, place, clock);
    return true;
}

/* Pops the innermost frame if it belongs to this site; false if the slow path must do that. */
DFT_HOT bool pop(const struct dftrace_site *site, uint64_t *now, dft_read_clock *clock)
{
    struct dft_thread *self = dft_self;

    if (!DFT_LIKELY(self && !dft_deep_guests))
        return false;
    struct dft_frame *frame = self->top - 1;
    uint64_t start = frame->start;
    if (!DFT_LIKELY(frame->caller == dft_guest_mark(site, self, frame)))
        return false;
    if (!DFT_LIKELY(start > DFT_GUEST_OFF)) {
        if (start != DFT_GUEST_OFF)
            return false;
        frame->start = 0;
        DFT_IN_ORDER();
        self->top = frame;
        return true;
    }
    *now = clock();
    return DFT_LIKELY(!(site->flags & DFTRACE_SITE_ATTACHED)) &&
           DFT_LIKELY(dft_fast_path_leave(self, frame, start, *now - start));
}

/* As in hooks.c. */
static __attribute__((noinline, cold)) bool push_by_kernel_clock(const struct dftrace_site *site,
                                                                 uint64_t stack)
{
    return push(site, stack, dft_clock_monotonic);
}

static __attribute__((noinline, cold)) bool pop_by_kernel_clock(const struct dftrace_site *site,
                                                                uint64_t *now)
{
    return pop(site, now, dft_clock_monotonic);
}

static __attribute__((noinline)) void exit_slowly(struct dftrace_site *site, uint64_t now)
{
    dft_guest_calls_exit(site, now ? now : dft_clock_now());
}

EXPORT void __dftrace_guest_enter(struct dftrace_site *site, const void *stack)
{
    uint64_t address = (uint64_t)(uintptr_t)stack;

    if (DFT_LIKELY(dft_clock_kind == DFT_CLOCK_COUNTER)
            ? DFT_LIKELY(push(site, address, dft_ticks_counter))
            : push_by_kernel_clock(site, address))
        return;
    dft_guest_calls_enter(site, address);
}

EXPORT void __dftrace_guest_exit(struct dftrace_site *site)
{
    uint64_t now = 0;

    if (DFT_LIKELY(dft_clock_kind == DFT_CLOCK_COUNTER)
            ? DFT_LIKELY(pop(site, &now, dft_ticks_counter))
            : pop_by_kernel_clock(site, &now))
        return;
    exit_slowly(site, now);
}

EXPORT void __dftrace_guest_exit_either(struct dftrace_site *begun, struct dftrace_site *resumed)
{
    struct dft_thread *self = dft_self;
    bool is_shallow = self && !dft_deep_guests;

    if (DFT_LIKELY(is_shallow) &&
        self->top[-1].caller == dft_guest_mark(resumed, self, self->top - 1))
        __dftrace_guest_exit(resumed);
    else if (DFT_LIKELY(is_shallow) &&
             self->top[-1].caller == dft_guest_mark(begun, self, self->top - 1))
        __dftrace_guest_exit(begun);
    else
        __dftrace_guest_exit(dft_guest_calls_innermost(begun, resumed));
}
