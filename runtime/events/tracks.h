/* Tracks of the program: rows of the trace that are no threads. */
#ifndef DFT_RUNTIME_EVENTS_TRACKS_H
#define DFT_RUNTIME_EVENTS_TRACKS_H

#include "dftrace/events.h"

/* See dftrace/events.h. Any thread, signal handlers included. The options ask for a trace. */
uint32_t dft_tracks_new(uint32_t parent, const char *name);
void dft_tracks_begin(uint32_t track, struct dftrace_event *event,
                      const struct dftrace_value *values, uint32_t count);
void dft_tracks_end(uint32_t track);
void dft_tracks_instant(uint32_t track, struct dftrace_event *event,
                        const struct dftrace_value *values, uint32_t count);

/* In a forked child, for fork.c. */
void dft_tracks_in_child(void);

#endif
