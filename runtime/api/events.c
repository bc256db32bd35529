/*
 * Events that the program itself reports. They are recorded like calls, in the chunks of the
 * calling thread.
 *
 * Runs in traced threads, signal handlers included. Keeps errno. If the name was used before and
 * the thread has recorded before, this takes neither a lock nor a system call.
 */
#include "runtime/api/events.h"
#include "dftrace/abi.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/hooks/records.h"
#include "runtime/session/own_work.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "runtime/sites/sites.h"

#include <string.h>

#define CATEGORY "APP"
#define CACHE_SIZE 256

/*
 * A cache of the numbers that event names have in the site table, indexed by the hash of the name.
 * Since hashes may collide, is_named compares the text. The numbers stay valid in forked children.
 */
static _Atomic uint32_t cache[CACHE_SIZE];
static _Atomic uint32_t names_used;

/* Length of the name, cut to DFT_EVENT_NAME_SIZE, but not in the middle of a character. */
static size_t name_length(const char *name)
{
    size_t length = strnlen(name, DFT_EVENT_NAME_SIZE + 1);

    if (length <= DFT_EVENT_NAME_SIZE)
        return length;
    for (length = DFT_EVENT_NAME_SIZE; length > DFT_EVENT_NAME_SIZE - 4; length--)
        if (((unsigned char)name[length] & 0xc0) != 0x80)
            return length;
    return DFT_EVENT_NAME_SIZE; /* not UTF-8 */
}

static _Atomic uint32_t *find_cached(const char *name, size_t length)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return &cache[(hash ^ hash >> 16) % CACHE_SIZE];
}

static bool is_named(uint32_t id, const char *name, size_t length)
{
    struct dft_site_view site;

    return id && dft_spool_site(&dft_session.spool, id, &site) && site.flags & DFT_SITE_EVENT &&
           strncmp(site.name, name, length) == 0 && site.name[length] == '\0';
}

/* Inside a guard. Returns the number of the name, or 0 if the table has no room. */
static uint32_t intern(const char *name, size_t length)
{
    char text[DFT_EVENT_NAME_SIZE + sizeof CATEGORY + DFTRACE_TEXT_COUNT] = {0};

    if (atomic_load(&names_used) >= DFT_EVENT_NAMES_MAX)
        return 0;
    memcpy(text, name, length);
    memcpy(text + length + DFTRACE_TEXT_CATEGORY, CATEGORY, sizeof CATEGORY);
    uint32_t before = dft_spool_sites(&dft_session.spool);
    uint32_t id = dft_spool_intern_site(&dft_session.spool, text, 0, DFT_SITE_EVENT);
    if (id > before)
        atomic_fetch_add(&names_used, 1);
    return id;
}

/* Records without a guard. False if that is not possible. */
static bool record_quickly(struct dft_thread *self, const char *name, size_t length, uint64_t now,
                           uint64_t stack)
{
    uint32_t id = atomic_load_explicit(find_cached(name, length), memory_order_relaxed);
    struct dft_attachments none;
    struct dft_claim claim;

    none.used = 0;
    if (!is_named(id, name, length) ||
        !dft_records_claim(self, dft_attachments_units(&none), now, stack, &claim))
        return false;
    dft_attachments_record_as(claim.record, DFT_RECORD_INSTANT, &none, id, now, 0);
    dft_records_settle(self, &claim);
    return true;
}

static void record_guarded(const char *name, size_t length, uint64_t now)
{
    struct dft_attachments attachments;
    struct dft_guard guard;

    attachments.used = 0;
    dft_guard_enter(&guard);
    dft_busy = true;
    struct dft_thread *self = dft_self ? dft_self : dft_thread_attach();
    if (self) {
        uint32_t id = intern(name, length);
        if (id)
            atomic_store_explicit(find_cached(name, length), id, memory_order_relaxed);
        else
            dft_attachments_add(&attachments, DFT_ATTACHMENT_NAME, name, length);
        dft_records_append_event(self, DFT_RECORD_INSTANT, id, now, &attachments);
    }
    dft_own_work_end(self, now);
    dft_busy = false;
    dft_guard_leave(&guard);
}

__attribute__((noinline)) void dft_events_instant(const char *name)
{
    struct dft_thread *self = dft_self;

    if (!dft_sites_are_recorded() || dft_busy)
        return;
    uint64_t now = dft_clock_now();
    size_t length = name_length(name);
    uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    if (!self || !record_quickly(self, name, length, now, stack))
        record_guarded(name, length, now);
}
