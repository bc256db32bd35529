/*
 * Regions that a block encloses: the hot path, which is that of hooks.c. Runs for every region, in
 * any thread and any context; everything said there holds here.
 *
 * In an untraced program it is called once for each place in the source, and then switches that
 * place off. So it belongs to the code that untraced programs use too.
 */
#include "runtime/base/clock.h"
#include "runtime/events/event_table.h"
#include "runtime/events/open_regions.h"
#include "runtime/hooks/fast_path.h"
#include "runtime/library.h"
#include "runtime/session/thread.h"

#define EXPORT __attribute__((visibility("default")))

static __attribute__((noinline)) uint64_t enter_slowly(struct dftrace_event *event,
                                                       struct dft_place place)
{
    if (!event)
        return 0;
    if (!dft_library_is_traced()) {
        event->site.on = 0;
        return 0;
    }
    if (dft_busy || (!event->site.text && !dft_event_table_meet(event, false)) || !event->site.on)
        return 0;
    uint64_t token = dft_slow_path_enter(&event->site, place);
    dft_open_regions_value_of_name(token, event);
    return token;
}

EXPORT uint64_t __dftrace_region_enter(struct dftrace_event *event)
{
    struct dft_place place = {dft_stack_address(),
                              (uint64_t)(uintptr_t)__builtin_return_address(0)};
    struct dft_thread *self = dft_self;

    if (DFT_LIKELY(event && self && dft_clock_kind == DFT_CLOCK_COUNTER)) {
        uint32_t id = __atomic_load_n(&event->site.id, __ATOMIC_RELAXED);
        uint64_t start = DFT_LIKELY((int32_t)id > 0)
                             ? dft_fast_path_enter_region(self, id, place, dft_ticks_counter)
                             : 0;
        if (DFT_LIKELY(start))
            return start;
    }
    return enter_slowly(event, place);
}

static __attribute__((noinline)) void exit_slowly(struct dftrace_event *event, uint64_t token,
                                                  uint64_t now, uint64_t stack)
{
    dft_slow_path_exit(&event->site, token, now, stack);
}

EXPORT void __dftrace_region_exit(struct dftrace_event *event, uint64_t token)
{
    uint64_t now = dft_clock_now();
    struct dft_thread *self = dft_self;

    if (DFT_LIKELY(self && self->top[-1].start == token)) {
        struct dft_frame *frame = self->top - 1;
        const struct dft_open_region *region =
            event->site.flags & DFTRACE_SITE_ARGS ? dft_open_regions_find(self, frame) : NULL;
        if (DFT_LIKELY(!region || !region->values.used)
                ? DFT_LIKELY(dft_fast_path_leave(self, frame, token, now - token))
                : dft_records_end_attached(
                      self, now,
                      (struct dft_record_bytes){region->values.bytes, region->values.used}))
            return;
    }
    exit_slowly(event, token, now, dft_stack_address());
}
