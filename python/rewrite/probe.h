/* Probes: objects that rewritten bytecode contains as constants. An instruction that asks for the truth of a hook probe,
   or compares a values probe with a tuple, calls a C function. That is the cheapest way from bytecode to C. */
#ifndef DFTRACE_PYTHON_REWRITE_PROBE_H
#define DFTRACE_PYTHON_REWRITE_PROBE_H

#include "python/python.h"

/* A probe that calls `hook` with `data` when its truth is asked for. `hook` must preserve errno and any Python exception.
   Returns a new reference; NULL with an exception set if there is no memory. */
PyObject *dft_py_probe_new_hook(void (*hook)(void *data), void *data);

/* A probe that calls `values` with a borrowed tuple when it is compared with one. */
PyObject *dft_py_probe_new_values(void (*values)(void *data, PyObject *tuple), void *data);

/* Whether an object is a probe of the current interpreter. Never sets an exception. */
bool dft_py_probe_check(PyObject *object);

#endif
