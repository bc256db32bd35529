/*
 * -finstrument-functions: calls that do not go the short way, and which of the open calls it is
 * that ends.
 *
 * Runs in traced threads, signal handlers included, out of the hot path. Keeps errno.
 */
#include "runtime/detail/detail.h"
#include "runtime/detail/safe_read.h"
#include "runtime/finstrument/overflow_stack.h"
#include "runtime/finstrument/resolve.h"
#include "runtime/library.h"
#include "runtime/session/thread.h"

#include <errno.h>

/* For a start: a call deeper than asked for, kept so that its end is not taken for another's. */
#define LEFT_OUT 1

/*
 * A function that was compiled with the plugin and with -finstrument-functions calls both enter
 * hooks from one frame: the call is the plugin's.
 */
static bool is_twins(const struct dft_function *function, const struct dft_frame *frame,
                     uint64_t stack)
{
    uint32_t twin = function->twin ? dft_site_number(function->twin) : 0;

    return twin && frame->site == twin && frame->stack == stack;
}

/*
 * Where the plugin's enter hook came second, its frame was above this one all the time, and stands
 * there still. Then this call is taken back, and later ones are not begun.
 */
static bool take_back(struct dft_thread *self, struct dft_function *function,
                      const struct dft_frame *found)
{
    struct dft_frame *frame = self->frames + (found - self->frames);

    if (frame != self->top - 1 || self->top == self->limit ||
        !is_twins(function, frame + 1, frame->stack))
        return false;
    function->twice = function->both = true;
    frame->start = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    self->top = frame;
    return true;
}

void dft_finstrument_enter(struct dft_function *function, struct dft_place place)
{
    /*
     * Where the plugin's hook counts its calls, there is no frame to be seen. Nor need they be
     * calls of this function: another file may have one of the same name.
     */
    if (function->twice ||
        (function->both && function->twin && function->twin->id & DFTRACE_SITE_THROTTLED))
        return;
    if (dft_self && is_twins(function, dft_self->top - 1, place.stack)) {
        function->both = true;
        return;
    }
    uint64_t start = dft_slow_path_enter(&function->made.site, place) & ~DFT_TOKEN_ATTACHED;
    struct dft_thread *self = dft_self;
    if (self && self->top == self->limit && (self->cut || start) && self->top[-1].start != start) {
        self->deep += self->cut;
        if (self->deep == 1)
            dft_overflow_stack_clear();
        dft_overflow_stack_push(dft_site_number(&function->made.site), start ? start : LEFT_OUT,
                                place.stack);
    }
}

/* Whether it is the frame pointer of the function that ends: beside it is where that returns to. */
static bool is_frame_pointer(const struct dft_exit_place *exit)
{
    const uint64_t in_use = (1ull << 48) - 1; /* above may be a signature */
    uint64_t returns_to;
    int saved = errno;
    size_t read =
        dft_safe_read(exit->frame_pointer + sizeof returns_to, &returns_to, sizeof returns_to);

    errno = saved;
    return read == sizeof returns_to && ((returns_to ^ exit->call_site) & in_use) == 0;
}

/*
 * Whether a frame further up the stack, of the same function, is that of the call that ends. A
 * function that uses alloca has a frame pointer, between which and the exit hook lies all that it
 * has on the stack, its enter hook's place too. A caller's is above it. But other functions may
 * have their caller's frame pointer still: so it is looked at before the first time, unless no call
 * can be missing.
 */
static bool is_above(const struct dft_frame *frame, const struct dft_function *function,
                     const struct dft_exit_place *exit)
{
    if (exit->jumped)
        return false;
    if (!(function->marks & DFT_EXIT_LOWER) && !dft_library_was_switched())
        return true;
    return exit->frame_pointer > frame->stack &&
           (function->marks & DFT_EXIT_LOWER || is_frame_pointer(exit));
}

/*
 * The same where the function has jumped to its exit hook: that stands where the function was
 * called. What lies below is its own and of calls that were left, its own first.
 */
static const struct dft_frame *find_jumped(const struct dft_thread *self,
                                           struct dft_function *function, uint64_t stack)
{
    uint32_t id = dft_site_number(&function->made.site);
    const struct dft_frame *found = NULL;

    for (const struct dft_frame *frame = self->top - 1; frame > self->frames; frame--) {
        if (frame->start == 0)
            continue; /* being filled, by an enter hook that a handler has interrupted */
        if (frame->stack >= stack)
            break;
        if (frame->site == id)
            found = frame;
    }
    if (found)
        function->marks |= DFT_EXIT_HIGHER;
    return found;
}

/*
 * The frame of the call that ends. Frames further down the stack have been left; one further up is
 * a caller's. A function that uses alloca calls its exit hook from further down than its enter
 * hook; one that jumps to its exit hook does so from further up.
 */
static const struct dft_frame *find_frame(const struct dft_thread *self,
                                          struct dft_function *function,
                                          const struct dft_exit_place *exit)
{
    uint32_t id = dft_site_number(&function->made.site);
    uint64_t stack = exit->stack;

    if (exit->jumped)
        return find_jumped(self, function, stack);
    for (const struct dft_frame *frame = self->top - 1; frame > self->frames; frame--) {
        const struct dft_frame *below = frame - 1;
        if (frame->start == 0)
            continue; /* being filled, by an enter hook that a handler has interrupted */
        if (frame->site == id && frame->stack == stack)
            return frame;
        if (frame->stack > stack) {
            if (frame->site != id || !is_above(frame, function, exit))
                return NULL;
            function->marks |= DFT_EXIT_LOWER;
            return frame;
        }
        if (frame->site == id && below->stack >= stack) {
            bool doubtful = below->site == id && below->stack == stack;
            if (!doubtful)
                function->marks |= DFT_EXIT_HIGHER;
            if (!doubtful || (function->marks & DFT_EXIT_HIGHER))
                return frame;
        }
    }
    return NULL;
}

void dft_finstrument_exit(struct dft_function *function, uint64_t now,
                          const struct dft_exit_place *exit)
{
    struct dft_thread *self = dft_self;
    uint64_t start = 0;

    if (self->deep && self->top == self->limit)
        start = dft_overflow_stack_pop(dft_site_number(&function->made.site), exit->stack,
                                       self->top - 1);
    if (start == LEFT_OUT) {
        self->deep = dft_overflow_stack_count();
        return;
    }
    if (start == 0) {
        const struct dft_frame *frame = find_frame(self, function, exit);
        start = frame && !take_back(self, function, frame) ? frame->start : 0;
    }
    if (start && dft_site_is_attached(&function->made.site))
        start |= DFT_TOKEN_ATTACHED;
    if (start)
        dft_slow_path_exit(&function->made.site, start, now, exit->stack);
}
