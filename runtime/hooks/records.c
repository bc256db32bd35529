/*
 * Records: appends to a thread's open chunk, and moves from a full one to the next.
 *
 * Runs in traced threads, out of the hot path, with signals blocked except in the functions that
 * records.h names. Keeps errno. Waits only if the spool is full and DFTRACER_WHEN_FULL is block.
 */
#include "runtime/hooks/records.h"
#include "os/time.h"
#include "runtime/base/clock.h"
#include "runtime/interpose/exec.h"
#include "runtime/session/own_work.h"
#include "runtime/session/session.h"
#include "runtime/sites/throttle.h"

#include <string.h>

#define WAIT_US 8000       /* poll interval; a freed chunk wakes the thread earlier */
#define STUCK_WAIT_US 1000 /* after a wait in vain */
#define EXEC_WAIT_NS 200000
#define WAITS_MAX 250 /* two seconds at least */
#define WAITS_STUCK 1
#define WAITS_PATIENT 3  /* then check whether the writer is alive */
#define WAITS_AT_WORK 30 /* factor while the writer is working: a disk may be slow */
#define IDLE_MAX 3       /* polls that find the writer asleep */
#define WAKE_EVERY 64    /* chunks */
#define PAGE_SIZE 4096
#define TRIES_MAX 8 /* before a guard is taken because signal handlers come too fast */

static bool is_running(void)
{
    return atomic_load(&dft_session.spool.header->state) == DFT_SPOOL_RUNNING;
}

/* Whether calls for which there is no room are dropped at once: also while nothing can be written.
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
        /* As long as the writer makes progress, keep waiting. */
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
        there = is_there(self, idle); /* after `freed` was read, so that nothing is missed */
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
 * A call whose exit hook was interrupted may be recorded and still on the shadow stack. Without its
 * chunk nobody could detect that if a jump leaves the frame there: clear the frame now.
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
    entry->next = next + 1; /* DFT_NO_CHUNK becomes 0: there is none */
    atomic_store_explicit(&entry->state, DFT_CHUNK_FULL, memory_order_release);
}

/* Whether a call that this one has interrupted is yet to fill a record of the open chunk. */
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
 * The writer polls by itself. If each chunk woke it, it would run beside the program all the time,
 * often on the same core.
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
 * The processor prefetches sequential writes, but not across a page boundary. The first line of each
 * page would come late, from the cache of the core whose writer wiped it.
 */
static void fetch_pages(const struct dft_thread *self)
{
    for (const char *page = (const char *)self->first; page < (const char *)self->end;
         page += PAGE_SIZE)
        __builtin_prefetch(page, 1);
}

/* Whether the writer aggregates calls: then it needs the calls that are open between two chunks. */
static bool is_added_up(const struct dft_spool_header *header)
{
    return header->settings.aggregate_all || header->settings.min_duration_ns ||
           atomic_load_explicit(&header->styled, memory_order_relaxed);
}

/* At the begin of an empty chunk: the starts of the calls that are open now. See writer/nesting.h.
 */
static struct dft_record *put_open_calls(const struct dft_thread *self, struct dft_record *first)
{
    uint32_t count = 0;

    if (!is_added_up(dft_session.spool.header))
        return first;
    for (const struct dft_frame *frame = self->frames + 1; frame < self->top; frame++)
        if (frame->start && frame->site)
            first[++count].start = frame->start;
    __atomic_store_n(&first->site, DFT_RECORD_MAKE(DFT_RECORD_OPEN, count), __ATOMIC_RELEASE);
    return first + count + 1;
}

/*
 * Opens a free chunk, and only then closes the one before, so that there is always a place to record.
 * The limit is ignored for a thread without a chunk, unless writing fails, and in a signal handler
 * whose thread's own chunk cannot be emptied before the handler returns.
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
    entry->done = entry->pending = entry->pending_commit = 0;
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

/* The chunk may have a few units left: moving `next` to the end keeps hooks from using them. */
static void lend_chunk(struct dft_thread *self)
{
    close_recorded(self);
    self->next = self->end;
    self->lent = 1;
    atomic_store_explicit(&chunk_entry(self)->state, DFT_CHUNK_LENT, memory_order_release);
}

/* Whether the chunk that was lent to the writer has come back, empty. */
static bool is_returned(struct dft_thread *self)
{
    if (atomic_load_explicit(&chunk_entry(self)->state, memory_order_acquire) != DFT_CHUNK_OPEN)
        return false;
    self->lent = 0;
    self->next = put_open_calls(self, self->first);
    return true;
}

/*
 * Gets a free chunk, or the thread's own once the writer has emptied it. The thread lends its own
 * chunk only if it has no older one that could become free, or if the writer is idle and so frees
 * none (an older chunk may have a record that is not filled yet).
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
    dft_throttle_charge(self);
    bool room = dft_records_wait(find_room, self);
    self->stuck = !room;
    return room;
}

/* Takes `count` units. If there is no room, counts the event as dropped and returns NULL. */
static struct dft_record *take_units(struct dft_thread *self, unsigned count)
{
    if (self->end - self->next < (ptrdiff_t)count && !dft_records_make_room(self)) {
        if (is_running()) /* else the process ends, and the trace has ended */
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
    struct dft_record *record = take_units(self, count);

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
    struct dft_record *record = take_units(self, dft_attachments_units(attachments));

    if (record)
        dft_attachments_record(record, attachments, site, start, end > start ? end - start : 0);
}

bool dft_records_end_attached(struct dft_thread *self, uint64_t end,
                              const struct dft_attachments *attachments)
{
    struct dft_frame *frame = self->top - 1;
    unsigned count = dft_attachments_units(attachments);
    struct dft_record *record;

    for (int i = 0; i < TRIES_MAX && self->end - (record = self->next) >= (ptrdiff_t)count; i++) {
        frame->record = DFT_FRAME_RECORD((uintptr_t)record);
        if (dft_records_take(self, record, count)) {
            dft_attachments_record(record, attachments, frame->site, frame->start,
                                   end - frame->start);
            frame->start = 0;
            __atomic_signal_fence(__ATOMIC_SEQ_CST);
            self->top = frame;
            return true;
        }
    }
    return false;
}

/* False where there is no frame left for it. */
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

void dft_records_append_event(struct dft_thread *self, enum dft_record_kind kind, uint32_t site,
                              uint64_t start, const struct dft_attachments *attachments)
{
    struct dft_record *record = take_units(self, dft_attachments_units(attachments));

    if (record)
        dft_attachments_record_as(record, kind, attachments, site, start, 0);
}

void dft_records_end(struct dft_thread *self)
{
    if (!self->first || atomic_load(&chunk_entry(self)->state) != DFT_CHUNK_OPEN)
        return;
    /* Most threads that end have used a small part of their chunk: the rest need not be read. */
    if (self->next > self->first && self->next <= self->end)
        atomic_store_explicit(&chunk_entry(self)->used,
                              (uint32_t)((char *)self->next - (char *)self->first),
                              memory_order_relaxed);
    close_chunk(self, DFT_NO_CHUNK);
}
