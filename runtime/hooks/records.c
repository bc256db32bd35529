/*
 * Records: appending to a thread's open chunk, and opening the next chunk when it is full.
 *
 * Runs in traced threads, outside the hot path, with signals blocked except in the functions that
 * need no guard (see records.h). Keeps errno. Waits only if the spool is full and the user has not
 * chosen to drop calls.
 */
#include "runtime/hooks/records.h"
#include "os/time.h"
#include "runtime/base/clock.h"
#include "runtime/base/tls.h"
#include "runtime/interpose/exec.h"
#include "runtime/session/own_work.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "runtime/sites/throttle.h"

#include <string.h>

#define WAIT_US 8000       /* the longest wait, unless the writer wakes the thread */
#define STUCK_WAIT_US 1000 /* the same after a wait that failed */
#define EXEC_WAIT_NS 200000
#define WAITS_MAX 250 /* two seconds or more without progress */
#define WAITS_STUCK 1
#define WAITS_PATIENT 3  /* number of waits after which the thread checks that the host exists */
#define WAITS_AT_WORK 30 /* waits with the writer awake: this many times more, for slow disks */
#define IDLE_MAX 3       /* after so many waits with the writer asleep, the chunk is lent */
#define WAKE_EVERY 64    /* after so many opened chunks, the writer is woken */
#define PAGE_SIZE 4096
#define TRIES_MAX 8  /* attempts, if signal handlers move `next` */
#define LOOKS_MAX 64 /* a full spool is looked at so often before a chunk is asked for again */

/* The header's `freed` when this thread last found no room, and how often it was unchanged since. */
static DFT_TLS struct {
    uint32_t freed;
    uint32_t looks;
} found_full;

static bool is_running(void)
{
    return atomic_load(&dft_session.spool.header->state) == DFT_SPOOL_RUNNING;
}

/*
 * Whether calls are dropped at once if there is no room: by the user's choice, or while the trace
 * cannot be written.
 */
static bool drops_when_full(void)
{
    const struct dft_spool_header *header = dft_session.spool.header;

    return header->settings.drop_when_full || atomic_load(&header->failing);
}

bool dft_records_wait(dft_is_there *is_there, struct dft_thread *self)
{
    struct dft_spool *spool = &dft_session.spool;
    unsigned most = self && self->stuck ? WAITS_STUCK : WAITS_MAX;
    bool there = is_there(self, 0);

    if (there || drops_when_full())
        return there;
    uint64_t start = dft_clock_now();
    atomic_fetch_add(&spool->header->waiting, 1);
    uint32_t commit = atomic_load(&spool->header->commit);
    unsigned idle = 0, at_work = 0;
    while (!there && idle < most && at_work < most * WAITS_AT_WORK && is_running() &&
           !drops_when_full()) {
        uint32_t freed = atomic_load(&spool->header->freed);
        /* A new commit is progress: the counting begins again. */
        if (atomic_load(&spool->header->commit) != commit) {
            commit = atomic_load(&spool->header->commit);
            idle = at_work = 0;
        }
        if (atomic_load(&spool->header->asleep))
            idle++;
        else
            at_work++;
        if ((idle + at_work) % WAITS_PATIENT == 0 && dft_session_host_is_gone()) {
            spool->header->settings.drop_when_full = 1;
            break;
        }
        dft_spool_wake(spool);
        there = is_there(self, idle); /* after reading `freed`, so that no wakeup is missed */
        if (!there)
            dft_spool_wait_freed(spool, freed, most == WAITS_STUCK ? STUCK_WAIT_US : WAIT_US);
    }
    atomic_fetch_sub(&spool->header->waiting, 1);
    dft_own_work_waited(start, dft_clock_now());
    return there;
}

static struct dft_chunk *chunk_entry(const struct dft_thread *self)
{
    return &dft_session.spool.directory[self->chunk];
}

bool dft_records_has(const struct dft_thread *self, const struct dft_frame *frame)
{
    uint32_t index = DFT_FRAME_RECORD_INDEX(frame, (uintptr_t)self->first);

    return self->first && index < DFT_CHUNK_RECORDS && self->first[index].site &&
           self->first[index].start == frame->start;
}

