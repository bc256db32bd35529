/* Values of events: from those of the program to the fields of a record. */
#ifndef DFT_RUNTIME_EVENTS_EVENT_VALUES_H
#define DFT_RUNTIME_EVENTS_EVENT_VALUES_H

#include "dftrace/events.h"
#include "spool/format.h"

/*
 * The attachments of an event as they will be in its record: one with all values, if there are any,
 * and then its name, if that has no number. `used` is 0 at first.
 */
struct dft_event_bytes {
    uint32_t used;
    _Alignas(8) unsigned char bytes[DFT_ATTACHMENTS_MAX];
};

/*
 * Adds values. What does not fit is left out and counted. Any thread that has a slot, signal
 * handlers included; takes neither a lock nor a system call if all keys were used before.
 */
void dft_event_values_add(struct dft_event_bytes *all, const struct dftrace_value *values,
                          uint32_t count);

/* The same for a call: all of its values are in one map with the key "values". */
void dft_event_values_add_to_call(struct dft_event_bytes *all, const struct dftrace_value *values,
                                  uint32_t count);

/* Adds a name, after all values. */
void dft_event_values_add_name(struct dft_event_bytes *all, const char *name);

#endif
