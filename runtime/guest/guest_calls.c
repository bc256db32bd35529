/*
 * Calls of guest functions that the hot path does not handle: the first of a thread or function,
 * those that are switched off, throttled or omitted, those beyond the shadow stack, and those that
 * record more than their time.
 *
 * Runs in traced threads, in any context. Keeps errno.
 */
#include "runtime/guest/guest_calls.h"
#include "dftrace/guest.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/detail/detail.h"
#include "runtime/events/open_regions.h"
#include "runtime/guest/deep_guests.h"
#include "runtime/hooks/fast_path.h"
#include "runtime/hooks/slow_path.h"
#include "runtime/session/thread.h"
#include "runtime/sites/sites.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Differs from the mark of every frame. */
#define NEW_CALL (UINT64_C(1) << 63)

/* Pushes a call that is not recorded. */
static void push_off(struct dft_thread *self, const struct dftrace_site *site, uint64_t stack)
{
    struct dft_frame *frame = self->top;

    self->top = frame + 1;
    DFT_IN_ORDER();
    frame->site = 0;
    frame->record = 0;
    frame->stack = stack;
    frame->caller = dft_guest_mark(site, self, frame);
    frame->start = DFT_GUEST_OFF;
}

void dft_guest_calls_enter(struct dftrace_site *site, uint64_t stack)
{
    struct dft_place place = {stack, NEW_CALL};
    uint64_t start = 0;

    if (dft_busy)
        return;
    if (site->on)
        start = dft_slow_path_enter(site, place) & ~DFT_TOKEN_ATTACHED;
    else if (dft_self)
        dft_slow_path_close_left(place);
    struct dft_thread *self = dft_self;
    if (!self)
        return;
    if (start && self->top[-1].start == start)
        self->top[-1].caller = dft_guest_mark(site, self, self->top - 1);
    else if (!start && self->top != self->limit)
        push_off(self, site, stack);
    else
        dft_deep_guests_push(self, site, start ? start : DFT_GUEST_OFF);
}

static struct dft_frame *find(struct dft_thread *self, const struct dftrace_site *site)
{
    for (struct dft_frame *frame = self->top - 1; frame > self->frames; frame--)
        if (frame->start && frame->caller == dft_guest_mark(site, self, frame))
            return frame;
    return NULL;
}

/* In a forked child, the calls that were open in the parent end like others. */
static struct dft_thread *attach_heir(void)
{
    struct dft_guard guard;

    if (!dft_thread_is_heir())
        return NULL;
    dft_guard_enter(&guard);
    dft_busy = true;
    dft_thread_attach();
    dft_busy = false;
    dft_guard_leave(&guard);
    return dft_self;
}

void dft_guest_calls_exit(struct dftrace_site *site, uint64_t now)
{
    uint64_t attached = dft_site_is_attached(site) ? DFT_TOKEN_ATTACHED : 0, start;

    if (dft_busy)
        return;
    struct dft_thread *self = dft_self ? dft_self : attach_heir();
    if (!self)
        return;
    if (dft_deep_guests && dft_deep_guests_pop(self, site, &start)) {
        if (start != DFT_GUEST_OFF)
            dft_slow_path_exit(site, start | attached, now, 0);
        return;
    }
    struct dft_frame *frame = find(self, site);
    if (!frame)
        return;
    if (frame->start == DFT_GUEST_OFF)
        dft_slow_path_forget(frame, now);
    else
        dft_slow_path_exit(site, frame->start | attached, now, UINT64_MAX);
}

struct dftrace_site *dft_guest_calls_innermost(struct dftrace_site *begun,
                                               struct dftrace_site *resumed)
{
    if (dft_busy)
        return begun;
    struct dft_thread *self = dft_self ? dft_self : attach_heir();
    if (!self)
        return begun;
    if (dft_deep_guests) {
        const struct dftrace_site *deep = dft_deep_guests_innermost(self, begun, resumed);
        if (deep)
            return deep == resumed ? resumed : begun;
    }
    for (const struct dft_frame *frame = self->top - 1; frame > self->frames; frame--)
        if (frame->caller == dft_guest_mark(begun, self, frame))
            return begun;
        else if (frame->caller == dft_guest_mark(resumed, self, frame))
            return resumed;
    return begun;
}

/* --- values --------------------------------------------------------------------------------- */

static bool is_omitted(const struct dft_guest_site *guest, const char *key)
{
    for (const char *name = guest->omitted; *name; name += strlen(name) + 1)
        if (key && strcmp(name, key) == 0)
            return true;
    return false;
}

EXPORT void __dftrace_guest_values(struct dftrace_site *site, const struct dftrace_value *values,
                                   uint32_t count)
{
    const struct dft_guest_site *guest = (const struct dft_guest_site *)site;
    struct dft_thread *self = dft_self;
    struct dft_frame *frame =
        self && !dft_busy && !dft_deep_guests && site->flags & DFTRACE_SITE_ARGS ? find(self, site)
                                                                                 : NULL;

    if (!frame || frame->start == DFT_GUEST_OFF)
        return;
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i;
        while (end < count && !is_omitted(guest, values[end].key))
            end++;
        dft_open_regions_call_values(frame, values + i, end - i);
        i = end + 1;
    }
}
