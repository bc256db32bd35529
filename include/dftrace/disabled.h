/*
 * dftrace.h with DFTRACE_DISABLE: everything has the same form and does nothing. Arguments are
 * checked but not evaluated, and no symbol remains.
 */
#ifndef DFTRACE_DISABLED_H
#define DFTRACE_DISABLED_H

#include <stdint.h>

#ifdef __cplusplus
/* Never defined. */
template <class... T> int dftrace_impl_ignored(int, const T &...);

struct dftrace_value {
    int unused;
};

namespace dftrace
{

using nothing = ::dftrace_value;

struct scope {
    template <class... T> explicit scope(const T &...) {}

    ~scope() {}

    template <class... T> void add(const T &...) {}

    void end() {}
};

struct scope_in : scope {
    template <class... T> explicit scope_in(const T &...) {}
};

struct scope_on : scope {
    template <class... T> explicit scope_on(const T &...) {}
};

template <class... T> int list(const T &...)
{
    return 0;
}

template <class... T> int map(const T &...)
{
    return 0;
}

} // namespace dftrace

extern "C" {
#else
int dftrace_impl_ignored(int first, ...); /* never defined */

struct dftrace_value {
    int unused;
};
#endif

typedef uint32_t dftrace_track;

#define DFTRACE_IMPL_IGNORE(...) ((void)sizeof(dftrace_impl_ignored(0, __VA_ARGS__)))

#define DFTRACE_SCOPE(...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define DFTRACE_SCOPE_IN(...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define DFTRACE_SCOPE_AS(variable, ...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define dftrace_add(variable, ...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define dftrace_begin(...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define dftrace_begin_in(...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define dftrace_instant(...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define dftrace_instant_in(...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define dftrace_counter(...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define dftrace_counter_in(...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define dftrace_counter_add(...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define dftrace_counter_add_in(...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define dftrace_begin_on(...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define dftrace_begin_on_in(...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define dftrace_instant_on(...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define dftrace_instant_on_in(...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define dftrace_metadata(...) DFTRACE_IMPL_IGNORE(__VA_ARGS__)
#define DFTRACE_LIST(...) dftrace_impl_ignored(0, __VA_ARGS__)
#define DFTRACE_MAP(...) dftrace_impl_ignored(0, __VA_ARGS__)

#ifdef __cplusplus
#define DFTRACE_IMPL_NOTHING dftrace::nothing()
#else
#define DFTRACE_IMPL_NOTHING ((struct dftrace_value){0})
#endif

#define dftrace_value(...) (DFTRACE_IMPL_IGNORE(__VA_ARGS__), DFTRACE_IMPL_NOTHING)
#define dftrace_pair(...) (DFTRACE_IMPL_IGNORE(__VA_ARGS__), DFTRACE_IMPL_NOTHING)
#define dftrace_list_of(...) (DFTRACE_IMPL_IGNORE(__VA_ARGS__), DFTRACE_IMPL_NOTHING)
#define dftrace_map_of(...) (DFTRACE_IMPL_IGNORE(__VA_ARGS__), DFTRACE_IMPL_NOTHING)

#define dftrace_track_new(name) (DFTRACE_IMPL_IGNORE(name), (dftrace_track)0)
#define dftrace_track_new_in(parent, name) (DFTRACE_IMPL_IGNORE(parent, name), (dftrace_track)0)
#define dftrace_end_on(track) DFTRACE_IMPL_IGNORE(track)
#define dftrace_end() ((void)0)
#define dftrace_flow_begin() ((uint64_t)0)
#define dftrace_flow_step(id) DFTRACE_IMPL_IGNORE(id)
#define dftrace_flow_end(id) DFTRACE_IMPL_IGNORE(id)
#define dftrace_fiber_switch(id) DFTRACE_IMPL_IGNORE(id)
#define dftrace_fiber_end(id) DFTRACE_IMPL_IGNORE(id)
#define dftrace_thread_name(name) DFTRACE_IMPL_IGNORE(name)
#define dftrace_flush() ((void)0)
#define dftrace_pause() ((void)0)
#define dftrace_resume() ((void)0)
#define dftrace_enable(what) DFTRACE_IMPL_IGNORE(what)
#define dftrace_disable(what) DFTRACE_IMPL_IGNORE(what)

#ifdef __cplusplus
}
#endif
#endif
