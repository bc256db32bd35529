/* Whether anything is recorded: asked for from outside, and not paused by the program. */
#ifndef DFT_RUNTIME_API_SWITCHES_H
#define DFT_RUNTIME_API_SWITCHES_H

#include <stdbool.h>

/* While holding the lock of library.c. Begins the session if needed; false: it cannot begin. */
bool dft_switches_ask(bool on);

/* The same when the program starts; DFTRACER_START may ask to begin paused. */
void dft_switches_begin(void);

/* By the program itself; takes the lock. */
void dft_switches_pause(bool wanted);
void dft_switches_switch(const char *what, bool on);

/* For the status. */
bool dft_switches_are_asked(void);
bool dft_switches_are_paused(void);

#endif
