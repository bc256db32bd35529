/*
 * The functions of dftrace/dftrace.h, except for the hot ones in regions.c. Any thread. In an
 * untraced program they only read one variable, so that no page of the rest of the runtime is
 * loaded, and switch the event off.
 */
#include "dftrace/events.h"
#include "runtime/api/switches.h"
#include "runtime/events/counters.h"
#include "runtime/events/instants.h"
#include "runtime/events/named_events.h"
#include "runtime/events/open_regions.h"
#include "runtime/events/tracks.h"
#include "runtime/library.h"
#include "runtime/session/fibers.h"
#include "runtime/session/flush.h"

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

EXPORT void __dftrace_fiber_switch(uint64_t id)
{
    if (dft_library_is_traced())
        dft_fibers_switch(id);
}

EXPORT void __dftrace_fiber_end(uint64_t id)
{
    if (dft_library_is_traced())
        dft_fibers_end(id);
}

/* --- events --------------------------------------------------------------------------------- */

/* Whether anything may be recorded of the event; otherwise it is off from now on. */
static bool is_traced(struct dftrace_event *event)
{
    if (!event)
        return false;
    if (dft_library_is_traced())
        return true;
    event->site.on = 0;
    return false;
}

EXPORT struct dftrace_event *__dftrace_event_find_unit(const char *name, const char *category,
                                                       const char *unit)
{
    static struct dftrace_event nothing;

    return dft_library_is_traced() ? dft_named_events_find(name, category, unit) : &nothing;
}

EXPORT struct dftrace_event *__dftrace_event_find(const char *name, const char *category)
{
    return __dftrace_event_find_unit(name, category, NULL);
}

EXPORT void __dftrace_region_values(struct dftrace_event *event, uint64_t token,
                                    const struct dftrace_value *values, uint32_t count)
{
    if (token && is_traced(event))
        dft_open_regions_values(token, values, count);
}

EXPORT void __dftrace_region_begin(struct dftrace_event *event, const struct dftrace_value *values,
                                   uint32_t count)
{
    if (is_traced(event))
        dft_open_regions_begin(event, values, count);
}

EXPORT void __dftrace_region_end(void)
{
    if (dft_library_is_traced())
        dft_open_regions_end();
}

EXPORT void __dftrace_event_instant(struct dftrace_event *event, const struct dftrace_value *values,
                                    uint32_t count)
{
    if (is_traced(event))
        dft_instants_record(event, values, count);
}

/* For programs that were compiled when instants had neither values nor events. */
EXPORT void __dftrace_instant(const char *name);

EXPORT void __dftrace_instant(const char *name)
{
    if (dft_library_is_traced() && name)
        dft_instants_record(dft_named_events_find(name, NULL, NULL), NULL, 0);
}

EXPORT void __dftrace_event_counter(struct dftrace_event *event, const struct dftrace_value *value,
                                    int is_added)
{
    if (is_traced(event) && value)
        dft_counters_record(event, value, is_added);
}

/* --- tracks --------------------------------------------------------------------------------- */

EXPORT uint32_t __dftrace_track_new(uint32_t parent, const char *name)
{
    return dft_library_is_traced() ? dft_tracks_new(parent, name) : 0;
}

EXPORT void __dftrace_track_begin(uint32_t track, struct dftrace_event *event,
                                  const struct dftrace_value *values, uint32_t count)
{
    if (is_traced(event))
        dft_tracks_begin(track, event, values, count);
}

EXPORT void __dftrace_track_end(uint32_t track)
{
    if (dft_library_is_traced())
        dft_tracks_end(track);
}

EXPORT void __dftrace_track_instant(uint32_t track, struct dftrace_event *event,
                                    const struct dftrace_value *values, uint32_t count)
{
    if (is_traced(event))
        dft_tracks_instant(track, event, values, count);
}

/* --- others --------------------------------------------------------------------------------- */

EXPORT uint64_t __dftrace_flow(char phase, uint64_t id)
{
    return dft_library_is_traced() ? dft_instants_flow(phase, id) : 0;
}

EXPORT void __dftrace_metadata(const struct dftrace_value *value)
{
    if (value && dft_library_is_traced())
        dft_instants_metadata(value);
}

EXPORT void __dftrace_thread_name(const char *name)
{
    if (dft_library_is_traced())
        dft_instants_name_thread(name);
}

EXPORT void __dftrace_flush(void)
{
    if (dft_library_is_traced())
        dft_flush_wait();
}
