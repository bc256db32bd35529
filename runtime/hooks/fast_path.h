/*
 * The hot path: inline functions that the C hooks share. hooks.c explains the order of the steps.
 */
#ifndef DFT_RUNTIME_HOOKS_FAST_PATH_H
#define DFT_RUNTIME_HOOKS_FAST_PATH_H

#include "runtime/hooks/records.h"
#include "runtime/hooks/slow_path.h"

#define DFT_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define DFT_HOT static inline __attribute__((always_inline))

/*
 * Keeps the compiler from reordering memory accesses. The processor itself shows a thread its own
 * accesses in order.
 */
#define DFT_IN_ORDER() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* Not __builtin_frame_address, which would make the hooks set up a frame pointer. */
static inline uint64_t dft_stack_address(void)
{
#if defined(__x86_64__)
    uint64_t stack;
    __asm__("movq %%rsp, %0" : "=r"(stack));
    return stack;
#else
    return (uint64_t)(uintptr_t)__builtin_frame_address(0);
#endif
}

typedef uint64_t dft_read_clock(void);

/* `kept` is what the frame keeps of the place. */
DFT_HOT uint64_t dft_fast_path_push(struct dft_thread *self, uint32_t id, struct dft_place kept,
                                    dft_read_clock *clock)
{
    struct dft_frame *frame = self->top;

    self->top = frame + 1;
    DFT_IN_ORDER();
    frame->site = id;
    frame->record = 0;
    frame->stack = kept.stack;
    frame->caller = kept.caller;
    return frame->start = clock();
}

/*
 * Pushes a frame and fills it. Returns the start time, or 0 if the slow path must handle the call.
 */
DFT_HOT uint64_t dft_fast_path_enter(struct dft_thread *self, uint32_t id, struct dft_place place,
                                     dft_read_clock *clock)
{
    if (!DFT_LIKELY(self->top != self->limit && !dft_frame_is_left(self->top - 1, place)))
        return 0;
    return dft_fast_path_push(self, id, place, clock);
}

/*
 * The same for a region, whose enter function may be called by a wrapper that returns before the
 * region ends. So a region counts as abandoned only together with the call around it.
 */
DFT_HOT uint64_t dft_fast_path_enter_region(struct dft_thread *self, uint32_t id,
                                            struct dft_place place, dft_read_clock *clock)
{
    if (!DFT_LIKELY(self->top != self->limit && !dft_frame_is_left(self->top - 1, place)))
        return 0;
    struct dft_place kept = {self->top[-1].stack, self->top[-1].caller};
    return dft_fast_path_push(self, id, kept, clock);
}

/* Records or drops the innermost call and pops its frame. False if the slow path must do that. */
DFT_HOT bool dft_fast_path_leave(struct dft_thread *self, struct dft_frame *frame, uint64_t start,
                                 uint64_t duration)
{
    struct dft_record *record;

    /*
     * `next` may be past the end: this hook may run in a signal handler that has interrupted
     * another hook, which has moved `next` past the end and has not yet noticed that.
     */
    while (DFT_LIKELY(duration <= UINT32_MAX && (record = self->next) < self->end)) {
        frame->record = DFT_FRAME_RECORD((uintptr_t)record);
        if (DFT_LIKELY(dft_records_take_one(self, record))) {
            record->start = start;
            record->duration = (uint32_t)duration;
            __atomic_store_n(&record->site, frame->site, __ATOMIC_RELEASE);
            frame->start = 0;
            DFT_IN_ORDER();
            self->top = frame;
            return true;
        }
    }
    return dft_records_drop(self, frame, 1);
}

#endif
