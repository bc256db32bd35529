/*
 * Threads: attaching to a slot of the spool, ending, and continuing in a forked child.
 *
 * Runs in traced threads, outside the hot path, with signals blocked. Keeps errno.
 */
#include "runtime/session/thread.h"
#include "os/kernel.h"
#include "os/signals.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/base/options.h"
#include "runtime/detail/detail.h"
#include "runtime/events/instants.h"
#include "runtime/finstrument/overflow_stack.h"
#include "runtime/guest/deep_guests.h"
#include "runtime/hooks/records.h"
#include "runtime/interpose/altstack.h"
#include "runtime/session/fibers.h"
#include "runtime/session/last_thread.h"
#include "runtime/session/session.h"
#include "runtime/sites/throttle.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define ENDED_MAX 100
#define WAKE_EVERY 32 /* ended threads: the writer frees slots before new threads need them */
#define LOOK_FROM 64  /* with fewer slots, dead threads are not searched for */

/* A dummy slot that is always full and has no open call: hooks that use it take the slow path. */
static struct {
    struct dft_thread thread;
    struct dft_frame sentinel;
} nobody = {.thread = {.top = &nobody.sentinel + 1, .limit = &nobody.sentinel + 1}};

DFT_TLS struct dft_thread *dft_self;
DFT_TLS struct dft_thread *dft_asm_self = &nobody.thread;
DFT_TLS bool dft_busy;

static pthread_key_t end_of_thread;

/* Set after this thread's end. Calls that come later are made by other destructors. */
static DFT_TLS bool has_ended;

void dft_thread_use(struct dft_thread *self)
{
    dft_self = self;
    dft_asm_self = self && dft_clock_kind == DFT_CLOCK_COUNTER ? self : &nobody.thread;
}

/*
 * A copy of the forking thread's slot, for the child to continue with. Protected by the locks of
 * fork.c.
 */
static struct {
    bool valid;
    int32_t tid; /* id of the forking thread in the child; 0 once its calls are restored */
    _Alignas(struct dft_thread) char slot[DFT_THREAD_SIZE];
} inherited;

static void read_own_name(struct dft_thread *self)
{
    prctl(PR_GET_NAME, self->name);
}

/*
 * Number of frames that may be used, including the sentinel. A DFTRACER_MAX_DEPTH beyond the size
 * of the shadow stack has no effect.
 */
static size_t frame_limit(void)
{
    return dft_options.max_depth > 0 && dft_options.max_depth < (int64_t)DFT_THREAD_FRAMES - 1
               ? (size_t)dft_options.max_depth + 1
               : DFT_THREAD_FRAMES;
}

/* Calls that were open in the parent are open in the child too. */
static void restore_inherited(struct dft_thread *self)
{
    const struct dft_thread *parents = (const struct dft_thread *)inherited.slot;
    size_t count = frame_limit() - (size_t)(parents->limit - parents->top);

    if (inherited.tid != self->tid)
        return;
    memcpy(self->frames, parents->frames, count * sizeof *self->frames);
    self->top = self->frames + count;
    inherited.tid = 0;
}

/*
 * Slots of ended threads keep their memory until the writer has read them. A program that starts
 * threads faster than the writer reads slots has to wait, as it does for chunks.
 */
static bool has_few_ended(struct dft_thread *unused, unsigned idle)
{
    (void)unused;
    (void)idle;
    return atomic_load(&dft_session.spool.header->ended_threads) < ENDED_MAX;
}

/* Ends the slot of this thread, or of one that is gone. */
static void end_slot(struct dft_thread *thread)
{
    dft_records_end(thread);
    thread->ended = dft_clock_now();
    dft_spool_end_thread(&dft_session.spool, thread);
    if (atomic_load(&dft_session.spool.header->ended_threads) % WAKE_EVERY == 0)
        dft_spool_wake(&dft_session.spool);
}

static bool has_gone(const struct dft_thread *thread)
{
    return atomic_load_explicit(&thread->state, memory_order_acquire) == DFT_THREAD_LIVE &&
           thread->naming != DFT_NAMED_TRACK && dft_signal_send(thread->tid, 0) != 0 &&
           errno == ESRCH;
}

/*
 * A thread that makes a call after the last run of our destructor, or ends by the system call
 * itself, does not end its slot. Such threads are searched for when a thread takes the last slot
 * and there are at least twice as many slots as threads were alive at the previous search.
 */
static _Atomic uint32_t looking;

