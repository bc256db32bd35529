/* Records of events that are not calls. */
#ifndef DFT_RUNTIME_EVENTS_EVENT_RECORDS_H
#define DFT_RUNTIME_EVENTS_EVENT_RECORDS_H

#include "dftrace/events.h"
#include "runtime/events/event_values.h"
#include "spool/spool.h"

struct dft_event_record {
    enum dft_record_kind kind;
    uint32_t site;
    uint32_t detail; /* of a COUNTER the type of its value, of a FLOW its phase */
    uint64_t start;
    uint64_t value;                      /* of a COUNTER its value, of a FLOW its id */
    const struct dft_event_bytes *bytes; /* may be NULL */
};

/*
 * Records the event in the calling thread, which has a slot. Waits if the spool is full and the user
 * has not chosen to drop events. Any context. Keeps errno.
 */
void dft_event_records_add(const struct dft_event_record *event);

/* The same inside a guard, in the slot of this thread or of a track. */
void dft_event_records_append(struct dft_thread *thread, const struct dft_event_record *event);

/*
 * The calling thread's slot, which it gets now if it has none; NULL if nothing can be recorded. Any
 * context.
 */
struct dft_thread *dft_event_records_thread(void);

/*
 * The number of an event's entry, which it gets now if it has none. 0 if the table has no room: then
 * the record has the name as an attachment. The thread has a slot. Any context.
 */
uint32_t dft_event_records_number(struct dftrace_event *event);

#endif
