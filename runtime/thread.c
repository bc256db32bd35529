/*
 * Threads: attaching, ending, moving from a full chunk to the next, and calls that do not end in
 * the order in which they began.
 *
 * Runs in traced threads, out of the hot path, with signals blocked. Keeps errno. Waits only where
 * the spool is full and the user has not chosen to drop.
 */
#include "runtime/thread.h"
#include "runtime/clock.h"
#include "runtime/log.h"
#include "runtime/session.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAIT_NS 200000
#define FUTILE_WAITS 5000 /* about a second without a single chunk that the writer could free */

DFT_TLS struct dft_thread *dft_self;
DFT_TLS bool dft_busy;

static pthread_key_t end_of_thread;

/* What the forking thread had open, for the child to go on with. Forks are serialised by libc. */
static struct {
    uint32_t count;
    struct dft_frame frames[DFT_THREAD_FRAMES];
} inherited;

void dft_signals_block(sigset_t *saved)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, saved);
}

void dft_signals_restore(const sigset_t *saved)
{
    pthread_sigmask(SIG_SETMASK, saved, NULL);
}

static bool any_chunk_is_full(const struct dft_spool *spool)
{
    uint32_t count = atomic_load(&spool->header->chunk_count);

    for (uint32_t i = 0; i < count; i++)
        if (atomic_load_explicit(&spool->directory[i].state, memory_order_relaxed) ==
            DFT_CHUNK_FULL)
            return true;
    return false;
}

/*
 * Tries to take something of which the spool has none left, again and again while the writer can
 * still give some back. False when waiting would be in vain or is not wanted.
 */
static bool wait_for(bool (*take)(void *result), void *result)
{
    struct dft_spool *spool = &dft_session.spool;
    struct dft_spool_header *header = spool->header;
    bool taken = take(result);

    if (taken || header->settings.drop_when_full)
        return taken;
    atomic_fetch_add(&header->waiting, 1);
    for (unsigned futile = 0; !taken && futile < FUTILE_WAITS; futile++) {
        if (atomic_load(&header->state) != DFT_SPOOL_RUNNING)
            break;
        dft_spool_wake(spool);
        nanosleep(&(struct timespec){0, WAIT_NS}, NULL);
        taken = take(result);
        if (any_chunk_is_full(spool))
            futile = 0;
    }
    atomic_fetch_sub(&header->waiting, 1);
    return taken;
}

static bool take_chunk(void *chunk)
{
    return (*(uint32_t *)chunk = dft_spool_take_chunk(&dft_session.spool)) != DFT_NO_CHUNK;
}

static bool take_slot(void *thread)
{
    uint32_t slot;

    return (*(struct dft_thread **)thread = dft_spool_claim_thread(&dft_session.spool, &slot));
}

static void close_chunk(struct dft_thread *self, uint32_t next)
{
    struct dft_spool *spool = &dft_session.spool;
    struct dft_chunk *entry = &spool->directory[self->chunk];

    entry->next = next + 1; /* DFT_NO_CHUNK becomes 0: there is none */
    atomic_store_explicit(&entry->state, DFT_CHUNK_FULL, memory_order_release);
}

/* Opens a fresh chunk, and only then closes the one before: at no moment is a record homeless. */
static bool next_chunk(struct dft_thread *self)
{
    struct dft_spool *spool = &dft_session.spool;
    uint32_t chunk;

    if (!wait_for(take_chunk, &chunk))
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
    self->chunk = chunk;
    self->first = dft_spool_chunk_records(spool, chunk);
    self->end = self->first + DFT_CHUNK_RECORDS;
    self->next = self->first;
    dft_spool_wake(spool);
    return true;
}

