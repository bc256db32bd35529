/*
 * The switches of the program itself, and those of `dftrace ctl`. Any thread, while holding the
 * lock of library.c; not in hooks.
 */
#include "runtime/api/switches.h"
#include "runtime/base/log.h"
#include "runtime/library.h"
#include "runtime/session/session.h"
#include "runtime/sites/sites.h"

static bool asked, paused;

bool dft_switches_ask(bool on)
{
    if (on && !dft_session_begin())
        return false;
    asked = on;
    if (on)
        paused = false;
    dft_library_remember_switch();
    dft_sites_record(asked);
    return true;
}

void dft_switches_begin(void)
{
    asked = dft_session_begin();
    paused = dft_options.start == DFT_START_PAUSED;
    if (paused)
        dft_library_remember_switch();
    dft_sites_record(asked && !paused);
}

bool dft_switches_are_asked(void)
{
    return asked;
}

bool dft_switches_are_paused(void)
{
    return paused;
}

void dft_switches_pause(bool wanted)
{
    struct dft_guard guard;

    dft_library_lock(&guard);
    if (dft_library_is_enabled() && paused != wanted) {
        paused = wanted;
        dft_library_remember_switch();
        dft_sites_record(asked && !paused);
    }
    dft_library_unlock(&guard);
}

void dft_switches_switch(const char *what, bool on)
{
    struct dft_guard guard;

    dft_library_lock(&guard);
    if (dft_library_is_enabled()) {
        dft_library_remember_switch();
        if (!dft_sites_switch(what, on))
            dft_log(DFT_LEVEL_WARN, "no memory to switch '%s'", what);
    }
    dft_library_unlock(&guard);
}
