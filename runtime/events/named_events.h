/* Events for names that are not known at compile time. */
#ifndef DFT_RUNTIME_EVENTS_NAMED_EVENTS_H
#define DFT_RUNTIME_EVENTS_NAMED_EVENTS_H

#include "dftrace/events.h"

/*
 * See __dftrace_event_find_unit. The options ask for a trace. Any thread, signal handlers included;
 * without a lock if the name was used before.
 */
struct dftrace_event *dft_named_events_find(const char *name, const char *category,
                                            const char *unit);

/*
 * The event that stands for all names beyond the limit; and the name of an event, which for this one
 * is the name that the thread has looked up last.
 */
extern struct dftrace_event dft_event_others;
const char *dft_named_events_name(const struct dftrace_event *event);

/* Calls `change` for all of them. While holding the private heap's lock. */
void dft_named_events_visit(void (*change)(struct dftrace_site *site, void *argument),
                            void *argument);

/* Called when the thread ends. */
void dft_named_events_release(void);

#endif
