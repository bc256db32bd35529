/*
 * Calls that are not "one more call like the last": a thread's first one, a function's first one,
 * calls deeper than the shadow stack, on another stack, or that end in another order than they
 * began; and every call of a function that records more than its time.
 *
 * Runs in traced threads, out of the hot path. Keeps errno.
 */
#include "runtime/hooks/slow_path.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/detail/detail.h"
#include "runtime/hooks/records.h"
#include "runtime/hooks/throttled_calls.h"
#include "runtime/interpose/altstack.h"
#include "runtime/session/own_work.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "runtime/sites/module_table.h"
#include "runtime/sites/sites.h"

#define STACK_MOST (64u << 20) /* further apart, two addresses are taken for two stacks */

static bool is_aggregated(const struct dftrace_site *site)
{
    return site->flags & DFTRACE_SITE_AGGREGATE || site->known & DFT_SITE_ADDED_UP;
}

void dft_calls_style(const struct dftrace_site *site)
{
    struct dft_spool *spool = &dft_session.spool;
    uint32_t id = dft_site_number(site);

    /* Numbers of a forked child that has no spool yet will be good in it. */
    if (id && spool->header && id <= dft_spool_sites(spool) &&
        !(dft_spool_site_style(spool, id) & DFT_STYLE_COUNTED))
        dft_spool_style_site(spool, id, DFT_STYLE_AGGREGATED, is_aggregated(site));
}

/* The site's number, given on its first call. */
static uint32_t number_site(struct dftrace_site *site)
{
    uint32_t id = dft_spool_intern_site_of(&dft_session.spool, dft_modules_number(site), site->text,
                                           site->line, site->flags);

    if (id == 0) /* the next call tries again */
        dft_session_miss_call("functions");
    else if (is_aggregated(site))
        dft_spool_style_site(&dft_session.spool, id, DFT_STYLE_AGGREGATED, true);
    uint32_t index = id && dft_spool_site_style(&dft_session.spool, id) & DFT_STYLE_COUNTED
                         ? dft_spool_find_counted(&dft_session.spool, id)
                         : DFT_NOT_COUNTED;
    bool counted = index != DFT_NOT_COUNTED && !(site->flags & DFTRACE_SITE_ADDRESS);
    if (dft_site_is_attached(site) || counted)
        __atomic_store_n(&site->own_id, id, __ATOMIC_RELAXED);
    if (!dft_site_is_attached(site))
        __atomic_store_n(&site->id, counted ? DFTRACE_SITE_COUNTED | index : id, __ATOMIC_RELEASE);
    return id;
}

/* Takes off the innermost frame, whose call ended nobody knows when: now at the latest. */
static void close_innermost(struct dft_thread *self, uint64_t now)
{
    struct dft_frame *frame = self->top - 1;

    if (frame->start && frame->site && !dft_records_has(self, frame))
        dft_records_append_call(self, frame->site, frame->start, now);
    frame->start = 0;
    self->top = frame;
    if (!self->cut) /* left as well, and nobody knows which functions they were */
        self->dropped += self->deep;
    self->deep = 0;
}

/*
 * Addresses too far apart are taken for two stacks, of which one tells nothing of the other. Nor
 * does a frame without a start tell anything: an enter hook that a signal handler has interrupted
 * is about to fill it, and what stands there is of an earlier call.
 */
static bool is_left(const struct dft_thread *self, struct dft_place place)
{
    const struct dft_frame *frame = self->top - 1;

    while (frame > self->frames && frame->start == 0)
        frame--;
    return dft_frame_is_left(frame, place) && place.stack - frame->stack < STACK_MOST;
}

static void close_left_frames(struct dft_thread *self, struct dft_place place, uint64_t now)
{
    /* On an alternate signal stack addresses tell nothing of the frames on the ordinary one. */
    if (!is_left(self, place) || dft_altstack_is_used())
        return;
    while (is_left(self, place))
        close_innermost(self, now);
}

/*
 * Takes the frame before it fills it, as the hot path does: signals may not be blocked. `note`, or
 * NULL, is kept with it; a call that is too deep for a frame has none.
 */
static uint64_t push_frame(struct dft_thread *self, uint32_t id, struct dft_place place,
                           const struct dft_note *note)
{
    struct dft_frame *frame = self->top;

    if (frame == self->limit) { /* recorded at its exit like any other */
        self->deep++;
        return dft_clock_now();
    }
    self->top = frame + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    frame->site = id;
    frame->record = 0;
    frame->stack = place.stack;
    frame->caller = place.caller;
    if (note && dft_notes)
        dft_notes[frame - self->frames] = *note;
    return frame->start = dft_clock_now();
}

