/* Events that the program itself reports. */
#ifndef DFT_RUNTIME_API_EVENTS_H
#define DFT_RUNTIME_API_EVENTS_H

/*
 * Records an event at this moment. Any thread, signal handlers included. Does nothing while
 * recording is off or paused.
 */
void dft_events_instant(const char *name);

#endif
