/* Events in the program's data, from their first use on. They are switched on and off like sites. */
#ifndef DFT_RUNTIME_EVENTS_EVENT_TABLE_H
#define DFT_RUNTIME_EVENTS_EVENT_TABLE_H

#include "dftrace/events.h"

#include <link.h>
#include <stdbool.h>

/*
 * Must be called before an event whose site has no text is recorded: adds it to the table. Begins
 * the session unless it has begun. Returns whether the event is on. Any thread, signal handlers
 * included. All uses of a counter's name share one entry in the site table, and one value.
 */
bool dft_event_table_meet(struct dftrace_event *event, bool is_counter);

/*
 * Calls `change` for the events in this module, during a walk over the modules. While holding the
 * private heap's lock.
 */
void dft_event_table_visit(const struct dl_phdr_info *module,
                           void (*change)(struct dftrace_site *site, void *argument),
                           void *argument);

#endif