static void reap_dead_threads(uint32_t slot)
{
    static _Atomic uint32_t next = LOOK_FROM;
    const struct dft_spool *spool = &dft_session.spool;
    uint32_t count = atomic_load(&spool->header->thread_count), alive = 0;

    if (slot < atomic_load(&next) || slot + 1 < count || atomic_exchange(&looking, 1))
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct dft_thread *thread = dft_spool_thread(spool, i);
        if (has_gone(thread))
            end_slot(thread);
        else
            alive += atomic_load(&thread->state) == DFT_THREAD_LIVE;
    }
    atomic_store(&next, 2 * alive > LOOK_FROM ? 2 * alive : LOOK_FROM);
    atomic_store(&looking, 0);
}

void dft_thread_clear(struct dft_thread *slot)
{
    /*
     * Popped frames have no start. Only frames that the slot's last owner left open need clearing.
     */
    memset(slot->frames, 0, dft_spool_open_frames(&dft_session.spool, slot) * sizeof *slot->frames);
    slot->frames[0].stack = UINT64_MAX; /* no call is higher on the stack */
    slot->top = slot->frames + 1;
    slot->next = slot->end = slot->first = NULL;
    slot->deep = slot->dropped = slot->omitted = 0;
    slot->stuck = slot->lent = slot->cut = 0;
    slot->oldest = slot->chunk = DFT_NO_CHUNK;
    slot->counts = NULL;
    slot->naming = DFT_NAMED_BY_KERNEL;
    slot->started = dft_clock_now();
}

/* A fiber is shown as a track. */
static void identify(struct dft_thread *self)
{
    uint32_t track = dft_fibers_number();

    if (track) {
        self->tid = DFT_TRACK_TID + (int32_t)track;
        self->naming = DFT_NAMED_TRACK;
        self->label = track;
    } else {
        self->tid = dft_kernel_tid();
        read_own_name(self);
        dft_instants_keep_name(self);
    }
}

struct dft_thread *dft_thread_attach(void)
{
    struct dft_thread *self;
    uint32_t slot;

    if (!dft_session_ready())
        return NULL;
    dft_records_wait(has_few_ended, NULL);
    self = dft_spool_claim_thread(&dft_session.spool, &slot);
    if (!self) {
        dft_session_miss_call("threads");
        return NULL;
    }
    dft_thread_clear(self);
    identify(self);
    self->limit = self->frames + frame_limit();
    self->cut = frame_limit() < DFT_THREAD_FRAMES;
    dft_throttle_attach(self);
    restore_inherited(self);
    /* If this fails, every call tries again. A call is dropped if its own attempt fails, too. */
    dft_records_make_room(self);
    atomic_store_explicit(&self->state, DFT_THREAD_LIVE, memory_order_release);
    pthread_setspecific(end_of_thread, self);
    if (!has_ended) /* otherwise nobody would free the alternate stack */
        dft_altstack_give();
    dft_thread_use(self);
    reap_dead_threads(slot);
    return self;
}

static void end_thread(void *value)
{
    struct dft_guard guard;

    (void)value;
    dft_last_thread_main_ends();
    dft_guard_enter(&guard);
    dft_fibers_leave();
    dft_guard_leave(&guard);
    struct dft_thread *self = dft_self;
    if (!self)
        return;
    dft_guard_enter(&guard);
    dft_overflow_stack_end();
    dft_deep_guests_release();
    dft_altstack_take();
    dft_thread_use(NULL);
    dft_detail_release();
    if (self->naming == DFT_NAMED_BY_KERNEL)
        read_own_name(self);
    dft_instants_keep_name(self); /* the writer may have refreshed the kernel's name */
    dft_throttle_charge(self);
    end_slot(self);
    has_ended = true;
    dft_guard_leave(&guard);
}

bool dft_thread_is_heir(void)
{
    return inherited.tid != 0 && inherited.tid == dft_kernel_tid();
}

int dft_thread_init(void)
{
    int error = pthread_key_create(&end_of_thread, end_thread);

    /* The end of the main thread matters even if it makes no traced call. */
    if (!error)
        error = pthread_setspecific(end_of_thread, &end_of_thread);
    return -error;
}

void dft_thread_before_fork(void)
{
    inherited.valid = dft_self != NULL;
    if (inherited.valid)
        memcpy(inherited.slot, dft_self, DFT_THREAD_SIZE);
}

void dft_thread_after_fork(void)
{
    inherited.valid = false;
}

void dft_thread_in_child(void)
{
    struct dft_thread *self = dft_self;

    atomic_store(&looking, 0);
    inherited.tid = inherited.valid ? dft_kernel_tid() : 0;
    if (!self)
        return;
    /*
     * A hook that the forking signal handler has interrupted must find its slot unchanged. Without
     * memory for a copy of the spool, the session is off, and the slot is still the parent's.
     */
    if (inherited.valid && atomic_load(&dft_session.state) == DFT_SESSION_ON)
        memcpy(self, inherited.slot, DFT_THREAD_SIZE);
    inherited.valid = false;
    dft_thread_use(NULL);
}
