/* Regions, as Region objects. */
#ifndef DFT_PYTHON_EXTENSION_REGION_H
#define DFT_PYTHON_EXTENSION_REGION_H

#include "python.h"

#include <dftrace/events.h>

#include <pthread.h>

/* A region that has begun: its token, and the thread that began it. */
struct dft_py_open {
    uint64_t token; /* 0: not recorded */
    pthread_t thread;
};

struct dft_py_region {
    PyObject_HEAD struct dftrace_event
        *event; /* the runtime's; without a name if the program is not traced */
    PyObject *name;
    PyObject *category; /* a str or None */
    PyObject *values;   /* of each region, as a dict; NULL: none */
    bool is_event_shared;
    uint32_t open_count, open_size;
    struct dft_py_open *open;    /* those of all threads, in the order in which they began */
    struct dft_py_open first[2]; /* `open` is this array at first */
};

/* Whether regions of this object can ever be recorded. */
static inline bool dft_py_region_is_traced(const struct dft_py_region *region)
{
    return region->event->name;
}

/*
 * Begins a region. False with a MemoryError set. A region that is not recorded must be kept if
 * another one is open, whose end it would take otherwise.
 */
bool dft_py_region_begin_slowly(struct dft_py_region *region);

static inline bool dft_py_region_begin(struct dft_py_region *region)
{
    return (!region->event->site.on && !region->open_count) || dft_py_region_begin_slowly(region);
}

/* Ends the region that this thread began last; nothing if there is none. Keeps the exception. */
void dft_py_region_end_slowly(struct dft_py_region *region);

static inline void dft_py_region_end(struct dft_py_region *region)
{
    if (region->open_count)
        dft_py_region_end_slowly(region);
}

#endif
