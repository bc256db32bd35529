/*
 * What a program may tell dftrace: its own regions, instants, counters, tracks and flows; and how it
 * controls its own tracing. C99 and C++11. docs/API.md is the manual.
 *
 * Everything does nothing in a program that is not traced. References to the library are weak, so
 * the program links and runs without it. With DFTRACE_DISABLE defined, nothing of this is compiled.
 *
 * Keys and values follow a name in pairs, up to 16 of them:
 *
 *   DFTRACE_SCOPE("load", "file", path, "bytes", size);
 *
 * A value is a number, a bool, a text, a pointer, or a DFTRACE_LIST or DFTRACE_MAP of such values.
 * Names and categories are literals or any other text. While an event is not recorded, its values
 * are not evaluated. Everything except dftrace_pause, dftrace_resume, dftrace_enable,
 * dftrace_disable and dftrace_flush may be used in signal handlers.
 */
#ifndef DFTRACE_DFTRACE_H
#define DFTRACE_DFTRACE_H

#ifdef DFTRACE_DISABLE
#include <dftrace/disabled.h>
#else

#include <dftrace/event_macros.h>
#include <dftrace/link.h>

#ifdef __cplusplus
#include <dftrace/scope.hpp>
extern "C" {
#endif

/* --- regions -------------------------------------------------------------------------------- */

/* A region from here to the end of the block. */
#define DFTRACE_SCOPE(...) DFTRACE_IMPL_SCOPE(DFTRACE_IMPL_UNIQUE, DFTRACE_IMPL_NONE, __VA_ARGS__)

/* The same with a category in front: DFTRACE_SCOPE_IN("IO", "load", "file", path). */
#define DFTRACE_SCOPE_IN(...) DFTRACE_IMPL_SCOPE(DFTRACE_IMPL_UNIQUE, __VA_ARGS__)

/*
 * The same with a variable in front, to which dftrace_add adds values that are not known at the
 * beginning:
 *
 *   DFTRACE_SCOPE_AS(load, "load", "file", path);
 *   ...
 *   dftrace_add(load, "bytes", size);
 */
#define DFTRACE_SCOPE_AS(variable, ...)                                                            \
    DFTRACE_IMPL_SCOPE_OF(DFTRACE_IMPL_UNIQUE, variable, DFTRACE_IMPL_NONE,                        \
                          DFTRACE_SITE_EVENT | DFTRACE_SITE_ARGS, __VA_ARGS__)
#define dftrace_add(variable, key, value)                                                          \
    dftrace_impl_add((variable).event, (variable).token, DFTRACE_IMPL_VALUE(key, value))

/*
 * A region where no block encloses it. dftrace_end ends the region that this thread began last; it
 * may be in another function.
 */
#define dftrace_begin(...) DFTRACE_IMPL_BEGIN(DFTRACE_IMPL_UNIQUE, DFTRACE_IMPL_NONE, __VA_ARGS__)
#define dftrace_begin_in(...) DFTRACE_IMPL_BEGIN(DFTRACE_IMPL_UNIQUE, __VA_ARGS__)

static inline void dftrace_end(void)
{
    if (__dftrace_region_end)
        __dftrace_region_end();
}

/* --- instants and counters ------------------------------------------------------------------ */

/* Marks this moment: dftrace_instant("checkpoint", "step", step). */
#define dftrace_instant(...)                                                                       \
    DFTRACE_IMPL_INSTANT(DFTRACE_IMPL_UNIQUE, DFTRACE_IMPL_NONE, __VA_ARGS__)
#define dftrace_instant_in(...) DFTRACE_IMPL_INSTANT(DFTRACE_IMPL_UNIQUE, __VA_ARGS__)

/*
 * The value of a counter from now on, with its unit if it has one: dftrace_counter("memory", used,
 * "bytes"). dftrace_counter_add adds to the value; all threads add to the same counter.
 */
#define dftrace_counter(...)                                                                       \
    DFTRACE_IMPL_COUNTER(DFTRACE_IMPL_UNIQUE, 0, DFTRACE_IMPL_NONE, __VA_ARGS__)
#define dftrace_counter_in(category, ...)                                                          \
    DFTRACE_IMPL_COUNTER(DFTRACE_IMPL_UNIQUE, 0, category, __VA_ARGS__)
#define dftrace_counter_add(...)                                                                   \
    DFTRACE_IMPL_COUNTER(DFTRACE_IMPL_UNIQUE, 1, DFTRACE_IMPL_NONE, __VA_ARGS__)
#define dftrace_counter_add_in(category, ...)                                                      \
    DFTRACE_IMPL_COUNTER(DFTRACE_IMPL_UNIQUE, 1, category, __VA_ARGS__)

/* --- tracks --------------------------------------------------------------------------------- */

/* A row of the trace that is no thread: a device, a queue, a request. 0 is no track. */
typedef uint32_t dftrace_track;

/* The track with this name, inside another one. The same name gives the same track. */
static inline dftrace_track dftrace_track_new_in(dftrace_track parent, const char *name)
{
    return __dftrace_track_new ? __dftrace_track_new(parent, name) : 0;
}

static inline dftrace_track dftrace_track_new(const char *name)
{
    return dftrace_track_new_in(0, name);
}

/* Regions and instants on a track. Any thread may begin a region, and any other thread end it. */
#define dftrace_begin_on(track, ...)                                                               \
    DFTRACE_IMPL_BEGIN_ON(DFTRACE_IMPL_UNIQUE, track, DFTRACE_IMPL_NONE, __VA_ARGS__)
#define dftrace_begin_on_in(track, ...)                                                            \
    DFTRACE_IMPL_BEGIN_ON(DFTRACE_IMPL_UNIQUE, track, __VA_ARGS__)
#define dftrace_instant_on(track, ...)                                                             \
    DFTRACE_IMPL_INSTANT_ON(DFTRACE_IMPL_UNIQUE, track, DFTRACE_IMPL_NONE, __VA_ARGS__)
#define dftrace_instant_on_in(track, ...)                                                          \
    DFTRACE_IMPL_INSTANT_ON(DFTRACE_IMPL_UNIQUE, track, __VA_ARGS__)

static inline void dftrace_end_on(dftrace_track track)
{
    if (__dftrace_track_end)
        __dftrace_track_end(track);
}

/* --- flows ---------------------------------------------------------------------------------- */

/*
 * An arrow from the region that is open here to those that are open at its steps and at its end, in
 * any thread and process. The id is never given out twice; it is 0 if nothing is recorded.
 */
static inline uint64_t dftrace_flow_begin(void)
{
    return __dftrace_flow ? __dftrace_flow('s', 0) : 0;
}

static inline void dftrace_flow_step(uint64_t id)
{
    if (__dftrace_flow)
        (void)__dftrace_flow('t', id);
}

static inline void dftrace_flow_end(uint64_t id)
{
    if (__dftrace_flow)
        (void)__dftrace_flow('f', id);
}

/* --- the process and its threads ------------------------------------------------------------ */

/*
 * Call this where a thread switches to another stack: `id` is any number but 0 that identifies the
 * fiber, greenlet or coroutine that runs from now on, such as its address; 0 is the thread's own
 * stack. Each fiber has a track of its own in the trace. dftrace_fiber_end tells that nothing will
 * switch to this fiber again.
 */
static inline void dftrace_fiber_switch(uint64_t id)
{
    if (__dftrace_fiber_switch)
        __dftrace_fiber_switch(id);
}

static inline void dftrace_fiber_end(uint64_t id)
{
    if (__dftrace_fiber_end)
        __dftrace_fiber_end(id);
}

/* What is true of the whole process: dftrace_metadata("dataset", "imagenet"). */
#define dftrace_metadata(key, value) dftrace_impl_metadata(DFTRACE_IMPL_VALUE(key, value))

/* The name under which the trace shows the calling thread. */
static inline void dftrace_thread_name(const char *name)
{
    if (__dftrace_thread_name)
        __dftrace_thread_name(name);
}

/* Returns when everything that was recorded before is in the trace file. */
static inline void dftrace_flush(void)
{
    if (__dftrace_flush)
        __dftrace_flush();
}

/* --- lists and maps ------------------------------------------------------------------------- */

/*
 * DFTRACE_LIST(1, 2, 3) and DFTRACE_MAP("rows", 2, "columns", 3) are values; they may be nested. They
 * refer to their parts, so use them as arguments only. If the number of parts is not known at
 * compile time, fill an array by dftrace_value or dftrace_pair, and pass dftrace_list_of or
 * dftrace_map_of. The arrays must exist until the event is recorded.
 */
#define dftrace_value(x) DFTRACE_IMPL_VALUE(0, x)
#define dftrace_pair(key, x) DFTRACE_IMPL_VALUE(key, x)

static inline struct dftrace_value dftrace_list_of(const struct dftrace_value *items,
                                                   uint32_t count)
{
    return dftrace_impl_values(DFTRACE_TYPE_LIST, items, count);
}

static inline struct dftrace_value dftrace_map_of(const struct dftrace_value *pairs, uint32_t count)
{
    return dftrace_impl_values(DFTRACE_TYPE_MAP, pairs, count);
}

/* --- control -------------------------------------------------------------------------------- */

/*
 * Stops recording until dftrace_resume. With DFTRACER_START=paused the program begins in this
 * state. A call or region whose start was recorded is recorded to its end, even if it is switched
 * off or recording is paused meanwhile.
 */
static inline void dftrace_pause(void)
{
    if (__dftrace_pause)
        __dftrace_pause();
}

static inline void dftrace_resume(void)
{
    if (__dftrace_resume)
        __dftrace_resume();
}

/*
 * Switches functions and events off and on again: all of a category ("IO"), or all whose name
 * matches a pattern ("solver::*", as in an allowlist). If several switches match, the last one
 * applies. Switches also apply to libraries that are loaded later. Functions that are not
 * instrumented, and what the run-time allowlist excludes, cannot be switched on.
 */
static inline void dftrace_disable(const char *category_or_pattern)
{
    if (__dftrace_switch)
        __dftrace_switch(category_or_pattern, 0);
}

static inline void dftrace_enable(const char *category_or_pattern)
{
    if (__dftrace_switch)
        __dftrace_switch(category_or_pattern, 1);
}

#ifdef __cplusplus
}
#endif
#endif
#endif
