/*
 * Appending records to the chunks of the calling thread. All functions must be called inside a
 * guard, unless their comment says otherwise.
 *
 * A signal handler may open another chunk while a hook is in the hot path. The hook notices that
 * only if `next` has changed. Chunks are adjacent, so the end of one chunk is the address of
 * another chunk's first record, and `next` may seem unchanged. Therefore the hot path never takes
 * the first record of a chunk: records.c fills it right after it has opened the chunk, and leaves
 * it empty in a thread's first chunk.
 *
 * `next` may exceed `end`: a hook checks and moves `next` in two steps, and a signal handler may
 * fill the chunk in between. records.c corrects that the next time it is called.
 */
#ifndef DFT_RUNTIME_HOOKS_RECORDS_H
#define DFT_RUNTIME_HOOKS_RECORDS_H

#include "runtime/hooks/hooks_x86_64.h"
#include "runtime/hooks/throttled_calls.h"
#include "spool/attachments.h"

/* Records an ended call. If there is no room, the call is counted as dropped. */
void dft_records_append_call(struct dft_thread *self, uint32_t site, uint64_t start, uint64_t end);

/*
 * Needs no guard. Takes `count` units at `record` by moving `next` past them; false if a signal
 * handler has already moved `next`. Only this thread writes `next`, so on x86-64 one instruction
 * without a bus lock is enough: no signal handler can interrupt it.
 */
static inline bool dft_records_take(struct dft_thread *self, struct dft_record *record,
                                    unsigned count)
{
    struct dft_record *behind = record + count;
#if defined(__x86_64__)
    bool taken;
    __asm__ volatile("cmpxchgq %[behind], %[next]"
                     : [next] "+m"(self->next), "+a"(record), "=@ccz"(taken)
                     : [behind] "r"(behind)
                     : "memory");
    return taken;
#else
    return __atomic_compare_exchange_n(&self->next, &record, behind, 0, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
#endif
}

/*
 * The same for one unit, but faster. If a signal handler has already moved `next`, this takes a
 * unit that nobody fills, and returns false. Readers ignore that unit.
 */
static inline bool dft_records_take_one(struct dft_thread *self, struct dft_record *record)
{
#if defined(__x86_64__)
    __asm__ volatile("addq %[size], %[next]"
                     : [next] "+m"(self->next)
                     : [size] "i"(sizeof *record)
                     : "memory");
    return __atomic_load_n(&self->next, __ATOMIC_RELAXED) == record + 1;
#else
    return dft_records_take(self, record, 1);
#endif
}

/*
 * Needs no guard. Drops the innermost call, which needs `count` units, if the thread has just found
 * that calls are dropped: counts the call and pops its frame. A thread is stuck (DFT_STUCK) after
 * it has found no room. If calls are dropped then, `stuck` is higher by the number of calls that
 * are dropped before the hooks look for room again; handlers that change it at the same time only
 * shift that. A handler that leaves by longjmp after the count and before the pop makes the count
 * of dropped calls too high by one.
 */
#define DFT_STUCK_DROPPING 255
static inline bool dft_records_drop(struct dft_thread *self, struct dft_frame *frame,
                                    unsigned count)
{
    if (self->stuck <= DFT_STUCK || self->end - self->next >= (ptrdiff_t)count)
        return false;
    self->stuck--;
    dft_count_dropped(self);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    frame->start = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    self->top = frame;
    return true;
}

/*
 * Needs no guard. Called when `stuck` has become DFT_STUCK: sets it again if calls are dropped and
 * the writer has freed nothing since the thread last looked for room.
 */
bool dft_records_are_still_full(struct dft_thread *self);

/* The same as dft_records_append_call for a call with attachments. */
void dft_records_append_attached(struct dft_thread *self, uint32_t site, uint64_t start,
                                 uint64_t end, const struct dft_attachments *attachments);

/*
 * Needs no guard. Records the innermost call and pops its frame, as the hot path does for calls
 * without attachments. False if the open chunk has no room, or if signal handlers have moved `next`
 * in every attempt; then the caller needs a guard.
 */
bool dft_records_end_attached(struct dft_thread *self, uint64_t end,
                              struct dft_record_bytes attachments);

/*
 * Needs no guard. Takes `count` units for a record that does not belong to an open call. While the
 * record is being filled, a frame without a site refers to it, just as the frame of an ending call
 * refers to its record. So if a signal handler closes the chunk meanwhile, the writer waits until
 * the record is filled. `start` is the start in the record; `stack` is an address in the caller's
 * stack frame. False if the open chunk has no room or no frame is left; then the caller uses
 * dft_records_take_units.
 */
struct dft_claim {
    struct dft_record *record;
    struct dft_frame *frame;
};

bool dft_records_claim(struct dft_thread *self, unsigned count, uint64_t start, uint64_t stack,
                       struct dft_claim *claim);

/* Called when the claimed record has been filled: pops its frame. */
void dft_records_settle(struct dft_thread *self, const struct dft_claim *claim);

/*
 * Takes `count` units for a record that the caller fills. If there is no room, counts it as dropped
 * and returns NULL.
 */
struct dft_record *dft_records_take_units(struct dft_thread *self, unsigned count);

/*
 * Whether the call of this open frame is already recorded. That happens if a signal handler
 * interrupts an exit hook that has completed the record but not yet popped the frame, and leaves by
 * longjmp. Such a call must not be recorded again.
 */
bool dft_records_has(const struct dft_thread *self, const struct dft_frame *frame);

/*
 * Makes room for more records in this thread. If no chunk is free, the thread waits for the writer
 * to free one. If the thread has only its open chunk, it lends that chunk to the writer, which
 * returns it empty. So one chunk per thread is enough for all threads to make progress. False if
 * there is no room.
 */
bool dft_records_make_room(struct dft_thread *self);

/* Called after the thread's last call: hands the open chunk over to the writer. */
void dft_records_end(struct dft_thread *self);

/*
 * Waits for the writer until `is_there` returns true. `idle` is how often the writer was found
 * asleep during this wait. Returns false if the writer has nothing to free, makes no progress or is
 * dead. Then the caller drops its call, and the thread's next waits are shorter.
 */
typedef bool dft_is_there(struct dft_thread *self, unsigned idle);
bool dft_records_wait(dft_is_there *is_there, struct dft_thread *self);

#endif
