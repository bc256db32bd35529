/*
 * The slow path handles a thread's first call; a function's first call; calls that are deeper than
 * the shadow stack, run on another stack, or end in another order than they began; and every call
 * that records more than its time.
 *
 * Runs in traced threads, in any context. Keeps errno.
 */
#include "runtime/hooks/slow_path.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/detail/detail.h"
#include "runtime/events/event_names.h"
#include "runtime/events/mishaps.h"
#include "runtime/events/named_events.h"
#include "runtime/events/open_regions.h"
#include "runtime/hooks/records.h"
#include "runtime/hooks/throttled_calls.h"
#include "runtime/interpose/altstack.h"
#include "runtime/session/own_work.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "runtime/sites/module_table.h"
#include "runtime/sites/sites.h"

#define STACK_MAX (64u << 20) /* addresses that are further apart belong to different stacks */

static bool is_aggregated(const struct dftrace_site *site)
{
    return site->flags & DFTRACE_SITE_AGGREGATE || site->known & DFT_SITE_AGGREGATED;
}

void dft_slow_path_style(const struct dftrace_site *site)
{
    struct dft_spool *spool = &dft_session.spool;
    uint32_t id = dft_site_number(site);

    /* A forked child that has no spool yet copies the numbers into its spool later. */
    if (id && spool->header && id <= dft_spool_sites(spool) &&
        !(dft_spool_site_style(spool, id) & DFT_STYLE_THROTTLED))
        dft_spool_style_site(spool, id, DFT_STYLE_AGGREGATED, is_aggregated(site));
}

uint32_t dft_slow_path_number(struct dftrace_site *site)
{
    uint32_t flags = site->flags & DFTRACE_SITE_IO ? site->flags | DFT_SITE_EVENT : site->flags;
    bool is_event = site->flags & DFTRACE_SITE_EVENT;

    /* It stands for another name each time, so the hot path must not handle it. */
    if (site == &dft_event_others.site)
        return dft_event_names_other();
    uint32_t id = is_event
                      ? dft_event_names_intern(site->text, site->line)
                      : dft_spool_intern_site_of(&dft_session.spool, dft_module_table_number(site),
                                                 site->text, site->line, flags);

    if (id == 0 && is_event)
        dft_mishaps_count(DFT_MISHAP_NAMES);
    else if (id == 0) /* the next call tries again */
        dft_session_miss_call("functions");
    else if (is_aggregated(site))
        dft_spool_style_site(&dft_session.spool, id, DFT_STYLE_AGGREGATED, true);
    uint32_t index = id && dft_spool_site_style(&dft_session.spool, id) & DFT_STYLE_THROTTLED
                         ? dft_spool_find_throttled(&dft_session.spool, id)
                         : DFT_NOT_THROTTLED;
    bool throttled = index != DFT_NOT_THROTTLED && !(site->flags & DFTRACE_SITE_ADDRESS);
    if (dft_site_is_attached(site) || throttled)
        __atomic_store_n(&site->own_id, id, __ATOMIC_RELAXED);
    if (!dft_site_is_attached(site))
        __atomic_store_n(&site->id, throttled ? DFTRACE_SITE_THROTTLED | index : id,
                         __ATOMIC_RELEASE);
    return id;
}

/*
 * Pops the innermost frame. The time at which its call ended is unknown; `now` is the latest
 * possible time.
 */
static void close_innermost(struct dft_thread *self, uint64_t now)
{
    struct dft_frame *frame = self->top - 1;

    if (frame->start && frame->site && !dft_records_has(self, frame))
        dft_records_append_call(self, frame->site, frame->start, now);
    frame->start = 0;
    frame->record = 0;
    self->top = frame;
    if (!self->cut) /* calls beyond frames[] were abandoned as well; their functions are unknown */
        self->dropped += self->deep;
    self->deep = 0;
}

/*
 * Whether a frame was abandoned. Addresses that are too far apart belong to different stacks and
 * cannot be compared. A frame without a start is skipped: this call has interrupted the enter hook
 * that is about to fill the frame, which still has the contents of an earlier call.
 */
static bool is_left(const struct dft_thread *self, struct dft_place place)
{
    const struct dft_frame *frame = self->top - 1;

    while (frame > self->frames && frame->start == 0)
        frame--;
    return dft_frame_is_left(frame, place) && place.stack - frame->stack < STACK_MAX;
}

