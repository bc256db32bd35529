/* Regions that have already ended. Any thread, signal handlers included. */
#ifndef DFT_RUNTIME_EVENTS_PAST_REGIONS_H
#define DFT_RUNTIME_EVENTS_PAST_REGIONS_H

#include "dftrace/events.h"

/* See __dftrace_now and __dftrace_region_past. The options ask for a trace. */
uint64_t dft_past_regions_now(void);
void dft_past_regions_record(struct dftrace_event *event, const struct dftrace_past *past,
                             const struct dftrace_value *values, uint32_t count);

#endif
