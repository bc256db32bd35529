/*
 * Calls that are not "one more call like the last": a thread's first one, a function's first one,
 * calls deeper than the shadow stack, on another stack, or that end in another order than they
 * began.
 *
 * Runs in traced threads, out of the hot path. Keeps errno.
 */
#include "runtime/calls.h"
#include "runtime/altstack.h"
#include "runtime/clock.h"
#include "runtime/guard.h"
#include "runtime/records.h"
#include "runtime/session.h"
#include "runtime/thread.h"

#define STACK_MOST (64u << 20) /* further apart, two addresses are taken for two stacks */

/* The site's number, given on its first call. */
static uint32_t number_site(struct dftrace_site *site)
{
    uint32_t id = dft_spool_intern_site(&dft_session.spool, site->text, site->line, site->flags);

    if (id == 0) {
        site->on = 0;
        dft_session_say_full("functions");
    }
    __atomic_store_n(&site->id, id, __ATOMIC_RELAXED);
    return id;
}

/* Takes off the innermost frame, whose call ended nobody knows when: now at the latest. */
static void close_innermost(struct dft_thread *self, uint64_t now)
{
    struct dft_frame *frame = self->top - 1;

    if (frame->start && !dft_records_has(self, frame))
        dft_records_append_call(self, frame->site, frame->start, now);
    frame->start = 0;
    self->top = frame;
    self->dropped += self->deep; /* left as well, and nobody knows which functions they were */
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

static void close_left_frames(struct dft_thread *self, struct dft_place place)
{
    /* On an alternate signal stack addresses tell nothing of the frames on the ordinary one. */
    if (!is_left(self, place) || dft_altstack_is_used())
        return;
    for (uint64_t now = dft_clock_now(); is_left(self, place);)
        close_innermost(self, now);
}

/* Takes the frame before it fills it, as the hot path does: signals may not be blocked. */
static uint64_t push_frame(struct dft_thread *self, uint32_t id, struct dft_place place)
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
    return frame->start = dft_clock_now();
}

uint64_t dft_calls_enter(struct dftrace_site *site, struct dft_place place)
{
    struct dft_thread *self = dft_self;
    struct dft_guard guard;
    uint64_t now = 0;
    uint32_t id = __atomic_load_n(&site->id, __ATOMIC_RELAXED);

    if (dft_busy)
        return 0;
    if (self && id && !is_left(self, place)) /* deep, or on another stack */
        return push_frame(self, id, place);
    dft_guard_enter(&guard);
    dft_busy = true;
    if (!self)
        self = dft_thread_attach();
    id = !self ? 0 : id ? id : number_site(site);
    if (self)
        close_left_frames(self, place);
    dft_busy = false;
    if (id)
        now = push_frame(self, id, place);
    dft_guard_leave(&guard);
    return now;
}

static struct dft_frame *find_frame(struct dft_thread *self, uint64_t start)
{
    for (struct dft_frame *frame = self->top - 1; frame > self->frames; frame--)
        if (frame->start == start)
            return frame;
    return NULL;
}

/*
 * A call whose frame is not there has been written already: when frames were closed above one that
 * ended, when the thread had come to its end, or in the process that forked this one.
 */
static void end_call(struct dft_thread *self, uint32_t site, uint64_t start, uint64_t now,
                     uint64_t stack)
{
    bool beyond = self->deep && self->top == self->limit && stack <= self->top[-1].stack;
    struct dft_frame *frame =
        beyond && self->top[-1].start != start ? NULL : find_frame(self, start);

    if (frame) {
        /* Frames above it were left by longjmp, or by an exception that C code let through. */
        while (self->top - 1 > frame)
            close_innermost(self, now);
        dft_records_append_call(self, site, start, now);
        frame->start = 0;
        self->top = frame;
    } else if (beyond) {
        self->deep--;
        dft_records_append_call(self, site, start, now);
    }
}

void dft_calls_exit(struct dftrace_site *site, uint64_t start, uint64_t now, uint64_t stack)
{
    struct dft_thread *self = dft_self;
    struct dft_guard guard;

    if (dft_busy)
        return;
    dft_guard_enter(&guard);
    if (!self) {
        dft_busy = true;
        self = dft_thread_attach();
        dft_busy = false;
    }
    uint32_t id = __atomic_load_n(&site->id, __ATOMIC_RELAXED);
    if (self && id)
        end_call(self, id, start, now, stack);
    dft_guard_leave(&guard);
}
