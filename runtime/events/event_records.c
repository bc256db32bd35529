/*
 * Records of events that are not calls, in the chunks of a thread.
 *
 * Runs in traced threads, signal handlers included. Keeps errno. If the open chunk has room, this
 * takes neither a lock nor a system call.
 */
#include "runtime/events/event_records.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/detail/detail.h"
#include "runtime/events/event_table.h"
#include "runtime/hooks/records.h"
#include "runtime/hooks/slow_path.h"
#include "runtime/library.h"
#include "runtime/session/own_work.h"
#include "runtime/session/thread.h"

static struct dft_record_bytes bytes_of(const struct dft_event_record *event)
{
    struct dft_record_bytes none = {0};

    return event->bytes ? (struct dft_record_bytes){event->bytes->bytes, event->bytes->used} : none;
}

static void fill(struct dft_record *record, const struct dft_event_record *event)
{
    record->duration = event->detail;
    dft_attachments_fill(record, event->kind, bytes_of(event), event->site, event->start,
                         event->value);
}

void dft_event_records_append(struct dft_thread *thread, const struct dft_event_record *event)
{
    struct dft_record *record = dft_records_take_units(thread, dft_record_units(bytes_of(event)));

    if (record)
        fill(record, event);
}

void dft_event_records_add(const struct dft_event_record *event)
{
    struct dft_thread *self = dft_self;
    struct dft_claim claim;
    struct dft_guard guard;
    uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0);

    if (dft_records_claim(self, dft_record_units(bytes_of(event)), event->start, stack, &claim)) {
        fill(claim.record, event);
        dft_records_settle(self, &claim);
        return;
    }
    dft_guard_enter(&guard);
    dft_busy = true;
    dft_event_records_append(self, event);
    dft_own_work_end(self, event->start);
    dft_busy = false;
    dft_guard_leave(&guard);
}

struct dft_thread *dft_event_records_thread(void)
{
    struct dft_guard guard;

    if (dft_self || dft_busy)
        return dft_busy ? NULL : dft_self;
    dft_guard_enter(&guard);
    dft_busy = true;
    dft_library_begin(0); /* metadata may come before all events */
    struct dft_thread *self = dft_thread_attach();
    dft_busy = false;
    dft_guard_leave(&guard);
    return self;
}

uint32_t dft_event_records_number(struct dftrace_event *event)
{
    uint32_t id = dft_site_number(&event->site);
    struct dft_guard guard;

    if (id)
        return id;
    dft_guard_enter(&guard);
    id = dft_slow_path_number(&event->site);
    dft_guard_leave(&guard);
    return id;
}
