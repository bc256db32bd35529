/*
 * Open regions: their values, and dftrace_begin and dftrace_end, which no block encloses.
 *
 * Runs in traced threads, with signals unblocked: the regions of a signal handler have frames of
 * their own. Keeps errno. Takes neither a lock nor a system call if the thread has had such a region
 * before, and names and keys were used before.
 *
 * A region that is not recorded, because its event is off or too deep, must still be counted:
 * otherwise its dftrace_end would end another region. It is counted in the recorded region around
 * it.
 */
#include "runtime/events/open_regions.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/detail/detail.h"
#include "runtime/events/event_table.h"
#include "runtime/events/mishaps.h"
#include "runtime/events/named_events.h"
#include "runtime/hooks/fast_path.h"
#include "runtime/session/thread.h"

#include <sys/mman.h>

#define REGIONS_SIZE (DFT_THREAD_FRAMES * sizeof(struct dft_open_region))

DFT_TLS struct dft_open_region *dft_open_regions;

/* Regions that are not recorded, outside of all regions that dftrace_begin has begun. */
static DFT_TLS uint32_t skipped_outside;

static __attribute__((noinline)) bool make_regions(void)
{
    struct dft_guard guard;

    dft_guard_enter(&guard);
    if (!dft_open_regions) {
        void *memory =
            mmap(NULL, REGIONS_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        dft_open_regions = memory == MAP_FAILED ? NULL : memory;
    }
    dft_guard_leave(&guard);
    return dft_open_regions;
}

void dft_open_regions_release(void)
{
    struct dft_open_region *memory = dft_open_regions;

    dft_open_regions = NULL;
    if (memory)
        munmap(memory, REGIONS_SIZE);
}

void dft_open_regions_exchange(struct dft_open_region **regions, uint32_t *skipped)
{
    struct dft_open_region *memory = dft_open_regions;
    uint32_t outside = skipped_outside;

    dft_open_regions = *regions;
    skipped_outside = *skipped;
    *regions = memory;
    *skipped = outside;
}

/* What is kept of the region in this frame; NULL if there is no memory. */
static struct dft_open_region *keep(const struct dft_thread *self, const struct dft_frame *frame)
{
    if (!dft_open_regions && !make_regions())
        return NULL;
    struct dft_open_region *region = &dft_open_regions[frame - self->frames];
    if (region->start != frame->start) {
        region->values.used = 0;
        region->skipped = 0;
        region->flags = 0;
        region->is_begun = false;
        region->start = frame->start;
    }
    return region;
}

void dft_open_regions_values(uint64_t token, const struct dftrace_value *values, uint32_t count)
{
    const struct dft_thread *self = dft_self;
    uint64_t start = token & ~DFT_TOKEN_ATTACHED;

    if (!self || dft_busy)
        return;
    const struct dft_frame *frame = self->top - 1;
    while (frame > self->frames && frame->start != start)
        frame--;
    struct dft_open_region *region = frame > self->frames ? keep(self, frame) : NULL;
    if (region)
        dft_event_values_add(&region->values, values, count);
    else
        dft_mishaps_count(DFT_MISHAP_VALUES);
}

void dft_open_regions_call_values(const struct dft_frame *frame, const struct dftrace_value *values,
                                  uint32_t count)
{
    struct dft_open_region *region = count ? keep(dft_self, frame) : NULL;

    if (region)
        dft_event_values_add_to_call(&region->values, values, count);
    else if (count)
        dft_mishaps_count(DFT_MISHAP_VALUES);
}

void dft_open_regions_value_of_name(uint64_t token, const struct dftrace_event *event)
{
    struct dftrace_value name = {.key = "name",
                                 .type = DFTRACE_TYPE_TEXT,
                                 .size = DFTRACE_TERMINATED,
                                 .as.text = dft_named_events_name(event)};

    if (token && event == &dft_event_others)
        dft_open_regions_values(token, &name, 1);
}

void dft_open_regions_add_values(const struct dft_thread *self, const struct dft_frame *frame,
                                 struct dft_attachments *all)
{
    const struct dft_open_region *region = dft_open_regions_find(self, frame);

    if (!region || !region->values.used)
        return;
    memcpy(all->bytes, region->values.bytes, region->values.used);
    all->used = region->values.used;
}

/* --- begin and end -------------------------------------------------------------------------- */

struct dft_frame *dft_open_regions_outliving(const struct dft_thread *self,
                                             const struct dft_frame *call)
{
    const struct dft_frame *frame = call + 1;

    while (frame < self->top && frame->record == DFT_FRAME_HOLE)
        frame++;
    return frame < self->top && dft_open_regions_is_begun(self, frame) ? (struct dft_frame *)frame
                                                                       : NULL;
}

/* Removes the frames of wrappers that have begun the region that has ended now. */
static void pop_holes(struct dft_thread *self)
{
    while (self->top > self->frames + 1 && self->top[-1].record == DFT_FRAME_HOLE) {
        self->top[-1].record = 0;
        DFT_IN_ORDER();
        self->top--;
    }
}

/* The innermost open region that dftrace_begin has begun; NULL: none. */
static struct dft_open_region *find_begun(const struct dft_thread *self, struct dft_frame **place)
{
    struct dft_frame *frame = self ? self->top - 1 : NULL;

    if (!self || !dft_open_regions)
        return NULL;
    for (; frame > self->frames; frame--) {
        struct dft_open_region *region = dft_open_regions_find(self, frame);
        if (region && region->is_begun) {
            *place = frame;
            return region;
        }
    }
    return NULL;
}

static uint32_t *skipped_here(void)
{
    struct dft_frame *frame;
    struct dft_open_region *region = find_begun(dft_self, &frame);

    return region ? &region->skipped : &skipped_outside;
}

/* Pushes a frame. NULL if the region is not recorded. */
static struct dft_frame *push(struct dftrace_event *event, struct dft_place place)
{
    struct dft_thread *self = dft_self;
    uint32_t id = __atomic_load_n(&event->site.id, __ATOMIC_RELAXED);
    uint64_t token = DFT_LIKELY(self && (int32_t)id > 0)
                         ? dft_fast_path_enter_region(self, id, place, dft_clock_now)
                         : 0;

    if (!token)
        token = dft_slow_path_enter(&event->site, place);
    self = dft_self;
    if (!token || !self)
        return NULL;
    struct dft_frame *frame = self->top - 1;
    if (frame->start != (token & ~DFT_TOKEN_ATTACHED)) { /* too deep for a frame */
        self->deep--;
        dft_mishaps_count(DFT_MISHAP_EVENT);
        return NULL;
    }
    return frame;
}

void dft_open_regions_begin(struct dftrace_event *event, const struct dftrace_value *values,
                            uint32_t count)
{
    struct dft_place place = {(uint64_t)(uintptr_t)__builtin_frame_address(0),
                              (uint64_t)(uintptr_t)__builtin_return_address(0)};
    struct dft_frame *frame = NULL;

    if (dft_busy)
        return;
    if ((event->site.text || dft_event_table_meet(event, false)) && event->site.on)
        frame = push(event, place);
    struct dft_open_region *region = frame ? keep(dft_self, frame) : NULL;
    if (region) {
        region->flags = event->site.flags;
        region->is_begun = true;
        dft_open_regions_value_of_name(frame->start, event);
        if (count)
            dft_event_values_add(&region->values, values, count);
        return;
    }
    if (frame) { /* without memory, it could not be ended */
        frame->start = 0;
        DFT_IN_ORDER();
        dft_self->top = frame;
        dft_mishaps_count(DFT_MISHAP_EVENT);
    }
    ++*skipped_here();
}

/* Ends a region whose frame is not the innermost one, or that has samples. */
static __attribute__((noinline)) void end_slowly(const struct dft_frame *frame, uint16_t flags,
                                                 uint64_t now)
{
    /* The event itself may have been unloaded meanwhile. */
    struct dftrace_site site = {
        .flags = (uint16_t)(flags | DFTRACE_SITE_ARGS), .id = frame->site, .own_id = frame->site};

    dft_slow_path_exit(&site, frame->start, now, UINT64_MAX);
}

void dft_open_regions_end(void)
{
    struct dft_thread *self = dft_self;
    struct dft_frame *frame;
    uint64_t now = dft_clock_now();

    if (dft_busy)
        return;
    struct dft_open_region *region = find_begun(self, &frame);
    uint32_t *skipped = region ? &region->skipped : &skipped_outside;
    if (*skipped) {
        --*skipped;
        return;
    }
    if (!region) {
        dft_mishaps_count(DFT_MISHAP_END);
        return;
    }
    struct dft_record_bytes bytes = {region->values.bytes, region->values.used};
    bool is_simple = frame == self->top - 1 && !(region->flags & DFTRACE_SITE_SAMPLE);
    if (!is_simple ||
        !(bytes.used ? dft_records_end_attached(self, now, bytes)
                     : dft_fast_path_leave(self, frame, frame->start, now - frame->start)))
        end_slowly(frame, region->flags, now);
    pop_holes(self);
}