static void close_left_frames(struct dft_thread *self, struct dft_place place, uint64_t now)
{
    /*
     * Addresses on an alternate signal stack cannot be compared with those on the ordinary stack.
     */
    if (!is_left(self, place) || dft_altstack_is_used())
        return;
    while (is_left(self, place))
        close_innermost(self, now);
}

void dft_slow_path_close_left(struct dft_place place)
{
    struct dft_thread *self = dft_self;
    struct dft_guard guard;

    if (!is_left(self, place))
        return;
    uint64_t now = dft_clock_now();
    dft_guard_enter(&guard);
    close_left_frames(self, place, now);
    dft_own_work_end(self, now);
    dft_guard_leave(&guard);
}

void dft_slow_path_close_all(void)
{
    struct dft_thread *self = dft_self;
    uint64_t now = dft_clock_now();

    while (self && self->top > self->frames + 1)
        close_innermost(self, now);
}

/*
 * Reserves the frame before filling it, as the hot path does: signals may be unblocked. `detail`
 * may be NULL; a call that is too deep for a frame has no details.
 */
static uint64_t push_frame(struct dft_thread *self, uint32_t id, struct dft_place place,
                           const struct dft_call_detail *detail)
{
    struct dft_frame *frame = self->top;

    if (frame == self->limit) { /* such a call is recorded at its exit, like any other */
        self->deep++;
        return dft_clock_now();
    }
    self->top = frame + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    frame->site = id;
    frame->record = 0;
    frame->stack = place.stack;
    frame->caller = place.caller;
    if (detail && dft_call_details)
        dft_call_details[frame - self->frames] = *detail;
    return frame->start = dft_clock_now();
}

/*
 * Whether the call is omitted because it is nested deeper than DFTRACER_MAX_DEPTH. Counts such a
 * call.
 */
static bool is_omitted(struct dft_thread *self)
{
    bool left_out = self->cut && self->top == self->limit;

    if (left_out)
        dft_count_omitted(self);
    return left_out;
}

/* Counts a call of a throttled site. True if the call is only counted, not recorded. */
static bool is_only_counted(struct dft_thread *self, const struct dftrace_site *site)
{
    uint32_t id = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);

    return id & DFTRACE_SITE_THROTTLED && self->counts &&
           !dft_count_call(self, id % DFT_THROTTLED_MAX);
}

static uint64_t begin_call(struct dft_thread *self, const struct dftrace_site *site, uint32_t id,
                           struct dft_place place)
{
    struct dft_call_detail detail;

    if (site->flags & DFTRACE_SITE_EVENT) /* see dft_fast_path_enter_region */
        place = (struct dft_place){self->top[-1].stack, self->top[-1].caller};
    if (!dft_site_is_attached(site))
        return push_frame(self, id, place, NULL);
    dft_detail_begin(site, self, &detail);
    return push_frame(self, id, place, &detail) | DFT_TOKEN_ATTACHED;
}

uint64_t dft_slow_path_enter(struct dftrace_site *site, struct dft_place place)
{
    struct dft_thread *self = dft_self;
    struct dft_guard guard;
    uint64_t token = 0;
    uint32_t id = dft_site_number(site);
    bool prepared = !dft_site_is_attached(site) || dft_call_details;

    if (dft_busy)
        return 0;
    if (self && is_only_counted(self, site))
        return 0;
    /* The call is deep, on another stack, or has attachments. */
    if (self && id && prepared && !is_left(self, place))
        return is_omitted(self) ? 0 : begin_call(self, site, id, place);
    bool fresh = !self;
    uint64_t began = dft_clock_now();
    dft_guard_enter(&guard);
    dft_busy = true;
    if (fresh)
        self = dft_thread_attach();
    id = !self ? 0 : id ? id : dft_slow_path_number(site);
    if (self && !id && site->flags & DFTRACE_SITE_EVENT)
        id = dft_event_names_other();
    if (self)
        close_left_frames(self, place, began);
    if (!prepared)
        dft_detail_prepare();
    dft_own_work_end(self, began);
    dft_busy = false;
    if (id && !(fresh && is_only_counted(self, site)) && !is_omitted(self))
        token = begin_call(self, site, id, place);
    dft_guard_leave(&guard);
    return token;
}

