/* The runtime's functions, which are found at run time: the extension is not linked with it. */
#ifndef DFT_PYTHON_EXTENSION_RUNTIME_H
#define DFT_PYTHON_EXTENSION_RUNTIME_H

#include <dftrace/events.h>

#include <stdbool.h>

#define DFT_PY_RUNTIME(X)                                                                          \
    X(event_find_unit, __dftrace_event_find_unit)                                                  \
    X(region_enter, __dftrace_region_enter)                                                        \
    X(region_values, __dftrace_region_values)                                                      \
    X(region_exit, __dftrace_region_exit)                                                          \
    X(region_past, __dftrace_region_past)                                                          \
    X(now, __dftrace_now)                                                                          \
    X(event_instant, __dftrace_event_instant)                                                      \
    X(event_counter, __dftrace_event_counter)                                                      \
    X(track_new, __dftrace_track_new)                                                              \
    X(track_begin, __dftrace_track_begin)                                                          \
    X(track_end, __dftrace_track_end)                                                              \
    X(track_instant, __dftrace_track_instant)                                                      \
    X(flow, __dftrace_flow)                                                                        \
    X(metadata, __dftrace_metadata)                                                                \
    X(thread_name, __dftrace_thread_name)                                                          \
    X(log_file, __dftrace_log_file)                                                                \
    X(first, __dftrace_first)                                                                      \
    X(flush, __dftrace_flush)                                                                      \
    X(pause, __dftrace_pause)                                                                      \
    X(resume, __dftrace_resume)                                                                    \
    X(turn, __dftrace_switch)

#define DFT_PY_RUNTIME_FIELD(field, function) __typeof__(function) *field;

/* All functions are there, or none. Set before the module's functions can be called. */
struct dft_py_runtime {
    bool is_there;
    DFT_PY_RUNTIME(DFT_PY_RUNTIME_FIELD)
};

extern struct dft_py_runtime dft_py_runtime;

/* For a new module: looks for the functions in the process. */
void dft_py_runtime_begin(void);

/* Loads the library with this path and looks again. */
bool dft_py_runtime_load(const char *path);

/* The event with this name; one that is off and has no name if the program is not traced. */
struct dftrace_event *dft_py_runtime_event(const char *name, const char *category,
                                           const char *unit);

#endif
