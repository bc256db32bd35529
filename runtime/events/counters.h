/* Counters of the program. Any thread, signal handlers included. */
#ifndef DFT_RUNTIME_EVENTS_COUNTERS_H
#define DFT_RUNTIME_EVENTS_COUNTERS_H

#include "dftrace/events.h"

/* See __dftrace_event_counter. The options ask for a trace. */
void dft_counters_record(struct dftrace_event *event, const struct dftrace_value *value,
                         int is_added);

#endif
