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

typedef uint64_t dft_read_clock(void);

/*
 * Pushes a frame and fills it. Returns the start time, or 0 if the slow path must handle the call.
 */
DFT_HOT uint64_t dft_fast_path_enter(struct dft_thread *self, uint32_t id, struct dft_place place,
                                     dft_read_clock *clock)
{
    struct dft_frame *frame = self->top;

    if (!DFT_LIKELY(frame != self->limit && !dft_frame_is_left(frame - 1, place)))
        return 0;
    self->top = frame + 1;
    DFT_IN_ORDER();
    frame->site = id;
    frame->record = 0;
    frame->stack = place.stack;
    frame->caller = place.caller;
    return frame->start = clock();
}

/* Records the innermost call and pops its frame. False if the slow path must do that. */
DFT_HOT bool dft_fast_path_leave(struct dft_thread *self, struct dft_frame *frame, uint64_t start,
                                 uint64_t duration)
{
    struct dft_record *record;

    /*
     * `next` may be past the end: this hook may run in a signal handler that has interrupted
     * another hook, which has moved `next` and has not yet noticed that it is past the end.
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
    return false;
}

#endif
