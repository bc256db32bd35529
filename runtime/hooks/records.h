/*
 * Appends records to the chunks of the calling thread. Callers hold a guard unless stated otherwise.
 *
 * The hot path checks `next` alone to see whether a signal handler has moved on to another chunk.
 * The end of one chunk can be the address at which another begins. So the hot path never takes the
 * first record of a chunk: the functions here fill it when they open the chunk (in a thread's first
 * chunk it stays empty). `next` may be past the end of the chunk only until the next call of a
 * function in this file.
 */
#ifndef DFT_RUNTIME_HOOKS_RECORDS_H
#define DFT_RUNTIME_HOOKS_RECORDS_H

#include "spool/attachments.h"

/* One ended call, counted as dropped where there is no room for it. */
void dft_records_append_call(struct dft_thread *self, uint32_t site, uint64_t start, uint64_t end);

/*
 * Without a guard: moves `next` over `count` units at `record`, unless a signal handler was faster.
 * Only this thread writes `next`, so on x86-64 the instruction needs no bus lock: it cannot be
 * interrupted half-way.
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

/* One unit, in less time. If a handler was faster, the unit is skipped and stays empty. */
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

/* As dft_records_append_call, for a call with attachments. */
void dft_records_append_attached(struct dft_thread *self, uint32_t site, uint64_t start,
                                 uint64_t end, const struct dft_attachments *attachments);

/*
 * Without a guard: records the innermost call and takes its frame off, as the hot path does with
 * calls that have no attachments. False where the open chunk has no room for it, or signal handlers
 * come so fast that it takes a guard to get on.
 */
bool dft_records_end_attached(struct dft_thread *self, uint64_t end,
                              const struct dft_attachments *attachments);

/*
 * Without a guard: takes `count` units for a record of any kind that is no open call's. While the
 * record is being filled, a frame without a site names it, as an exit hook's frame does: so a
 * signal handler that closes the chunk leaves the record to be filled, and the writer waits for it.
 * `start` is the start in the record; `stack` an address in the caller's stack frame. False where
 * the open chunk has no room for it, or there is no frame left: then dft_records_append_event.
 */
struct dft_claim {
    struct dft_record *record;
    struct dft_frame *frame;
};

bool dft_records_claim(struct dft_thread *self, unsigned count, uint64_t start, uint64_t stack,
                       struct dft_claim *claim);

/* The record is complete. */
void dft_records_settle(struct dft_thread *self, const struct dft_claim *claim);

/* An event that is no call, counted as dropped where there is no room for it. */
void dft_records_append_event(struct dft_thread *self, enum dft_record_kind kind, uint32_t site,
                              uint64_t start, const struct dft_attachments *attachments);

/*
 * Whether the call of this open frame is already recorded: a signal handler interrupted its exit hook
 * before the frame was popped, and left by a jump. The call must not be recorded again.
 */
bool dft_records_has(const struct dft_thread *self, const struct dft_frame *frame);

/*
 * Makes room for more records. If no chunk is free, the thread waits for the writer to free one; if
 * the thread has only one, the writer empties that. So one chunk for each thread is enough for all
 * threads to make progress.
 */
bool dft_records_make_room(struct dft_thread *self);

/* After the last event of the thread: hands its open chunk over to the writer. */
void dft_records_end(struct dft_thread *self);

/*
 * Waits until `is_there` returns true; `idle` is how often the writer was found asleep in this wait.
 * The writer may have nothing to free, or may be dead: then the wait ends, the current event is
 * dropped, and later ones wait less.
 */
typedef bool dft_is_there(struct dft_thread *self, unsigned idle);
bool dft_records_wait(dft_is_there *is_there, struct dft_thread *self);

#endif
