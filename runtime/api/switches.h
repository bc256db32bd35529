/*
 * Decides whether anything is recorded: recording must be requested by the environment or by
 * `dftrace ctl`, and must not be paused by the program.
 */
#ifndef DFT_RUNTIME_API_SWITCHES_H
#define DFT_RUNTIME_API_SWITCHES_H

#include <stdbool.h>

/*
 * For `dftrace ctl`, while holding the lock of library.c. Switches recording on or off. Switching
 * on begins the session unless it has begun; returns false if that fails.
 */
bool dft_switches_ask(bool on);

/* At the start of the program, while holding the lock. DFTRACER_START may ask to begin paused. */
void dft_switches_begin(void);

/* Called by the program itself. Both take the lock. */
void dft_switches_pause(bool wanted);
void dft_switches_switch(const char *what, bool on);

/* For the status that `dftrace ctl` shows. While holding the lock. */
bool dft_switches_are_asked(void);
bool dft_switches_are_paused(void);

#endif