/* Whether the innermost call is as deep as the user wants to see; then this one is left out. */
static bool is_left_out(struct dft_thread *self)
{
    bool left_out = self->cut && self->top == self->limit;

    if (left_out)
        dft_count_left_out(self);
    return left_out;
}

/* Whether it is all of this call that it was counted. */
static bool is_only_counted(struct dft_thread *self, const struct dftrace_site *site)
{
    uint32_t id = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);

    return id & DFTRACE_SITE_COUNTED && self->counts && !dft_count_call(self, id % DFT_COUNTED_MAX);
}

static uint64_t begin_call(struct dft_thread *self, const struct dftrace_site *site, uint32_t id,
                           struct dft_place place)
{
    struct dft_note note;

    if (!dft_site_is_attached(site))
        return push_frame(self, id, place, NULL);
    dft_attached_begin(site, self, &note);
    return push_frame(self, id, place, &note) | DFT_TOKEN_ATTACHED;
}

uint64_t dft_calls_enter(struct dftrace_site *site, struct dft_place place)
{
    struct dft_thread *self = dft_self;
    struct dft_guard guard;
    uint64_t token = 0;
    uint32_t id = dft_site_number(site);
    bool prepared = !dft_site_is_attached(site) || dft_notes;

    if (dft_thread_is_lodger() || dft_busy)
        return 0;
    if (self && is_only_counted(self, site))
        return 0;
    /* Deep, on another stack, or with attachments. */
    if (self && id && prepared && !is_left(self, place))
        return is_left_out(self) ? 0 : begin_call(self, site, id, place);
    bool fresh = !self;
    uint64_t began = dft_clock_now();
    dft_guard_enter(&guard);
    dft_busy = true;
    if (fresh)
        self = dft_thread_attach();
    id = !self ? 0 : id ? id : number_site(site);
    if (self)
        close_left_frames(self, place, began);
    if (!prepared)
        dft_attached_prepare();
    dft_ownwork_end(self, began);
    dft_busy = false;
    if (id && !(fresh && is_only_counted(self, site)) && !is_left_out(self))
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

/* A call that ends: where it stands on the shadow stack, if it is there, or that it is too deep. */
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
 * A call whose frame is not there has been written already: when frames were closed above one that
 * ended, when the thread had come to its end, or in the process that forked this one.
 */
static void end_call(struct dft_thread *self, uint32_t site, const struct ending *ending,
                     const struct dft_attachments *attachments)
{
    if (!ending->frame && !ending->beyond)
        return;
    /* Frames above it were left by longjmp, or by an exception that C code let through. */
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

/* Below a guard: this thread's slot, also where it had none yet. */
static struct dft_thread *attach(void)
{
    if (!dft_self) {
        dft_busy = true;
        dft_thread_attach();
        dft_busy = false;
    }
    return dft_self;
}

/*
 * Out of line, because attachments take room on the stack. What was noted of the call is in the
 * place of its frame; then the call ends like any other, without a guard where nothing is unusual.
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
        if (ending.frame && dft_notes)
            dft_attached_end(site, self, &dft_notes[ending.frame - self->frames], &attachments);
        if (ending.frame && ending.frame == self->top - 1 &&
            dft_records_end_attached(self, now, &attachments))
            return;
    }
    uint64_t began = dft_clock_now(); /* what samples cost until here is known in another way */
    dft_guard_enter(&guard);
    self = attach();
    uint32_t id = dft_site_number(site);
    if (self && id) {
        struct ending ending = find_ending(self, start, now, stack);
        end_call(self, id, &ending, &attachments);
    }
    dft_ownwork_end(self, began);
    dft_guard_leave(&guard);
}

void dft_calls_exit(struct dftrace_site *site, uint64_t token, uint64_t now, uint64_t stack)
{
    struct dft_guard guard;

    if (dft_busy)
        return;
    if (token & DFT_TOKEN_ATTACHED) {
        exit_attached(site, token & ~DFT_TOKEN_ATTACHED, now, stack);
        return;
    }
    dft_guard_enter(&guard);
    struct dft_thread *self = attach();
    uint32_t id = dft_site_number(site);
    if (self && id) {
        struct ending ending = find_ending(self, token, now, stack);
        end_call(self, id, &ending, NULL);
    }
    dft_ownwork_end(self, now);
    dft_guard_leave(&guard);
}
