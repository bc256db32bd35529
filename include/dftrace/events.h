/*
 * The interface between a program's own events and the runtime: what the macros of dftrace.h and of
 * dftracer/dftracer.h expand to. Programs should use those headers.
 *
 * All functions are weak references: a program links and runs without the library. They may be
 * called by any thread, in signal handlers, before main and after exit handlers. They keep errno.
 */
#ifndef DFTRACE_EVENTS_H
#define DFTRACE_EVENTS_H

#include <dftrace/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- values --------------------------------------------------------------------------------- */

enum dftrace_type {
    DFTRACE_TYPE_NULL, /* has no value */
    DFTRACE_TYPE_INT,
    DFTRACE_TYPE_UINT,
    DFTRACE_TYPE_DOUBLE,
    DFTRACE_TYPE_BOOL,
    DFTRACE_TYPE_TEXT,
    DFTRACE_TYPE_POINTER,
    DFTRACE_TYPE_LIST, /* of values whose keys are ignored */
    DFTRACE_TYPE_MAP,
    DFTRACE_TYPE_OPAQUE, /* a value that has none of these types; `as.text` is its type's name */
};

#define DFTRACE_TERMINATED UINT32_MAX /* the size of a text that ends with a NUL */

/* One value of an event. The runtime copies what it needs before the function returns. */
struct dftrace_value {
    const char *key; /* NULL: "?" */
    uint32_t type;   /* enum dftrace_type */
    /* TEXT and OPAQUE: bytes, or DFTRACE_TERMINATED; LIST and MAP: number of values */
    uint32_t size;
    union {
        int64_t number; /* INT, BOOL */
        uint64_t bits;  /* UINT */
        double real;
        const void *address;                /* POINTER */
        const char *text;                   /* NULL is the type NULL */
        const struct dftrace_value *values; /* LIST, MAP */
    } as;
};

/* --- events --------------------------------------------------------------------------------- */

/*
 * One place in the source that records events, in static memory. `site.on` is 1 at first. The
 * runtime sees the event when it is first used, and switches `on` off if the event is not recorded.
 * Without the runtime, the macros do that.
 */
struct dftrace_event {
    struct dftrace_site site; /* flags: DFTRACE_SITE_EVENT; `text` is the runtime's */
    const char *name;         /* a literal; NULL: the name is passed with each event */
    const char *category;
    const char *file;
    const char *unit; /* of a counter; NULL: none */
};

/*
 * The event with this name and category, from a table of the runtime. Never NULL, and valid until
 * the process ends. Only for names that are not known at compile time.
 */
struct dftrace_event *__dftrace_event_find(const char *name, const char *category)
    __attribute__((weak));
/* The same for a counter that may have a unit. */
struct dftrace_event *__dftrace_event_find_unit(const char *name, const char *category,
                                                const char *unit) __attribute__((weak));

/*
 * A region from `enter` to `exit`, which must be called by the same thread. The pair is that of
 * hooks (abi.h): `enter` returns a token, which is 0 if the region is not recorded. `values` adds
 * values to a region that is open; it may be called more than once. An event whose regions may have
 * values has DFTRACE_SITE_ARGS in its flags.
 */
uint64_t __dftrace_region_enter(struct dftrace_event *event) __attribute__((weak));
void __dftrace_region_values(struct dftrace_event *event, uint64_t token,
                             const struct dftrace_value *values, uint32_t count)
    __attribute__((weak));
void __dftrace_region_exit(struct dftrace_event *event, uint64_t token) __attribute__((weak));

/* The same where no block encloses the region: `end` ends the thread's last `begin`. */
void __dftrace_region_begin(struct dftrace_event *event, const struct dftrace_value *values,
                            uint32_t count) __attribute__((weak));
void __dftrace_region_end(void) __attribute__((weak));

/*
 * A region of the calling thread that has ended. Other regions may have begun and ended since it
 * began. `start` is from __dftrace_now: the region ends now. If `start` is 0, the region began
 * `age_ns` ago and lasted `duration_ns`; what lies before the beginning of the trace, or in the
 * future, is cut off.
 */
struct dftrace_past {
    uint64_t start;
    uint64_t age_ns;
    uint64_t duration_ns;
};
/*
 * The time, in units of the runtime's clock; 0 if nothing will be recorded. Begins the trace unless
 * it has begun.
 */
uint64_t __dftrace_now(void) __attribute__((weak));
void __dftrace_region_past(struct dftrace_event *event, const struct dftrace_past *past,
                           const struct dftrace_value *values, uint32_t count)
    __attribute__((weak));

void __dftrace_event_instant(struct dftrace_event *event, const struct dftrace_value *values,
                             uint32_t count) __attribute__((weak));

/* Sets a counter to the value, or adds the value to it. The type is INT, UINT or DOUBLE. */
void __dftrace_event_counter(struct dftrace_event *event, const struct dftrace_value *value,
                             int is_added) __attribute__((weak));

/* --- tracks --------------------------------------------------------------------------------- */

/* A new track inside `parent`; 0 is the process. Returns 0 if there is no room for it. */
uint32_t __dftrace_track_new(uint32_t parent, const char *name) __attribute__((weak));
void __dftrace_track_begin(uint32_t track, struct dftrace_event *event,
                           const struct dftrace_value *values, uint32_t count)
    __attribute__((weak));
void __dftrace_track_end(uint32_t track) __attribute__((weak));
void __dftrace_track_instant(uint32_t track, struct dftrace_event *event,
                             const struct dftrace_value *values, uint32_t count)
    __attribute__((weak));

/* --- others --------------------------------------------------------------------------------- */

/* `phase` is 's' (begins; `id` is ignored), 't' (continues) or 'f' (ends). Returns the id. */
uint64_t __dftrace_flow(char phase, uint64_t id) __attribute__((weak));

/*
 * What the calling thread does from now on belongs to the fiber `id`; 0: to none. A fiber is
 * anything with a stack of its own that threads switch to: a coroutine, a greenlet. `end` forgets a
 * fiber that no thread will switch to again.
 */
void __dftrace_fiber_switch(uint64_t id) __attribute__((weak));
void __dftrace_fiber_end(uint64_t id) __attribute__((weak));

/* What is known of the whole process: a key and its value. */
void __dftrace_metadata(const struct dftrace_value *value) __attribute__((weak));
void __dftrace_thread_name(const char *name) __attribute__((weak));

/* Whether the process asks for this id for the first time; -1 while nothing is recorded. */
int __dftrace_first(uint64_t id) __attribute__((weak));

/*
 * Begins the trace unless it has begun, and gives it this prefix unless the environment has one or
 * the name is NULL. A program that refers to this function is not traced before its first event.
 */
void __dftrace_log_file(const char *name) __attribute__((weak));

/* Returns when everything that was recorded before is in the trace file. */
void __dftrace_flush(void) __attribute__((weak));

/* --- control -------------------------------------------------------------------------------- */

void __dftrace_pause(void) __attribute__((weak));
void __dftrace_resume(void) __attribute__((weak));
void __dftrace_switch(const char *what, int on) __attribute__((weak));

#ifdef __cplusplus
static_assert(sizeof(struct dftrace_event) == 64, "event layout");
#else
_Static_assert(sizeof(struct dftrace_event) == 64, "event layout");
#endif

#ifdef __cplusplus
}
#endif
#endif
