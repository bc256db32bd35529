/*
 * Tracks. Each has a slot in the spool, like a thread, from its first event on. One thread at a time
 * writes to it, while holding the track's lock, with signals blocked: so no signal handler can
 * interrupt the holder. The lock is never held while code of the program runs.
 *
 * Runs in traced threads, signal handlers included. Keeps errno. A forked child has the same tracks;
 * it claims slots of its own, in which nothing is open.
 */
#include "runtime/events/tracks.h"
#include "runtime/base/address_space.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/base/private_heap.h"
#include "runtime/detail/detail.h"
#include "runtime/events/event_names.h"
#include "runtime/events/event_records.h"
#include "runtime/events/event_table.h"
#include "runtime/events/mishaps.h"
#include "runtime/events/named_events.h"
#include "runtime/events/open_regions.h"
#include "runtime/hooks/records.h"
#include "runtime/hooks/slow_path.h"
#include "runtime/library.h"
#include "runtime/session/fork.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "runtime/sites/sites.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#define TRACKS_MAX 4096
#define PATH_MAX_SIZE 3000
#define REGIONS_SIZE (DFT_THREAD_FRAMES * sizeof(struct dft_open_region))

struct track {
    uint32_t parent;
    uint32_t number;                 /* of its entry in the site table; 0: not yet known */
    struct dft_thread *slot;         /* NULL: it has no event yet */
    struct dft_open_region *regions; /* one for each frame */
    uint32_t skipped;                /* regions that are not recorded, outside of all others */
    uint64_t latest;                 /* time of the latest begin or end */
    _Atomic uint32_t lock;
    const char *path; /* "GPU 0/copy queue" */
    char name[];
};

/* Tracks are only added. Their handles are their places in this array, from 1 on. */
static struct track *_Atomic tracks[TRACKS_MAX];
static _Atomic uint32_t track_count;

static struct track *find_track(uint32_t handle)
{
    return handle && handle <= atomic_load(&track_count) ? atomic_load(&tracks[handle - 1]) : NULL;
}

/* --- new tracks ----------------------------------------------------------------------------- */

/* While holding the private heap's lock. */
static uint32_t find_same(uint32_t parent, const char *name, size_t length)
{
    uint32_t count = atomic_load(&track_count);

    for (uint32_t i = 0; i < count; i++) {
        const struct track *track = atomic_load(&tracks[i]);
        if (track->parent == parent && strncmp(track->name, name, length) == 0 &&
            track->name[length] == '\0')
            return i + 1;
    }
    return 0;
}

static uint32_t add_track(uint32_t parent, const char *name, size_t length)
{
    const struct track *outer = find_track(parent);
    uint32_t count = atomic_load(&track_count);
    size_t before = outer ? strnlen(outer->path, PATH_MAX_SIZE) + 1 : 0;
    struct track *track =
        count < TRACKS_MAX
            ? dft_private_heap_calloc(1, sizeof *track + length + 1 + before + length + 1)
            : NULL;

    if (!track)
        return 0;
    memcpy(track->name, name, length);
    char *path = track->name + length + 1;
    if (outer) {
        memcpy(path, outer->path, before - 1);
        path[before - 1] = '/';
    }
    memcpy(path + before, name, length);
    track->path = path;
    track->parent = outer ? parent : 0;
    atomic_store(&tracks[count], track);
    atomic_store(&track_count, count + 1);
    return count + 1;
}

uint32_t dft_tracks_new(uint32_t parent, const char *name)
{
    struct dft_guard guard;
    uint32_t handle = 0;

    if (!name || !*name) {
        dft_mishaps_count(DFT_MISHAP_NAME);
        name = "?";
    }
    if (parent && !find_track(parent)) {
        dft_mishaps_count(DFT_MISHAP_TRACK);
        parent = 0;
    }
    size_t length = dft_event_names_length(name, DFT_EVENT_NAME_SIZE);
    dft_guard_enter(&guard);
    if (dft_private_heap_lock()) {
        handle = find_same(parent, name, length);
        if (!handle)
            handle = add_track(parent, name, length);
        dft_private_heap_unlock();
    }
    dft_guard_leave(&guard);
    if (!handle)
        dft_mishaps_count(DFT_MISHAP_TRACK);
    return handle;
}

