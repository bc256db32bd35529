/*
 * What the macros of dftrace.h are made of, in C and C++: counting arguments, and the static data of
 * an event. Programs use dftrace.h.
 */
#ifndef DFTRACE_EVENT_MACROS_H
#define DFTRACE_EVENT_MACROS_H

#include <dftrace/events.h>

#define DFTRACE_IMPL_JOIN(a, b) DFTRACE_IMPL_JOIN_(a, b)
#define DFTRACE_IMPL_JOIN_(a, b) a##b

/* A name that no other use of a macro has, so that nothing is shadowed. */
#define DFTRACE_IMPL_UNIQUE DFTRACE_IMPL_JOIN(dftrace_impl_, __COUNTER__)

#define DFTRACE_IMPL_FIRST(...) DFTRACE_IMPL_FIRST_(__VA_ARGS__, )
#define DFTRACE_IMPL_FIRST_(first, ...) first

/* The number of arguments, from 1 to 34: a name, and 16 keys with their values. */
#define DFTRACE_IMPL_COUNT(...)                                                                    \
    DFTRACE_IMPL_COUNT_(__VA_ARGS__, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20,   \
                        19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define DFTRACE_IMPL_COUNT_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, \
                            a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30,  \
                            a31, a32, a33, a34, count, ...)                                        \
    count

#define DFTRACE_IMPL_NONE ((const char *)0)
#define DFTRACE_IMPL_LITERAL(text) (__builtin_constant_p(text) ? (text) : DFTRACE_IMPL_NONE)

/* Whether an event with this name and category is static data, or is looked up each time. */
#define DFTRACE_IMPL_IS_STATIC(name, category)                                                     \
    (__builtin_constant_p(name) && __builtin_constant_p(category))

#define DFTRACE_IMPL_EVENT(flags, category, name, unit)                                            \
    {                                                                                              \
        {1, 0, (uint16_t)(flags), __LINE__, 0, 0, 0}, DFTRACE_IMPL_LITERAL(name),                  \
            DFTRACE_IMPL_LITERAL(category), __FILE__, DFTRACE_IMPL_LITERAL(unit)                   \
    }

/* The flags of a region with these arguments: a name, keys and values. */
#define DFTRACE_IMPL_FLAGS(...)                                                                    \
    (DFTRACE_SITE_EVENT | (DFTRACE_IMPL_COUNT(__VA_ARGS__) > 1 ? DFTRACE_SITE_ARGS : 0))

#ifdef __cplusplus
extern "C" {
#endif

/* For names that are not known at compile time. Never NULL. */
static inline struct dftrace_event *dftrace_impl_find(const char *name, const char *category,
                                                      const char *unit)
{
    static struct dftrace_event nothing;

    return __dftrace_event_find_unit ? __dftrace_event_find_unit(name, category, unit) : &nothing;
}

static inline uint64_t dftrace_impl_enter(struct dftrace_event *event)
{
    if (__dftrace_region_enter)
        return __dftrace_region_enter(event);
    event->site.on = 0;
    return 0;
}

static inline uint64_t dftrace_impl_enter_with(struct dftrace_event *event,
                                               const struct dftrace_value *values, uint32_t count)
{
    uint64_t token = dftrace_impl_enter(event);

    if (token && count)
        __dftrace_region_values(event, token, values, count);
    return token;
}

/* A region that ends with the block. A token that is not 0 comes from the runtime. */
struct dftrace_impl_scope {
    struct dftrace_event *event;
    uint64_t token;
};

static inline void dftrace_impl_leave(const struct dftrace_impl_scope *scope)
{
    if (scope->token)
        __dftrace_region_exit(scope->event, scope->token);
}

static inline void dftrace_impl_begin(struct dftrace_event *event,
                                      const struct dftrace_value *values, uint32_t count)
{
    if (__dftrace_region_begin)
        __dftrace_region_begin(event, values, count);
    else
        event->site.on = 0;
}

static inline void dftrace_impl_begin_on(uint32_t track, struct dftrace_event *event,
                                         const struct dftrace_value *values, uint32_t count)
{
    if (__dftrace_track_begin)
        __dftrace_track_begin(track, event, values, count);
    else
        event->site.on = 0;
}

static inline void dftrace_impl_instant(struct dftrace_event *event,
                                        const struct dftrace_value *values, uint32_t count)
{
    if (__dftrace_event_instant)
        __dftrace_event_instant(event, values, count);
    else
        event->site.on = 0;
}

static inline void dftrace_impl_instant_on(uint32_t track, struct dftrace_event *event,
                                           const struct dftrace_value *values, uint32_t count)
{
    if (__dftrace_track_instant)
        __dftrace_track_instant(track, event, values, count);
    else
        event->site.on = 0;
}

static inline void dftrace_impl_counter(struct dftrace_event *event, struct dftrace_value value,
                                        int is_added)
{
    if (__dftrace_event_counter)
        __dftrace_event_counter(event, &value, is_added);
    else
        event->site.on = 0;
}

static inline void dftrace_impl_add(struct dftrace_event *event, uint64_t token,
                                    struct dftrace_value value)
{
    if (token)
        __dftrace_region_values(event, token, &value, 1);
}

static inline void dftrace_impl_metadata(struct dftrace_value value)
{
    if (__dftrace_metadata)
        __dftrace_metadata(&value);
}

#ifdef __cplusplus
}
#endif

/*
 * A region that begins stays known to the runtime while it is switched off, so that its end does
 * not end another region.
 */
#define DFTRACE_IMPL_IS_WANTED(event) ((event)->site.on || (event)->site.known)

