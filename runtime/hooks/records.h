/*
 * Appending to the chunks of one's own thread; all of it below a guard, but where it says not.
 *
 * By `next` alone a hook in the hot path finds out that a signal handler has moved on to another
 * chunk. But where one chunk ends another begins. So the hot path never takes a chunk's first
 * record: whoever opens a chunk fills it here, that of a thread's first chunk stays empty. And
 * `next` is beyond the end only until the next call that comes here.
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

/* One unit, in less time: where a handler was faster, one is taken that nobody fills: no call. */
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
 * Whether this open frame's call is recorded all the same: its exit hook was interrupted between
 * "recorded" and "frame taken off", and a jump left it there. It must not be recorded again.
 */
bool dft_records_has(const struct dft_thread *self, const struct dft_frame *frame);

/*
 * Room for more records. Where no chunk is left, the thread waits for the writer to free one; where
 * it has no other, the writer empties the one it has. So it takes no more than one chunk a thread
 * for all to get on.
 */
bool dft_records_make_room(struct dft_thread *self);

/* The thread has made its last call: its open chunk is the writer's. */
void dft_records_end(struct dft_thread *self);

/*
 * Waits until `is_there` says so; it is told how often in this wait the writer had nothing to do.
 * What is waited for comes from the writer, which may find nothing that it could give back, or may
 * be dead: then the call at hand is dropped, and the next ones after a shorter wait.
 */
typedef bool dft_is_there(struct dft_thread *self, unsigned idle);
bool dft_records_wait(dft_is_there *is_there, struct dft_thread *self);

#endif
