/* Instants, flows, metadata and names of threads. Any thread, signal handlers included. */
#ifndef DFT_RUNTIME_EVENTS_INSTANTS_H
#define DFT_RUNTIME_EVENTS_INSTANTS_H

#include "dftrace/events.h"

/* See dftrace/events.h. The options ask for a trace. */
void dft_instants_record(struct dftrace_event *event, const struct dftrace_value *values,
                         uint32_t count);
uint64_t dft_instants_flow(char phase, uint64_t id);
void dft_instants_metadata(const struct dftrace_value *value);
void dft_instants_name_thread(const char *name);

/* For thread.c: the thread's slot gets the name that the program has given the thread, if any. */
struct dft_thread;
void dft_instants_keep_name(struct dft_thread *self);

#endif
