/* What the runtime keeps of an event: its texts, and the value of a counter. */
#ifndef DFT_RUNTIME_EVENTS_EVENT_INFO_H
#define DFT_RUNTIME_EVENTS_EVENT_INFO_H

#include "dftrace/events.h"
#include "runtime/events/counter_sum.h"

#define DFT_EVENT_CATEGORY_SIZE 100 /* bytes of a category or a unit; longer ones are cut */

/* What an event's site.text is a part of. Never freed: other threads may be reading it. */
struct dft_event_info {
    struct dft_counter_sum *counter; /* NULL: the event is no counter */
    char text[];                     /* as in abi.h */
};

static inline struct dft_event_info *dft_event_info(const struct dftrace_event *event)
{
    return (struct dft_event_info *)(event->site.text - offsetof(struct dft_event_info, text));
}

/* Any of these may be NULL. */
struct dft_event_description {
    const char *name, *category, *file, *unit, *rule;
};

/* NULL: memory is exhausted. While holding the private heap's lock, as everything below. */
struct dft_event_info *dft_event_info_make(const struct dft_event_description *event);

/* The category, or "APP". */
const char *dft_event_info_category(const char *category);

/* Applies the run's allowlist to an event that has its texts. */
void dft_event_info_judge(struct dftrace_site *site);

#endif
