/*
 * Instants, flows, metadata and names of threads: one record each.
 *
 * Runs in traced threads, signal handlers included. Keeps errno. If names and keys were used before
 * and the thread has recorded before, this takes neither a lock nor a system call.
 */
#include "runtime/events/instants.h"
#include "runtime/base/clock.h"
#include "runtime/base/guard.h"
#include "runtime/events/event_names.h"
#include "runtime/events/event_records.h"
#include "runtime/events/event_table.h"
#include "runtime/events/mishaps.h"
#include "runtime/events/named_events.h"
#include "runtime/session/session.h"
#include "runtime/session/thread.h"
#include "runtime/sites/sites.h"

#include <string.h>

void dft_instants_record(struct dftrace_event *event, const struct dftrace_value *values,
                         uint32_t count)
{
    struct dft_event_record record = {.kind = DFT_RECORD_INSTANT};
    struct dft_event_bytes bytes;
    uint32_t id = __atomic_load_n(&event->site.id, __ATOMIC_RELAXED);

    bytes.used = 0;
    if (dft_busy || (!event->site.text && !dft_event_table_meet(event, false)) || !event->site.on)
        return;
    record.start = dft_clock_now();
    if (!dft_self && !dft_event_records_thread())
        return;
    bool is_known = __builtin_expect((int32_t)id > 0 && event != &dft_event_others, 1);
    record.site = is_known ? id : event == &dft_event_others ? 0 : dft_event_records_number(event);
    if (count)
        dft_event_values_add(&bytes, values, count);
    if (!record.site)
        dft_event_values_add_name(&bytes, dft_named_events_name(event));
    if (bytes.used)
        record.bytes = &bytes;
    dft_event_records_add(&record);
}

/* --- flows ---------------------------------------------------------------------------------- */

/* splitmix64: a bijection that spreads consecutive numbers over all 64-bit numbers. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/*
 * Ids of one process are distinct. Those of several processes begin at different places among all
 * 64-bit numbers: pid, time and boot distinguish processes, also of several hosts, and a forked
 * child, which has a header of its own.
 */
static uint64_t new_flow(void)
{
    static _Atomic uint64_t count;
    const struct dft_spool_header *header = dft_session.spool.header;
    uint64_t base = mix((uint64_t)header->pid << 32 ^ header->pid_space) ^
                    mix(header->started.realtime_ns) ^ mix(header->started.ticks + 1);
    uint64_t id;

    for (size_t i = 0; i < sizeof header->boot; i += sizeof id) {
        memcpy(&id, header->boot + i, sizeof id);
        base = mix(base ^ id);
    }
    do
        id = mix(base + atomic_fetch_add(&count, 1));
    while (id == 0);
    return id;
}

uint64_t dft_instants_flow(char phase, uint64_t id)
{
    struct dft_event_record record = {.kind = DFT_RECORD_FLOW, .detail = (unsigned char)phase};

    if (dft_busy || !dft_sites_are_recorded() || (phase != 's' && id == 0))
        return 0;
    record.start = dft_clock_now();
    if (!dft_event_records_thread())
        return 0;
    record.value = phase == 's' ? new_flow() : id;
    dft_event_records_add(&record);
    return record.value;
}

/* --- metadata and names --------------------------------------------------------------------- */

void dft_instants_metadata(const struct dftrace_value *value)
{
    struct dft_event_record record = {.kind = DFT_RECORD_METADATA};
    struct dft_event_bytes bytes;

    bytes.used = 0;
    if (dft_busy || !dft_event_records_thread())
        return;
    record.start = dft_clock_now();
    dft_event_values_add(&bytes, value, 1);
    record.bytes = &bytes;
    dft_event_records_add(&record);
}

/* The number of the name that the program has given this thread; 0: none. */
static DFT_TLS uint32_t label;

void dft_instants_keep_name(struct dft_thread *self)
{
    if (!label || self->naming == DFT_NAMED_TRACK)
        return;
    self->label = label;
    self->naming = DFT_NAMED_BY_PROGRAM;
}

void dft_instants_name_thread(const char *name)
{
    char text[DFT_EVENT_NAME_SIZE + DFTRACE_TEXT_COUNT] = {0};
    struct dft_event_record record = {.kind = DFT_RECORD_THREAD_NAME};
    struct dft_guard guard;

    if (!name) {
        dft_mishaps_count(DFT_MISHAP_NAME);
        return;
    }
    if (dft_busy || !dft_event_records_thread())
        return;
    memcpy(text, name, dft_event_names_length(name, DFT_EVENT_NAME_SIZE));
    dft_guard_enter(&guard);
    record.site = dft_event_names_intern(text, 0);
    dft_guard_leave(&guard);
    if (!record.site) {
        dft_mishaps_count(DFT_MISHAP_NAMES);
        return;
    }
    label = record.site;
    if (dft_self->naming == DFT_NAMED_TRACK) /* a fiber, which keeps its own name */
        return;
    dft_instants_keep_name(dft_self);
    record.start = dft_clock_now();
    dft_event_records_add(&record);
}
