/*
 * The functions of dftrace/dftrace.h. In an untraced program they read one variable and touch no
 * code that only traced programs use.
 */
#include "dftrace/dftrace.h"
#include "runtime/api/events.h"
#include "runtime/api/switches.h"
#include "runtime/library.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void __dftrace_pause(void)
{
    if (dft_library_is_enabled())
        dft_switches_pause(true);
}

EXPORT void __dftrace_resume(void)
{
    if (dft_library_is_enabled())
        dft_switches_pause(false);
}

EXPORT void __dftrace_switch(const char *what, int on)
{
    if (dft_library_is_enabled() && what && *what)
        dft_switches_switch(what, on != 0);
}

EXPORT void __dftrace_instant(const char *name)
{
    if (dft_library_is_enabled() && name)
        dft_events_instant(name);
}
