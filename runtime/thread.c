/*
 * Threads: attaching, ending, moving from a full chunk to the next, and calls that do not end in
 * the order in which they began.
 *
 * Runs in traced threads, out of the hot path, with signals blocked. Keeps errno. Waits only where
 * the spool is full and the user has not chosen to drop.
 */
#include "runtime/thread.h"
#include "runtime/altstack.h"
#include "runtime/clock.h"
#include "runtime/exec.h"
#include "runtime/lastthread.h"
#include "runtime/log.h"
#include "runtime/session.h"
#include "runtime/tsan.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAIT_NS 200000
#define WAITS_MOST 10000 /* two seconds at least */
#define WAITS_STUCK 5
#define WAITS_PATIENT 100 /* then it is time to ask whether there is a writer at all */
#define WAITS_AT_WORK 30  /* times as many while the writer is at work: a disk may be slow */
#define ENDED_MOST 100
#define WAKE_EVERY 64          /* chunks */
#define STACK_MOST (64u << 20) /* further apart, two addresses are taken for two stacks */

DFT_TLS struct dft_thread *dft_self;
DFT_TLS struct dft_thread *dft_quick_self;
DFT_TLS bool dft_busy;

static pthread_key_t end_of_thread;

static void set_self(struct dft_thread *self)
{
    dft_self = self;
    dft_quick_self = dft_clock_kind == DFT_CLOCK_COUNTER ? self : NULL;
}

/* The forking thread's slot, for the child to go on with; below the lock of session.c. */
static struct {
    bool valid;
    int32_t tid; /* of that thread in the child; 0 once its open calls have been taken over */
    _Alignas(struct dft_thread) char slot[DFT_THREAD_SIZE];
} inherited;

void dft_guard_enter(struct dft_guard *guard)
{
    sigset_t all;

    guard->saved_errno = errno;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &guard->signals);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel_state);
    dft_tsan_look_away();
}

void dft_guard_leave(const struct dft_guard *guard)
{
    dft_tsan_look_again();
    pthread_setcancelstate(guard->cancel_state, NULL);
    pthread_sigmask(SIG_SETMASK, &guard->signals, NULL);
    errno = guard->saved_errno;
}

static bool is_running(void)
{
    return atomic_load(&dft_session.spool.header->state) == DFT_SPOOL_RUNNING;
}

/*
 * Waits until `is_there` says so. What is waited for comes from the writer, which may find nothing
 * that it could give back, or may be dead: then the call at hand is dropped, and the next ones
 * after a shorter wait.
 */
static bool wait_until(bool (*is_there)(struct dft_thread *self), struct dft_thread *self)
{
    struct dft_spool *spool = &dft_session.spool;
    unsigned most = self && self->stuck ? WAITS_STUCK : WAITS_MOST;
    bool there = is_there(self);

    if (there || spool->header->settings.drop_when_full)
        return there;
    atomic_fetch_add(&spool->header->waiting, 1);
    uint32_t commit = atomic_load(&spool->header->commit);
    unsigned idle = 0, at_work = 0;
    while (!there && idle < most && at_work < most * WAITS_AT_WORK && is_running()) {
        /* As long as the writer gets on with what stands before it, the wait is not in vain. */
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
        nanosleep(&(struct timespec){0, WAIT_NS}, NULL);
        there = is_there(self);
    }
    atomic_fetch_sub(&spool->header->waiting, 1);
    return there;
}

static struct dft_chunk *chunk_entry(const struct dft_thread *self)
{
    return &dft_session.spool.directory[self->chunk];
}

/*
 * A call that was left by a jump, or whose exit hook was: between "recorded" and "frame taken off"
 * it must not be recorded again.
 */
static bool is_recorded(const struct dft_thread *self, const struct dft_frame *frame)
{
    uint32_t index = DFT_FRAME_RECORD_INDEX(frame, (uintptr_t)self->first);

    return self->first && index < DFT_CHUNK_RECORDS && self->first[index].site &&
           self->first[index].start == frame->start;
}

/*
 * A call whose exit hook this one has interrupted may be recorded and still on the shadow stack.
 * Once its chunk is gone nobody could tell, should a jump leave it there: it is taken off now.
 */