/*
 * A signal handler may have interrupted an exit hook that has recorded its call but not yet popped
 * the call's frame. If the handler leaves by longjmp, only the record shows that the call has
 * ended. Once the chunk is closed that record cannot be found any more, so the frame is marked as
 * ended now.
 */
static void close_recorded(struct dft_thread *self)
{
    for (struct dft_frame *frame = self->frames + 1; frame < self->top; frame++)
        if (dft_records_has(self, frame))
            frame->start = 0;
}

static void close_chunk(struct dft_thread *self, uint32_t next)
{
    struct dft_chunk *entry = chunk_entry(self);

    close_recorded(self);
    entry->next = next + 1; /* DFT_NO_CHUNK becomes 0: none */
    atomic_store_explicit(&entry->state, DFT_CHUNK_FULL, memory_order_release);
}

/*
 * Whether code that this signal handler has interrupted has yet to fill a record of the open chunk.
 */
static bool has_unfilled(const struct dft_thread *self)
{
    for (const struct dft_frame *frame = self->frames + 1; frame < self->top; frame++) {
        uint32_t index = DFT_FRAME_RECORD_INDEX(frame, (uintptr_t)self->first);
        if (index < DFT_CHUNK_RECORDS && self->first[index].site == 0)
            return true;
    }
    return false;
}

/*
 * Wakes the writer only after several chunks. If every chunk woke the writer, the writer would run
 * all the time, often on the program's processor. The writer also wakes up by itself from time to
 * time.
 */
static void wake_writer_in_time(struct dft_spool *spool)
{
    struct dft_spool_header *header = spool->header;
    uint32_t opened = atomic_fetch_add_explicit(&header->opened, 1, memory_order_relaxed) + 1;
    uint32_t every =
        header->chunk_limit / 8 < WAKE_EVERY ? header->chunk_limit / 8 + 1 : WAKE_EVERY;

    if (opened % every == 0)
        dft_spool_wake(spool);
}

/*
 * The processor's prefetcher does not cross page borders. Without this, the first access to each
 * page would have to wait for the cache of the processor on which the writer wiped the chunk.
 */
static void fetch_pages(const struct dft_thread *self)
{
    for (const char *page = (const char *)self->first; page < (const char *)self->end;
         page += PAGE_SIZE)
        __builtin_prefetch(page, 1);
}

/*
 * Whether the writer aggregates calls. If so, the writer must know which calls are open where one
 * chunk ends and the next begins.
 */
static bool is_aggregated(const struct dft_spool_header *header)
{
    return header->settings.aggregate_all || header->settings.min_duration_ns ||
           atomic_load_explicit(&header->styled, memory_order_relaxed);
}

/*
 * Writes the starts of all open calls to the beginning of an empty chunk, for writer/nesting.h.
 * Returns the first free record.
 */
static struct dft_record *put_open_calls(const struct dft_thread *self, struct dft_record *first)
{
    uint32_t count = 0;

    if (!is_aggregated(dft_session.spool.header))
        return first;
    for (const struct dft_frame *frame = self->frames + 1; frame < self->top; frame++)
        if (frame->start && frame->site)
            first[++count].start = frame->start;
    __atomic_store_n(&first->site, DFT_RECORD_MAKE(DFT_RECORD_OPEN, count), __ATOMIC_RELEASE);
    return first + count + 1;
}

/*
 * Opens a new chunk, and only then closes the previous one, so that there is an open chunk at every
 * moment. The limit of chunks does not apply in two cases: to a thread that has no chunk, as long
 * as the trace can be written; and to a signal handler that has interrupted an exit hook with an
 * unfilled record, because the writer cannot empty that chunk before the handler returns.
 */
