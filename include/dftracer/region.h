/*
 * Regions of DFTracer's C interface, over dftrace/events.h. Included by dftracer.h. Names that begin
 * with dftracer_ and do not occur in docs/DFTRACER.md are not part of the interface.
 *
 * Everything is inline, with weak references to the runtime: a program links with nothing. Any
 * thread; a region ends in the thread in which it began. In a program that is not traced, a region
 * costs the test of one variable.
 */
#ifndef DFTRACER_REGION_H
#define DFTRACER_REGION_H

#include <dftrace/absent.h>
#include <dftrace/event_macros.h>
#include <dftrace/link.h>

#include <stdint.h>
#include <stdlib.h>

/*
 * Reports at run time that the runtime is missing where DFTRACER_ENABLE asks for it: see absent.h.
 * With -masm=intel, DFTRACER_NO_ABSENT must be defined, because this is AT&T assembly.
 */
#if defined(__linux__) && defined(__LP64__) && !defined(DFTRACER_NO_ABSENT)
#if defined(__x86_64__)
__asm__(DFTRACE_ABSENT_X86_64);
#elif defined(__aarch64__)
__asm__(DFTRACE_ABSENT_AARCH64);
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define DF_DATA_EVENT 0
#define DF_METADATA_EVENT 1

typedef const char *ConstEventNameType;
typedef const char *ConstEventType; /* an earlier name of it */

/* The role of an argument where DFTracer aggregates events. Here all of them are recorded alike. */
enum MetadataType { MT_KEY = 0, MT_VALUE = 1, MT_IGNORE = 2 };
#ifndef __cplusplus
typedef enum MetadataType MetadataType;
#endif

/* The event of one use of a macro. */
#define DFTRACER_EVENT(name, category)                                                             \
    {                                                                                              \
        {1, 0, DFTRACE_SITE_EVENT | DFTRACE_SITE_ARGS, __LINE__, 0, 0, NULL}, name, category,      \
            __FILE__, NULL                                                                         \
    }

/*
 * A region. The macros have it in the function's frame, so that its end needs no memory. `self` is
 * its own address while it is recorded. Memory that a jump past the declaration has left
 * uninitialized does not contain that; `volatile` makes the compiler look.
 */
struct DFTracerData {
    void *profiler; /* its struct dftrace_event */
    const struct DFTracerData *volatile self;
    uint64_t token;
    int is_allocated; /* by initialize_region */
};

static inline struct DFTracerData *dftracer_begin(struct DFTracerData *data,
                                                  struct dftrace_event *event)
{
    data->self = NULL;
    if (event->site.on) {
        data->profiler = event;
        data->is_allocated = 0;
        data->token = dftrace_impl_enter(event);
        if (data->token)
            data->self = data;
    }
    return data;
}

static inline int dftracer_is_open(const struct DFTracerData *data)
{
    return data && data->self == data;
}

static inline void dftracer_end(struct DFTracerData *data)
{
    if (!dftracer_is_open(data))
        return;
    data->self = NULL;
    __dftrace_region_exit((struct dftrace_event *)data->profiler, data->token);
}

static inline void dftracer_add(struct DFTracerData *data, struct dftrace_value value)
{
    if (dftracer_is_open(data))
        __dftrace_region_values((struct dftrace_event *)data->profiler, data->token, &value, 1);
}

static inline void dftracer_add_number(struct DFTracerData *data, const char *key, int64_t number)
{
    dftracer_add(data, DFTRACE_IMPL_VALUE(key, number));
}

/* --- DFTracer's functions ------------------------------------------------------------------- */

/*
 * Begins a region of any name, or with DF_METADATA_EVENT writes the metadata `name` = `cat`. NULL
 * if there is nothing to end. Otherwise finalize_region must be called once.
 */
static inline struct DFTracerData *initialize_region(ConstEventNameType name,
                                                     ConstEventNameType cat, int event_type)
{
    struct DFTracerData *data = NULL;
    struct DFTracerData region;

    if (event_type == DF_METADATA_EVENT) {
        dftrace_impl_metadata(DFTRACE_IMPL_VALUE(name, cat));
        return NULL;
    }
    dftracer_begin(&region, dftrace_impl_find(name, cat, NULL));
    if (dftracer_is_open(&region))
        data = (struct DFTracerData *)malloc(sizeof *data);
    if (!data) {
        dftracer_end(&region);
        return NULL;
    }
    *data = region;
    data->self = data;
    data->is_allocated = 1;
    return data;
}

/* Not inline: there compilers would warn of regions that are not allocated. */
__attribute__((noinline, unused)) static void finalize_region(struct DFTracerData *data)
{
    int is_open = dftracer_is_open(data);

    dftracer_end(data);
    if (is_open && data->is_allocated)
        free(data);
}

static inline void finalize_region_cleanup(struct DFTracerData **data)
{
    finalize_region(*data);
    *data = NULL;
}

static inline void update_metadata_int(struct DFTracerData *data, const char *key, int value)
{
    dftracer_add_number(data, key, value);
}

static inline void update_metadata_string(struct DFTracerData *data, const char *key,
                                          const char *value)
{
    dftracer_add(data, DFTRACE_IMPL_VALUE(key, value));
}

static inline void update_metadata_int_type(struct DFTracerData *data, const char *key, int value,
                                            int type)
{
    (void)type;
    update_metadata_int(data, key, value);
}

static inline void update_metadata_string_type(struct DFTracerData *data, const char *key,
                                               const char *value, int type)
{
    (void)type;
    update_metadata_string(data, key, value);
}

#ifdef __cplusplus
}
#endif
#endif
