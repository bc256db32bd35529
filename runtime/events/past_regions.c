/*
 * Regions that have already ended: one record each, and no frame.
 *
 * Runs in traced threads, signal handlers included. Keeps errno. If names and keys were used before
 * and the thread has recorded before, this takes neither a lock nor a system call.
 */
#include "runtime/events/past_regions.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/events/event_names.h"
#include "runtime/events/event_records.h"
#include "runtime/events/event_table.h"
#include "runtime/events/named_events.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"

/* A duration in units of the hooks' clock, from the rate of that clock since the session began. */
static uint64_t ticks_of(uint64_t ns, uint64_t elapsed_ticks, uint64_t elapsed_ns)
{
    if (dft_clock_kind != DFT_CLOCK_COUNTER || elapsed_ns == 0)
        return ns;
    return (uint64_t)((unsigned __int128)ns * elapsed_ticks / elapsed_ns);
}

/* A region that began before the session begins with it, and none ends in the future. */
static void set_times_by_age(struct dft_event_record *record, const struct dftrace_past *past)
{
    struct dft_anchor started = dft_session.spool.header->started;
    struct dft_anchor now;

    dft_spool_take_anchor(dft_clock_kind, &now);
    uint64_t elapsed_ns =
        now.monotonic_ns > started.monotonic_ns ? now.monotonic_ns - started.monotonic_ns : 1;
    uint64_t elapsed = now.ticks > started.ticks ? now.ticks - started.ticks : 0;
    uint64_t since_end = past->age_ns > past->duration_ns ? past->age_ns - past->duration_ns : 0;
    uint64_t age = past->age_ns < elapsed_ns ? past->age_ns : elapsed_ns;
    uint64_t length = age > since_end ? age - since_end : 0;

    record->start = now.ticks - ticks_of(age, elapsed, elapsed_ns);
    record->value = ticks_of(length, elapsed, elapsed_ns);
}

static void set_times(struct dft_event_record *record, const struct dftrace_past *past)
{
    uint64_t earliest = dft_session.spool.header->started.ticks;
    uint64_t now = dft_clock_now();

    if (!past->start) {
        set_times_by_age(record, past);
        return;
    }
    record->start = past->start > earliest ? past->start : earliest;
    record->value = now > record->start ? now - record->start : 0;
}

/* The number of the entry that stands for all names for which there is no room. */
static uint32_t number_of_others(void)
{
    struct dft_guard guard;

    dft_guard_enter(&guard);
    uint32_t id = dft_event_names_other();
    dft_guard_leave(&guard);
    return id;
}

uint64_t dft_past_regions_now(void)
{
    if (!dft_self)
        (void)dft_event_records_thread();
    return dft_clock_now();
}

void dft_past_regions_record(struct dftrace_event *event, const struct dftrace_past *past,
                             const struct dftrace_value *values, uint32_t count)
{
    struct dft_event_record record = {.kind = DFT_RECORD_ATTACHED};
    struct dft_event_bytes bytes;

    bytes.used = 0;
    if (dft_busy || (!event->site.text && !dft_event_table_meet(event, false)) || !event->site.on)
        return;
    if (!dft_self && !dft_event_records_thread())
        return;
    set_times(&record, past);
    record.site = event == &dft_event_others ? 0 : dft_event_records_number(event);
    if (count)
        dft_event_values_add(&bytes, values, count);
    if (!record.site) {
        struct dftrace_value name = {.key = "name",
                                     .type = DFTRACE_TYPE_TEXT,
                                     .size = DFTRACE_TERMINATED,
                                     .as.text = dft_named_events_name(event)};
        dft_event_values_add(&bytes, &name, 1);
        record.site = number_of_others();
    }
    record.bytes = &bytes;
    if (record.site)
        dft_event_records_add(&record);
}
