/*
 * Counters of the program: one record for each value.
 *
 * Runs in traced threads, signal handlers included. Keeps errno. If the name was used before and the
 * thread has recorded before, this takes neither a lock nor a system call.
 */
#include "runtime/events/counters.h"
#include "runtime/base/clock.h"
#include "runtime/events/event_info.h"
#include "runtime/events/event_records.h"
#include "runtime/events/event_table.h"
#include "runtime/events/mishaps.h"
#include "runtime/events/named_events.h"
#include "runtime/session/thread.h"

void dft_counters_record(struct dftrace_event *event, const struct dftrace_value *value,
                         int is_added)
{
    struct dft_event_record record = {.kind = DFT_RECORD_COUNTER};
    struct dft_event_bytes name;
    uint32_t type = value->type == DFTRACE_TYPE_BOOL ? DFTRACE_TYPE_INT : value->type;

    if (dft_busy || (!event->site.text && !dft_event_table_meet(event, true)) || !event->site.on)
        return;
    if (type != DFTRACE_TYPE_INT && type != DFTRACE_TYPE_UINT && type != DFTRACE_TYPE_DOUBLE) {
        dft_mishaps_count(DFT_MISHAP_EVENT);
        return;
    }
    if (!dft_self && !dft_event_records_thread())
        return;
    record.site = event == &dft_event_others ? 0 : dft_event_records_number(event);
    if (!record.site) {
        name.used = 0;
        dft_event_values_add_name(&name, dft_named_events_name(event));
        record.bytes = &name;
    }
    struct dft_counter_sum *sum = dft_event_info(event)->counter;
    struct dft_counter_value shown = {value->as.bits, type};
    if (sum && is_added)
        dft_counter_sum_add(sum, shown);
    else if (sum)
        dft_counter_sum_set(sum, shown);
    /*
     * The sum is read after the time. So of all records of a counter, the one with the latest time
     * has the whole sum.
     */
    record.start = dft_clock_now();
    if (sum && is_added)
        shown = dft_counter_sum_read(sum);
    record.detail = shown.type;
    record.value = shown.bits;
    dft_event_records_add(&record);
}
