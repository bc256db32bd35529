/* Names of events and keys, and their numbers in the spool's site table. */
#ifndef DFT_RUNTIME_EVENTS_EVENT_NAMES_H
#define DFT_RUNTIME_EVENTS_EVENT_NAMES_H

#include "spool/fields.h"

#include <stdint.h>

/* Length of a name, cut to `most` bytes, but not in the middle of a character. */
size_t dft_event_names_length(const char *name, size_t most);

/*
 * The number of the entry with these texts (abi.h), which is added if it is new; 0 if there is no
 * room. Inside a guard.
 */
uint32_t dft_event_names_intern(const char *text, uint32_t line);

/* The number of the entry that stands for all names for which there is no room; 0: there is none. */
uint32_t dft_event_names_other(void);

/*
 * A key by its number, or by its text if the table has no room. Without a lock if the key was used
 * before. `self` has been attached, so there is a spool.
 */
struct dft_field_key dft_event_names_key(const char *key);

#endif