static struct dft_frame *find_frame(struct dft_thread *self, uint64_t start)
{
    for (struct dft_frame *frame = self->top - 1; frame > self->frames; frame--)
        if (frame->start == start)
            return frame;
    return NULL;
}

/*
 * A call that ends. `frame` is NULL if the call is not on the shadow stack; `beyond` is set if the
 * call was too deep for the shadow stack.
 */
struct ending {
    uint64_t start, now;
    struct dft_frame *frame;
    bool beyond;
};

static struct ending find_ending(struct dft_thread *self, uint64_t start, uint64_t now,
                                 uint64_t stack)
{
    struct ending ending = {.start = start, .now = now};

    ending.beyond =
        self->deep && !self->cut && self->top == self->limit && stack <= self->top[-1].stack;
    if (!ending.beyond || self->top[-1].start == start)
        ending.frame = find_frame(self, start);
    return ending;
}

/*
 * A call returns, but a region that dftrace_begin has begun in it goes on: the function is a wrapper.
 * Its frame stays below that of the region, without a start.
 */
static void make_hole(struct dft_thread *self, struct dft_frame *frame)
{
    frame->start = 0;
    frame->site = 0;
    frame->record = DFT_FRAME_HOLE;
    for (; frame < self->top; frame++) {
        frame->stack = frame[-1].stack;
        frame->caller = frame[-1].caller;
    }
}

/* Since calls and regions must nest, such a call is recorded up to the beginning of the region. */
static void end_wrapper(struct dft_thread *self, uint32_t site, const struct ending *ending,
                        const struct dft_frame *region, const struct dft_attachments *attachments)
{
    while (!dft_open_regions_is_begun(self, self->top - 1)) /* abandoned by longjmp */
        close_innermost(self, ending->now);
    if (attachments)
        dft_records_append_attached(self, site, ending->start, region->start, attachments);
    else
        dft_records_append_call(self, site, ending->start, region->start);
    make_hole(self, ending->frame);
}

/*
 * A call that has no frame although it was not too deep has been recorded already: when an outer
 * call ended, when its thread ended, or in the parent of this process.
 */
static void end_call(struct dft_thread *self, uint32_t site, const struct ending *ending,
                     const struct dft_attachments *attachments)
{
    struct dft_frame *region =
        ending->frame ? dft_open_regions_outliving(self, ending->frame) : NULL;

    if (!ending->frame && !ending->beyond)
        return;
    if (region) {
        end_wrapper(self, site, ending, region, attachments);
        return;
    }
    /* The inner frames were abandoned by longjmp, or by an exception that passed through C code. */
    while (ending->frame && self->top - 1 > ending->frame)
        close_innermost(self, ending->now);
    if (attachments)
        dft_records_append_attached(self, site, ending->start, ending->now, attachments);
    else
        dft_records_append_call(self, site, ending->start, ending->now);
    if (ending->frame) {
        ending->frame->start = 0;
        self->top = ending->frame;
        if (self->cut)
            self->deep = 0;
    } else {
        self->deep--;
    }
}

/* Without room for the name of a region, only its frame has a number. */
static uint32_t number_at_exit(const struct dftrace_site *site, const struct ending *ending)
{
    return site->flags & DFTRACE_SITE_EVENT && ending->frame ? ending->frame->site
                                                             : dft_site_number(site);
}

/* Inside a guard. Returns this thread's slot; claims one if it has none yet. */
static struct dft_thread *attach(void)
{
    if (!dft_self) {
        dft_busy = true;
        dft_thread_attach();
        dft_busy = false;
    }
    return dft_self;
}

/* Needs no guard. Drops the call if it is the innermost one and there is still no room. */
static bool drop_innermost(struct dft_thread *self, uint64_t start, unsigned count)
{
    struct dft_frame *frame = self->top - 1;

    if (frame->start != start || self->end - self->next >= (ptrdiff_t)count)
        return false;
    return dft_records_drop(self, frame, count) ||
           (dft_records_are_still_full(self) && dft_records_drop(self, frame, count));
}

/*
 * Out of line, because attachments need stack space. What was read at the call's start is kept with
 * its frame. The call then ends like any other, without a guard if possible.
 */