static void close_recorded(struct dft_thread *self)
{
    for (struct dft_frame *frame = self->frames + 1; frame < self->top; frame++)
        if (is_recorded(self, frame))
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
 * The writer looks by itself every now and then. Woken for each chunk it would run beside the
 * program all the time, often on the same core.
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
 * Opens a fresh chunk, and only then closes the one before: at no moment is a record homeless. The
 * limit does not hold for a thread that has none, nor in a signal handler whose thread's own chunk
 * cannot be emptied before it returns.
 */
static bool open_chunk(struct dft_thread *self)
{
    struct dft_spool *spool = &dft_session.spool;
    uint32_t chunk = dft_spool_take_chunk(spool, !self->first);

    if (chunk == DFT_NO_CHUNK && self->first && has_unfilled(self))
        chunk = dft_spool_take_chunk(spool, true);

    if (chunk == DFT_NO_CHUNK)
        return false;
    struct dft_chunk *entry = &spool->directory[chunk];
    entry->thread = dft_spool_slot(spool, self);
    entry->next = 0;
    entry->done = entry->pending = entry->pending_commit = 0;
    atomic_store_explicit(&entry->state, DFT_CHUNK_OPEN, memory_order_release);
    if (self->first)
        close_chunk(self, chunk);
    else
        self->oldest = chunk;
    __atomic_store_n(&self->chunk, chunk, __ATOMIC_RELEASE);
    self->first = dft_spool_chunk_records(spool, chunk);
    self->end = self->first + DFT_CHUNK_RECORDS;
    self->next = self->first;
    wake_writer_in_time(spool);
    return true;
}

/* The chunk that was lent to the writer is back, empty. */
static bool is_returned(struct dft_thread *self)
{
    if (atomic_load_explicit(&chunk_entry(self)->state, memory_order_acquire) != DFT_CHUNK_OPEN)
        return false;
    self->next = self->first;
    return true;
}

/*
 * Room for more records. Where no chunk is left, the writer empties the one this thread has: so it
 * takes no more than one chunk a thread for all to get on.
 */
static bool next_chunk(struct dft_thread *self)
{
    bool room;

    while (is_running() && dft_exec_is_next())
        nanosleep(&(struct timespec){0, WAIT_NS}, NULL);
    if (!is_running())
        return false;
    if (self->first && atomic_load(&chunk_entry(self)->state) == DFT_CHUNK_LENT)
        room = wait_until(is_returned, self);
    else if (!(room = open_chunk(self)) && !self->first)
        room = wait_until(open_chunk, self);
    else if (!room && !dft_session.spool.header->settings.drop_when_full) {
        atomic_store_explicit(&chunk_entry(self)->state, DFT_CHUNK_LENT, memory_order_release);
        room = wait_until(is_returned, self);
    }
    self->stuck = !room;
    return room;
}

static void append(struct dft_thread *self, const struct dft_record *units, unsigned count)
{
    if (self->end - self->next < (ptrdiff_t)count && !next_chunk(self)) {
        if (is_running()) /* else the process ends, and the trace has ended */
            self->dropped++;
        return;
    }
    struct dft_record *record = self->next;
    self->next += count;
    for (unsigned i = count; i-- > 1;)
        record[i] = units[i];
    record->start = units->start;
    record->duration = units->duration;
    __atomic_store_n(&record->site, units->site, __ATOMIC_RELEASE);
}

static void append_call(struct dft_thread *self, uint32_t site, uint64_t start, uint64_t end)
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

static void read_own_name(struct dft_thread *self)
{
    prctl(PR_GET_NAME, self->name);
}

/* Calls that were open in the parent are open in the child too. */
static void restore_inherited(struct dft_thread *self)
{
    const struct dft_thread *parents = (const struct dft_thread *)inherited.slot;
    size_t count = DFT_THREAD_FRAMES - (size_t)(parents->limit - parents->top);

    if (inherited.tid != self->tid)
        return;
    memcpy(self->frames, parents->frames, count * sizeof *self->frames);
    self->top = self->frames + count;
    inherited.tid = 0;
}

/*
 * Slots of ended threads keep their memory until the writer has been there. A program that starts
 * threads faster than that waits for it, as it does for chunks.
 */
static bool has_few_ended(struct dft_thread *unused)
{
    const struct dft_spool *spool = &dft_session.spool;
    uint32_t slots = atomic_load_explicit(&spool->header->thread_count, memory_order_acquire);
    unsigned ended = 0;

    (void)unused;
    for (uint32_t i = 0; i < slots; i++)
        ended += atomic_load_explicit(&dft_spool_thread(spool, i)->state, memory_order_relaxed) ==
                 DFT_THREAD_ENDED;
    return ended < ENDED_MOST;
}

struct dft_thread *dft_thread_attach(void)
{
    struct dft_thread *self;
    uint32_t slot;

    if (!dft_session_ready())
        return NULL;
    wait_until(has_few_ended, NULL);
    self = dft_spool_claim_thread(&dft_session.spool, &slot);
    if (!self) {
        dft_session_say_full("threads");
        return NULL;
    }
    memset(self->frames, 0, DFT_THREAD_FRAMES * sizeof *self->frames);
    self->frames[0].stack = UINT64_MAX; /* no call is further up the stack */
    self->next = self->end = self->first = NULL;
    self->deep = self->dropped = 0;
    self->stuck = 0;
    self->oldest = self->chunk = DFT_NO_CHUNK;
    self->tid = (int32_t)syscall(SYS_gettid);
    self->started = dft_clock_now();
    read_own_name(self);
    self->top = self->frames + 1;
    self->limit = self->frames + DFT_THREAD_FRAMES;
    restore_inherited(self);
    next_chunk(self); /* without one, every call tries again and is counted as dropped */
    atomic_store_explicit(&self->state, DFT_THREAD_LIVE, memory_order_release);
    pthread_setspecific(end_of_thread, self);
    dft_altstack_give();
    set_self(self);
    return self;
}

static void end_thread(void *value)
{
    struct dft_thread *self = dft_self;
    struct dft_guard guard;

    (void)value;
    dft_lastthread_main_ends();
    if (!self)
        return;
    dft_guard_enter(&guard);
    dft_altstack_take();
    set_self(NULL);
    if (self->first && atomic_load(&chunk_entry(self)->state) == DFT_CHUNK_OPEN)
        close_chunk(self, DFT_NO_CHUNK);
    self->ended = dft_clock_now();
    read_own_name(self);
    atomic_store_explicit(&self->state, DFT_THREAD_ENDED, memory_order_release);
    dft_guard_leave(&guard);
}

int dft_thread_init(void)
{
    int error = pthread_key_create(&end_of_thread, end_thread);

    /* The end of the main thread is of interest even where it makes no traced call. */
    if (!error)
        error = pthread_setspecific(end_of_thread, &end_of_thread);
    return -error;
}

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

    if (frame->start && !is_recorded(self, frame))
        append_call(self, frame->site, frame->start, now);
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

uint64_t dft_thread_enter(struct dftrace_site *site, struct dft_place place)
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
        append_call(self, site, start, now);
        frame->start = 0;
        self->top = frame;
    } else if (beyond) {
        self->deep--;
        append_call(self, site, start, now);
    }
}

void dft_thread_exit(struct dftrace_site *site, uint64_t start, uint64_t now, uint64_t stack)
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

void dft_thread_before_fork(void)
{
    inherited.valid = dft_self != NULL;
    if (dft_self)
        memcpy(inherited.slot, dft_self, DFT_THREAD_SIZE);
}

void dft_thread_after_fork(void)
{
    inherited.valid = false;
}

void dft_thread_in_child(void)
{
    struct dft_thread *self = dft_self;

    inherited.tid = inherited.valid ? (int32_t)syscall(SYS_gettid) : 0;
    if (!self)
        return;
    /* A hook that a forking signal handler has interrupted finds its slot as it left it. */
    if (inherited.valid)
        memcpy(self, inherited.slot, DFT_THREAD_SIZE);
    inherited.valid = false;
    set_self(NULL);
}