#ifdef __cplusplus
#include <dftrace/event_values.hpp>
#else
#include <dftrace/event_values.h>
#endif

/* --- statements ----------------------------------------------------------------------------- */

#define DFTRACE_IMPL_SCOPE(unique, category, ...)                                                  \
    DFTRACE_IMPL_SCOPE_AS(unique, DFTRACE_IMPL_JOIN(unique, _scope), category, __VA_ARGS__)

/* `if` a static event is off, neither the runtime is called nor are the values evaluated. */
#define DFTRACE_IMPL_SCOPE_AS(unique, scope, category, ...)                                        \
    DFTRACE_IMPL_SCOPE_OF(unique, scope, category, DFTRACE_IMPL_FLAGS(__VA_ARGS__), __VA_ARGS__)

#define DFTRACE_IMPL_SCOPE_OF(unique, scope, category, flags, ...)                                 \
    static struct dftrace_event unique =                                                           \
        DFTRACE_IMPL_EVENT(flags, category, DFTRACE_IMPL_FIRST(__VA_ARGS__), DFTRACE_IMPL_NONE);   \
    DFTRACE_IMPL_SCOPE_TYPE scope = {                                                              \
        DFTRACE_IMPL_CHOOSE(unique, category, DFTRACE_IMPL_NONE, DFTRACE_IMPL_FIRST(__VA_ARGS__)), \
        0};                                                                                        \
    if (scope.event->site.on)                                                                      \
    scope.token = DFTRACE_IMPL_CALL(dftrace_impl_enter_with, scope.event, __VA_ARGS__)

/* An expression of type void that evaluates `call` with the event `unique##_found`. */
#define DFTRACE_IMPL_DO(unique, test, flags, category, unit, name, call)                           \
    __extension__({                                                                                \
        static struct dftrace_event unique = DFTRACE_IMPL_EVENT(flags, category, name, unit);      \
        struct dftrace_event *DFTRACE_IMPL_JOIN(unique, _found) =                                  \
            DFTRACE_IMPL_CHOOSE(unique, category, unit, name);                                     \
        if (test(DFTRACE_IMPL_JOIN(unique, _found)))                                               \
            call;                                                                                  \
        (void)0;                                                                                   \
    })

#define DFTRACE_IMPL_IS_ON(event) ((event)->site.on)

#define DFTRACE_IMPL_BEGIN(unique, category, ...)                                                  \
    DFTRACE_IMPL_DO(                                                                               \
        unique, DFTRACE_IMPL_IS_WANTED, DFTRACE_IMPL_FLAGS(__VA_ARGS__), category,                 \
        DFTRACE_IMPL_NONE, DFTRACE_IMPL_FIRST(__VA_ARGS__),                                        \
        DFTRACE_IMPL_CALL(dftrace_impl_begin, DFTRACE_IMPL_JOIN(unique, _found), __VA_ARGS__))

#define DFTRACE_IMPL_BEGIN_ON(unique, track, category, ...)                                        \
    DFTRACE_IMPL_DO(unique, DFTRACE_IMPL_IS_WANTED, DFTRACE_IMPL_FLAGS(__VA_ARGS__), category,     \
                    DFTRACE_IMPL_NONE, DFTRACE_IMPL_FIRST(__VA_ARGS__),                            \
                    DFTRACE_IMPL_CALL_ON(dftrace_impl_begin_on, track,                             \
                                         DFTRACE_IMPL_JOIN(unique, _found), __VA_ARGS__))

#define DFTRACE_IMPL_INSTANT(unique, category, ...)                                                \
    DFTRACE_IMPL_DO(                                                                               \
        unique, DFTRACE_IMPL_IS_ON, DFTRACE_SITE_EVENT, category, DFTRACE_IMPL_NONE,               \
        DFTRACE_IMPL_FIRST(__VA_ARGS__),                                                           \
        DFTRACE_IMPL_CALL(dftrace_impl_instant, DFTRACE_IMPL_JOIN(unique, _found), __VA_ARGS__))

#define DFTRACE_IMPL_INSTANT_ON(unique, track, category, ...)                                      \
    DFTRACE_IMPL_DO(unique, DFTRACE_IMPL_IS_ON, DFTRACE_SITE_EVENT, category, DFTRACE_IMPL_NONE,   \
                    DFTRACE_IMPL_FIRST(__VA_ARGS__),                                               \
                    DFTRACE_IMPL_CALL_ON(dftrace_impl_instant_on, track,                           \
                                         DFTRACE_IMPL_JOIN(unique, _found), __VA_ARGS__))

/* With a name and a value, or with a name, a value and a unit. */
#define DFTRACE_IMPL_COUNTER(unique, is_added, category, ...)                                      \
    DFTRACE_IMPL_JOIN(DFTRACE_IMPL_COUNTER_, DFTRACE_IMPL_COUNT(__VA_ARGS__))                      \
    (unique, is_added, category, __VA_ARGS__)
#define DFTRACE_IMPL_COUNTER_2(unique, is_added, category, name, value)                            \
    DFTRACE_IMPL_COUNTER_3(unique, is_added, category, name, value, DFTRACE_IMPL_NONE)
#define DFTRACE_IMPL_COUNTER_3(unique, is_added, category, name, value, unit)                      \
    DFTRACE_IMPL_DO(unique, DFTRACE_IMPL_IS_ON, DFTRACE_SITE_EVENT, category, unit, name,          \
                    dftrace_impl_counter(DFTRACE_IMPL_JOIN(unique, _found),                        \
                                         DFTRACE_IMPL_VALUE(0, value), is_added))

#endif