static bool open_chunk(struct dft_thread *self)
{
    struct dft_spool *spool = &dft_session.spool;
    bool beyond_limit = !self->first && !atomic_load(&spool->header->failing);
    uint32_t chunk = dft_spool_take_chunk(spool, beyond_limit);

    if (chunk == DFT_NO_CHUNK && self->first && has_unfilled(self))
        chunk = dft_spool_take_chunk(spool, true);

    if (chunk == DFT_NO_CHUNK)
        return false;
    struct dft_chunk *entry = &spool->directory[chunk];
    entry->thread = dft_spool_slot(spool, self);
    entry->next = 0;
    entry->pending_commit = 0;
    atomic_store_explicit(&entry->used, 0, memory_order_relaxed);
    atomic_store_explicit(&entry->state, DFT_CHUNK_OPEN, memory_order_release);
    bool another = self->first != NULL;
    struct dft_record *first = dft_spool_chunk_records(spool, chunk);
    struct dft_record *next = another ? put_open_calls(self, first) : first + 1; /* see records.h */
    if (another)
        close_chunk(self, chunk);
    else
        self->oldest = chunk;
    __atomic_store_n(&self->chunk, chunk, __ATOMIC_RELEASE);
    self->first = first;
    self->end = self->first + DFT_CHUNK_RECORDS;
    self->next = next;
    fetch_pages(self);
    wake_writer_in_time(spool);
    return true;
}

/*
 * The chunk's last units may be free, but too few for the record. Moving `next` to the end keeps
 * hooks from writing to these units.
 */
static void lend_chunk(struct dft_thread *self)
{
    close_recorded(self);
    self->next = self->end;
    self->lent = 1;
    atomic_store_explicit(&chunk_entry(self)->state, DFT_CHUNK_LENT, memory_order_release);
}

/* Whether the writer has returned the lent chunk, which is empty then. */
static bool is_returned(struct dft_thread *self)
{
    if (atomic_load_explicit(&chunk_entry(self)->state, memory_order_acquire) != DFT_CHUNK_OPEN)
        return false;
    self->lent = 0;
    dft_throttle_empty_chunk();
    self->next = put_open_calls(self, self->first);
    return true;
}

/*
 * Finds a free chunk, or lends the thread's open chunk to the writer and waits for its return. A
 * lent chunk comes back only after all older chunks of the thread have been written. So the chunk
 * is lent only if the thread has no older chunk that could become free, or if the writer is idle
 * and thus frees none (an older chunk may have a record that is not filled yet).
 */
static bool find_room(struct dft_thread *self, unsigned idle)
{
    if (self->lent)
        return is_returned(self);
    if (open_chunk(self))
        return true;
    bool is_only = __atomic_load_n(&self->oldest, __ATOMIC_RELAXED) == self->chunk;
    if (self->first && !drops_when_full() && (is_only || idle >= IDLE_MAX))
        lend_chunk(self);
    return false;
}

bool dft_records_make_room(struct dft_thread *self)
{
    while (is_running() && dft_exec_is_next())
        dft_time_sleep(EXEC_WAIT_NS);
    if (!is_running())
        return false;
    if (self == dft_self) /* no thread pays for a track */
        dft_throttle_charge(self);
    found_full.freed = atomic_load(&dft_session.spool.header->freed);
    found_full.looks = 0;
    bool room = dft_records_wait(find_room, self);
    self->stuck = room ? 0 : drops_when_full() ? DFT_STUCK_DROPPING : DFT_STUCK;
    return room;
}

bool dft_records_are_still_full(struct dft_thread *self)
{
    /* A thread that is not stuck has not looked for room since it found some. */
    if (!self->stuck || found_full.looks >= LOOKS_MAX || !is_running() || !drops_when_full() ||
        atomic_load(&dft_session.spool.header->freed) != found_full.freed)
        return false;
    found_full.looks++;
    self->stuck = DFT_STUCK_DROPPING;
    return true;
}

struct dft_record *dft_records_take_units(struct dft_thread *self, unsigned count)
{
    if (self->end - self->next < (ptrdiff_t)count && !dft_records_make_room(self)) {
        if (is_running()) /* otherwise the session has ended: not a dropped call */
            self->dropped++;
        if (self->next > self->end)
            self->next = self->end; /* see records.h */
        return NULL;
    }
    struct dft_record *record = self->next;
    self->next += count;
    return record;
}