static __attribute__((noinline)) void exit_attached(struct dftrace_site *site, uint64_t start,
                                                    uint64_t now, uint64_t stack)
{
    struct dft_thread *self = dft_self;
    struct dft_attachments attachments;
    struct dft_guard guard;

    attachments.used = 0;
    if (self) {
        struct ending ending = find_ending(self, start, now, stack);
        struct dft_record_bytes bytes = {attachments.bytes, 0};
        if (ending.frame && site->flags & DFT_SITE_VALUES_ELSEWHERE)
            dft_open_regions_add_values(self, ending.frame, &attachments);
        if (ending.frame && dft_site_is_attached(site) && dft_call_details)
            dft_detail_end(site, self, &dft_call_details[ending.frame - self->frames],
                           &attachments);
        bytes.used = attachments.used;
        if (ending.frame && ending.frame == self->top - 1 &&
            (dft_records_end_attached(self, now, bytes) ||
             drop_innermost(self, start, dft_attachments_units(&attachments))))
            return;
    }
    /* The cost of samples up to here is accounted for separately. */
    uint64_t began = dft_clock_now();
    dft_guard_enter(&guard);
    self = attach();
    if (self) {
        struct ending ending = find_ending(self, start, now, stack);
        uint32_t id = number_at_exit(site, &ending);
        if (id)
            end_call(self, id, &ending, &attachments);
    }
    dft_own_work_end(self, began);
    dft_guard_leave(&guard);
}

void dft_slow_path_exit(struct dftrace_site *site, uint64_t token, uint64_t now, uint64_t stack)
{
    struct dft_guard guard;

    if (dft_busy)
        return;
    if (token & DFT_TOKEN_ATTACHED || site->flags & DFTRACE_SITE_ARGS) {
        exit_attached(site, token & ~DFT_TOKEN_ATTACHED, now, stack);
        return;
    }
    if (dft_self && drop_innermost(dft_self, token, 1))
        return;
    dft_guard_enter(&guard);
    struct dft_thread *self = attach();
    if (self) {
        struct ending ending = find_ending(self, token, now, stack);
        uint32_t id = number_at_exit(site, &ending);
        if (id)
            end_call(self, id, &ending, NULL);
    }
    dft_own_work_end(self, now);
    dft_guard_leave(&guard);
}

void dft_slow_path_forget(struct dft_frame *frame, uint64_t now)
{
    struct dft_thread *self = dft_self;
    struct dft_guard guard;

    dft_guard_enter(&guard);
    if (dft_open_regions_outliving(self, frame)) {
        while (!dft_open_regions_is_begun(self, self->top - 1))
            close_innermost(self, now);
        make_hole(self, frame);
    } else {
        while (self->top > frame)
            close_innermost(self, now);
    }
    dft_own_work_end(self, now);
    dft_guard_leave(&guard);
}

/* Pops the frame of a call that is not recorded, and the frames of abandoned calls above it. */
static void forget_call(struct dft_thread *self, const struct ending *ending)
{
    if (!ending->frame) {
        if (ending->beyond)
            self->deep--;
        return;
    }
    while (self->top - 1 > ending->frame)
        close_innermost(self, ending->now);
    ending->frame->start = 0;
    self->top = ending->frame;
    if (self->cut)
        self->deep = 0;
}

void dft_slow_path_note_io(struct dftrace_site *site, uint64_t start,
                           const struct dft_attachments *attachments)
{
    struct dft_guard guard;
    uint64_t now = dft_clock_now();

    dft_guard_enter(&guard);
    struct dft_thread *self = attach();
    uint32_t id = !self                   ? 0
                  : dft_site_number(site) ? dft_site_number(site)
                                          : dft_slow_path_number(site);
    if (self && id && !is_omitted(self))
        dft_records_append_attached(self, id, start, now, attachments);
    dft_own_work_end(self, now);
    dft_guard_leave(&guard);
}

void dft_slow_path_exit_io(struct dftrace_site *site, uint64_t token, uint64_t now, uint64_t stack,
                           const struct dft_attachments *attachments)
{
    struct dft_guard guard;

    dft_guard_enter(&guard);
    struct dft_thread *self = attach();
    uint32_t id = dft_site_number(site);
    if (self && id) {
        struct ending ending = find_ending(self, token, now, stack);
        if (attachments)
            end_call(self, id, &ending, attachments);
        else
            forget_call(self, &ending);
    }
    dft_own_work_end(self, now);
    dft_guard_leave(&guard);
}