/* --- slots ---------------------------------------------------------------------------------- */

/* The number of the track's entry, and first of those around it. Inside a guard. */
static uint32_t number_track(struct track *track)
{
    char text[DFT_EVENT_NAME_SIZE + PATH_MAX_SIZE + DFT_EVENT_NAME_SIZE + DFTRACE_TEXT_COUNT] = {0};
    struct track *outer = find_track(track->parent);

    if (track->number)
        return track->number;
    uint32_t line = outer ? number_track(outer) : 0;
    size_t length = strlen(track->name);
    memcpy(text, track->name, length);
    memcpy(text + length + 1, track->path,
           dft_event_names_length(track->path, PATH_MAX_SIZE + DFT_EVENT_NAME_SIZE));
    track->number = dft_event_names_intern(text, line);
    return track->number;
}

/* While holding the track's lock. False if there is no room. */
static bool claim_slot(struct track *track)
{
    uint32_t unused;

    if (!dft_session_ready() || !number_track(track))
        return false;
    if (!track->regions) {
        void *memory =
            mmap(NULL, REGIONS_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        track->regions = memory == MAP_FAILED ? NULL : memory;
    }
    struct dft_thread *slot =
        track->regions ? dft_spool_claim_thread(&dft_session.spool, &unused) : NULL;
    if (!slot)
        return false;
    dft_thread_clear(slot);
    slot->tid = DFT_TRACK_TID + (int32_t)track->number;
    slot->naming = DFT_NAMED_TRACK;
    slot->label = track->number;
    slot->limit = slot->frames + DFT_THREAD_FRAMES;
    dft_records_make_room(slot);
    atomic_store_explicit(&slot->state, DFT_THREAD_LIVE, memory_order_release);
    track->slot = slot;
    return true;
}

/* The track with its lock held; NULL: it cannot be used. */
static struct track *lock_track(uint32_t handle, struct dft_guard *guard)
{
    struct track *track = find_track(handle);

    if (!track) {
        dft_mishaps_count(DFT_MISHAP_TRACK);
        return NULL;
    }
    dft_guard_enter(guard);
    /* In a child that libc does not know of, locks may be held for ever, and slots are the parent's. */
    if (dft_address_space_is_forked())
        dft_fork_in_child();
    while (atomic_exchange_explicit(&track->lock, 1, memory_order_acquire))
        sched_yield();
    dft_busy = true;
    return track;
}

static void unlock_track(struct track *track, const struct dft_guard *guard)
{
    dft_busy = false;
    atomic_store_explicit(&track->lock, 0, memory_order_release);
    dft_guard_leave(guard);
}

void dft_tracks_in_child(void)
{
    uint32_t count = atomic_load(&track_count);

    for (uint32_t i = 0; i < count; i++) {
        struct track *track = atomic_load(&tracks[i]);
        if (!track)
            continue;
        track->slot = NULL;
        track->skipped = 0;
        atomic_store(&track->lock, 0);
    }
}

/* --- events --------------------------------------------------------------------------------- */

/* Whether the event is recorded. Outside of all locks. */
static bool is_recorded(struct dftrace_event *event)
{
    return (event->site.text || dft_event_table_meet(event, false)) && event->site.on;
}

/* Inside a guard. The number of a region must not be 0, since its frame would not be one. */
static uint32_t number_of(struct dftrace_event *event)
{
    uint32_t id = dft_site_number(&event->site);

    return id ? id : dft_slow_path_number(&event->site);
}

static struct dft_open_region *innermost(const struct track *track)
{
    const struct dft_thread *slot = track->slot;

    return slot && slot->top > slot->frames + 1 ? &track->regions[slot->top - 1 - slot->frames]
                                                : NULL;
}

/*
 * The time of a begin or end. The counter may be read before the lock is taken, and the counters of
 * two processors may differ a little; the begins and ends of a track must be in order all the same.
 */
static uint64_t take_time(struct track *track)
{
    uint64_t now = dft_clock_now();

    if (track->latest < now)
        track->latest = now;
    return track->latest;
}

/* Pushes a frame; false if the region is not recorded. */
static bool push(struct track *track, struct dftrace_event *event,
                 const struct dftrace_value *values, uint32_t count)
{
    if (!track->slot && !claim_slot(track)) {
        dft_mishaps_count(DFT_MISHAP_TRACK);
        return false;
    }
    struct dft_thread *slot = track->slot;
    struct dft_frame *frame = slot->top;
    uint32_t id = number_of(event);
    if (!id)
        id = dft_event_names_other();
    if (frame == slot->limit || !id) {
        dft_mishaps_count(DFT_MISHAP_EVENT);
        return false;
    }
    struct dft_open_region *region = &track->regions[frame - slot->frames];
    region->skipped = 0;
    region->values.used = 0;
    dft_event_values_add(&region->values, values, count);
    slot->top = frame + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    frame->site = id;
    frame->record = 0;
    frame->stack = UINT64_MAX;
    frame->caller = 0;
    region->start = frame->start = take_time(track);
    return true;
}

void dft_tracks_begin(uint32_t handle, struct dftrace_event *event,
                      const struct dftrace_value *values, uint32_t count)
{
    struct dft_guard guard;

    if (dft_busy)
        return;
    bool recorded = is_recorded(event);
    struct track *track = lock_track(handle, &guard);
    if (!track)
        return;
    if (!recorded || !push(track, event, values, count)) {
        struct dft_open_region *region = innermost(track);
        ++*(region ? &region->skipped : &track->skipped);
    }
    unlock_track(track, &guard);
}

/* Records the innermost region. Killed in between, it is open, or recorded, or both. */
static void pop(struct track *track, const struct dft_open_region *region)
{
    struct dft_thread *slot = track->slot;
    struct dft_frame *frame = slot->top - 1;
    struct dft_record_bytes bytes = {region->values.bytes, region->values.used};
    uint64_t now = take_time(track);

    if (!bytes.used)
        dft_records_append_call(slot, frame->site, frame->start, now);
    else if (!dft_records_end_attached(slot, now, bytes)) {
        struct dft_record *record = dft_records_take_units(slot, dft_record_units(bytes));
        if (record)
            dft_attachments_fill(record, DFT_RECORD_ATTACHED, bytes, frame->site, frame->start,
                                 now - frame->start);
    }
    frame->start = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    slot->top = frame;
}

void dft_tracks_end(uint32_t handle)
{
    struct dft_guard guard;
    struct track *track = dft_busy ? NULL : lock_track(handle, &guard);

    if (!track)
        return;
    struct dft_open_region *region = innermost(track);
    uint32_t *skipped = region ? &region->skipped : &track->skipped;
    if (*skipped)
        --*skipped;
    else if (region)
        pop(track, region);
    else
        dft_mishaps_count(DFT_MISHAP_END);
    unlock_track(track, &guard);
}

void dft_tracks_instant(uint32_t handle, struct dftrace_event *event,
                        const struct dftrace_value *values, uint32_t count)
{
    struct dft_event_record record = {.kind = DFT_RECORD_INSTANT};
    struct dft_event_bytes bytes;
    struct dft_guard guard;

    bytes.used = 0;
    if (dft_busy || !is_recorded(event))
        return;
    struct track *track = lock_track(handle, &guard);
    if (!track)
        return;
    if (track->slot || claim_slot(track)) {
        record.site = event == &dft_event_others ? 0 : number_of(event);
        dft_event_values_add(&bytes, values, count);
        if (!record.site)
            dft_event_values_add_name(&bytes, dft_named_events_name(event));
        record.bytes = &bytes;
        record.start = dft_clock_now();
        dft_event_records_append(track->slot, &record);
    } else {
        dft_mishaps_count(DFT_MISHAP_TRACK);
    }
    unlock_track(track, &guard);
}