static void append(struct dft_thread *self, const struct dft_record *units, unsigned count)
{
    struct dft_record *record = dft_records_take_units(self, count);

    if (!record)
        return;
    for (unsigned i = count; i-- > 1;)
        record[i] = units[i];
    record->start = units->start;
    record->duration = units->duration;
    __atomic_store_n(&record->site, units->site, __ATOMIC_RELEASE);
}

void dft_records_append_call(struct dft_thread *self, uint32_t site, uint64_t start, uint64_t end)
{
    struct dft_record units[2] = {{.start = start}};
    uint64_t duration = end > start ? end - start : 0;

    if (duration <= UINT32_MAX) {
        units[0].duration = (uint32_t)duration;
        units[0].site = site;
        append(self, units, 1);
        return;
    }
    struct dft_record_long more = {.duration = duration, .site = site};
    units[0].site = DFT_RECORD_MAKE(DFT_RECORD_LONG, 1);
    memcpy(&units[1], &more, sizeof more);
    append(self, units, 2);
}

void dft_records_append_attached(struct dft_thread *self, uint32_t site, uint64_t start,
                                 uint64_t end, const struct dft_attachments *attachments)
{
    struct dft_record *record = dft_records_take_units(self, dft_attachments_units(attachments));

    if (record)
        dft_attachments_record(record, attachments, site, start, end > start ? end - start : 0);
}

bool dft_records_end_attached(struct dft_thread *self, uint64_t end,
                              struct dft_record_bytes attachments)
{
    struct dft_frame *frame = self->top - 1;
    unsigned count = dft_record_units(attachments);
    struct dft_record *record;

    for (int i = 0; i < TRIES_MAX && self->end - (record = self->next) >= (ptrdiff_t)count; i++) {
        frame->record = DFT_FRAME_RECORD((uintptr_t)record);
        if (dft_records_take(self, record, count)) {
            dft_attachments_fill(record, DFT_RECORD_ATTACHED, attachments, frame->site,
                                 frame->start, end - frame->start);
            frame->start = 0;
            __atomic_signal_fence(__ATOMIC_SEQ_CST);
            self->top = frame;
            return true;
        }
    }
    return false;
}

/* Pushes a frame without a site. False if no frame is left. */
static bool push_claim(struct dft_thread *self, uint64_t start, uint64_t stack)
{
    struct dft_frame *frame = self->top;

    if (frame == self->limit)
        return false;
    self->top = frame + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    frame->site = 0;
    frame->record = 0;
    frame->stack = stack;
    frame->caller = 0;
    frame->start = start;
    return true;
}

static void pop_claim(struct dft_thread *self, struct dft_frame *frame)
{
    frame->start = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    self->top = frame;
}

bool dft_records_claim(struct dft_thread *self, unsigned count, uint64_t start, uint64_t stack,
                       struct dft_claim *claim)
{
    struct dft_frame *frame = self->top;

    if (!push_claim(self, start, stack))
        return false;
    for (int i = 0; i < TRIES_MAX; i++) {
        struct dft_record *record = self->next;
        if (self->end - record < (ptrdiff_t)count)
            break;
        frame->record = DFT_FRAME_RECORD((uintptr_t)record);
        if (dft_records_take(self, record, count)) {
            *claim = (struct dft_claim){.record = record, .frame = frame};
            return true;
        }
    }
    pop_claim(self, frame);
    return false;
}

void dft_records_settle(struct dft_thread *self, const struct dft_claim *claim)
{
    pop_claim(self, claim->frame);
}

void dft_records_end(struct dft_thread *self)
{
    if (!self->first || atomic_load(&chunk_entry(self)->state) != DFT_CHUNK_OPEN)
        return;
    /*
     * Most threads that end have used only a small part of their chunk. Readers need not look at
     * the rest.
     */
    if (self->next > self->first && self->next <= self->end)
        atomic_store_explicit(&chunk_entry(self)->used,
                              (uint32_t)((char *)self->next - (char *)self->first),
                              memory_order_relaxed);
    close_chunk(self, DFT_NO_CHUNK);
}
