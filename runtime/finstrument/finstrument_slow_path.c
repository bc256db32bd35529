/*
 * -finstrument-functions: handles calls that the fast path does not, and finds out which of the
 * open calls ends.
 *
 * Runs in traced threads, including signal handlers, outside the hot path. Keeps errno.
 */
#include "runtime/detail/detail.h"
#include "runtime/detail/safe_read.h"
#include "runtime/finstrument/overflow_stack.h"
#include "runtime/finstrument/resolve.h"
#include "runtime/library.h"
#include "runtime/session/thread.h"

#include <errno.h>

/*
 * Takes the place of the start time of an omitted call. Even an omitted call is pushed, so that its
 * end is not taken for that of another call.
 */
#define OMITTED 1

/*
 * Whether the plugin's enter hook has pushed this frame for the same call. A function compiled with
 * the plugin and with -finstrument-functions calls both enter hooks from one stack frame. The call
 * is then recorded by the plugin's hooks.
 */
static bool is_of_plugin(const struct dft_function *function, const struct dft_frame *frame,
                         uint64_t stack)
{
    uint32_t twin = function->twin ? dft_site_number(function->twin) : 0;

    return twin && frame->site == twin && frame->stack == stack;
}

/*
 * Takes a call back if the plugin's hooks have recorded it, too. If the plugin's enter hook ran
 * second, it pushed its frame directly after this one. That frame has been popped, but its contents
 * are still there. Later calls of the function do not push a frame in these hooks.
 */
static bool take_back(struct dft_thread *self, struct dft_function *function,
                      const struct dft_frame *found)
{
    struct dft_frame *frame = self->frames + (found - self->frames);

    if (frame != self->top - 1 || self->top == self->limit ||
        !is_of_plugin(function, frame + 1, frame->stack))
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
     * If the plugin's site is throttled, its calls have no frame to compare with. `both` is needed
     * as well, because the site may belong to a function of the same name in another file.
     */
    if (function->twice ||
        (function->both && function->twin && function->twin->id & DFTRACE_SITE_THROTTLED))
        return;
    if (dft_self && is_of_plugin(function, dft_self->top - 1, place.stack)) {
        function->both = true;
        return;
    }
    uint64_t start = dft_slow_path_enter(&function->made.site, place) & ~DFT_TOKEN_ATTACHED;
    struct dft_thread *self = dft_self;
    if (self && self->top == self->limit && (self->cut || start) && self->top[-1].start != start) {
        self->deep += self->cut;
        if (self->deep == 1)
            dft_overflow_stack_clear();
        dft_overflow_stack_push(dft_site_number(&function->made.site), start ? start : OMITTED,
                                place.stack);
    }
}

/*
 * Whether exit->frame_pointer is that of the ending function: if so, the return address is next to
 * it.
 */
static bool is_frame_pointer(const struct dft_exit_place *exit)
{
    const uint64_t in_use = (1ull << 48) - 1; /* higher bits may be a pointer authentication code */
    uint64_t returns_to;
    int saved = errno;
    size_t read =
        dft_safe_read(exit->frame_pointer + sizeof returns_to, &returns_to, sizeof returns_to);

    errno = saved;
    return read == sizeof returns_to && ((returns_to ^ exit->call_site) & in_use) == 0;
}

/*
 * Whether a frame of the same function with a higher stack address is that of the ending call. A
 * function that uses alloca has a frame pointer. All of its stack frame lies between that pointer
 * and the exit hook, including the enter hook's stack address. A caller's frame is above the
 * pointer. But in a function without a frame pointer, the register may contain the pointer of its
 * caller. So the pointer is checked at the first such exit of a function. No check is needed if
 * recording was never switched, because then every open call has a frame.
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
 * Like find_frame, for a function that has jumped to its exit hook. The hook then runs at the stack
 * address where the function was called. Among the frames with lower stack addresses, the ending
 * call's was pushed first; the others were abandoned.
 */
static const struct dft_frame *find_jumped(const struct dft_thread *self,
                                           struct dft_function *function, uint64_t stack)
{
    uint32_t id = dft_site_number(&function->made.site);
    const struct dft_frame *found = NULL;

    for (const struct dft_frame *frame = self->top - 1; frame > self->frames; frame--) {
        if (frame->start == 0)
            continue; /* being filled: a handler has interrupted the enter hook */
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
 * Finds the frame of the ending call. Frames with lower stack addresses are abandoned; a frame with
 * a higher one is a caller's. A function that uses alloca calls its exit hook from a lower address
 * than its enter hook. A function that jumps to its exit hook does so from a higher one.
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
            continue; /* being filled: a handler has interrupted the enter hook */
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
    if (start == OMITTED) {
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