static void append(struct dft_thread *self, const struct dft_record *units, unsigned count)
{
    if (self->end - self->next < (ptrdiff_t)count && !next_chunk(self)) {
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

static void restore_inherited(struct dft_thread *self)
{
    memcpy(self->frames + 1, inherited.frames, inherited.count * sizeof *inherited.frames);
    self->top += inherited.count;
    inherited.count = 0;
}

struct dft_thread *dft_thread_attach(void)
{
    struct dft_thread *self;

    if (!dft_session_ready())
        return NULL;
    if (!wait_for(take_slot, &self)) {
        dft_session_say_full("threads");
        return NULL;
    }
    self->next = self->end = self->first = NULL;
    self->deep = self->dropped = 0;
    self->oldest = DFT_NO_CHUNK;
    self->tid = (int32_t)syscall(SYS_gettid);
    self->started = dft_clock_now();
    read_own_name(self);
    memset(self->frames, 0, DFT_THREAD_FRAMES * sizeof *self->frames);
    self->top = self->frames + 1;
    self->limit = self->frames + DFT_THREAD_FRAMES;
    restore_inherited(self);
    next_chunk(self); /* without one, every call tries again and is counted as dropped */
    atomic_store_explicit(&self->state, DFT_THREAD_LIVE, memory_order_release);
    pthread_setspecific(end_of_thread, self);
    dft_self = self;
    return self;
}

static void end_thread(void *value)
{
    struct dft_thread *self = dft_self;
    sigset_t signals;
    int saved = errno;

    (void)value;
    if (!self)
        return;
    dft_signals_block(&signals);
    dft_self = NULL;
    if (self->first)
        close_chunk(self, DFT_NO_CHUNK);
    self->ended = dft_clock_now();
    read_own_name(self);
    atomic_store_explicit(&self->state, DFT_THREAD_ENDED, memory_order_release);
    dft_signals_restore(&signals);
    errno = saved;
}

int dft_thread_init(void)
{
    return -pthread_key_create(&end_of_thread, end_thread);
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

uint64_t dft_thread_enter(struct dftrace_site *site, uint64_t stack)
{
    struct dft_thread *self = dft_self;
    sigset_t signals;
    int saved = errno;

    if (dft_busy)
        return 0;
    if (self && site->id) { /* deeper than frames[]: recorded at its exit like any other */
        self->deep++;
        return dft_clock_now();
    }
    dft_signals_block(&signals);
    dft_busy = true;
    if (!self)
        self = dft_thread_attach();
    uint32_t id = !self ? 0 : site->id ? site->id : number_site(site);
    dft_busy = false;
    uint64_t now = 0;
    if (id && self->top == self->limit) {
        self->deep++;
        now = dft_clock_now();
    } else if (id) {
        struct dft_frame *frame = self->top++;
        frame->site = id;
        frame->record = 0;
        frame->stack = stack;
        now = frame->start = dft_clock_now();
    }
    dft_signals_restore(&signals);
    errno = saved;
    return now;
}

/*
 * Frames above the one that ends were left by longjmp or by an exception that C code let through:
 * when exactly is not known, so they end with it.
 */
static void close_frames_above(struct dft_thread *self, struct dft_frame *frame, uint64_t now)
{
    while (self->top - 1 > frame) {
        struct dft_frame *inner = self->top - 1;
        if (inner->start) /* else its enter hook was left half-way, by a jump out of a handler */
            append_call(self, inner->site, inner->start, now);
        inner->start = 0;
        self->top = inner;
    }
}

static struct dft_frame *find_frame(struct dft_thread *self, uint64_t start)
{
    for (struct dft_frame *frame = self->top - 1; frame > self->frames; frame--)
        if (frame->start == start)
            return frame;
    return NULL;
}

void dft_thread_exit(struct dftrace_site *site, uint64_t start, uint64_t now)
{
    struct dft_thread *self = dft_self;
    sigset_t signals;
    int saved = errno;

    if (dft_busy)
        return;
    dft_signals_block(&signals);
    if (!self) {
        dft_busy = true;
        self = dft_thread_attach();
        dft_busy = false;
    }
    if (self && site->id) {
        struct dft_frame *frame = NULL;
        if (self->deep && self->top[-1].start != start)
            self->deep--;
        else
            frame = find_frame(self, start);
        if (frame)
            close_frames_above(self, frame, now);
        append_call(self, site->id, start, now);
        if (frame) {
            frame->start = 0;
            self->top = frame;
        }
    }
    dft_signals_restore(&signals);
    errno = saved;
}

void dft_thread_before_fork(void)
{
    struct dft_thread *self = dft_self;

    if (!self)
        return;
    inherited.count = (uint32_t)(self->top - self->frames) - 1;
    memcpy(inherited.frames, self->frames + 1, inherited.count * sizeof *inherited.frames);
}

void dft_thread_in_child(void)
{
    if (!dft_self)
        return;
    dft_self = NULL;
    pthread_setspecific(end_of_thread, NULL);
}
