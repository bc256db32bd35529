/* What the library keeps for each interpreter of the process. */
#ifndef DFT_PYTHON_STATE_H
#define DFT_PYTHON_STATE_H

#include "python/interpreter.h"

/* Names of attributes, as text objects that every lookup can compare by address. */
#define DFT_PY_NAMES(NAME)                                                                         \
    NAME(__code__)                                                                                 \
    NAME(__file__)                                                                                 \
    NAME(__name__)                                                                                 \
    NAME(__module__)                                                                               \
    NAME(_name)                                                                                    \
    NAME(args)                                                                                     \
    NAME(co_argcount)                                                                              \
    NAME(co_cellvars)                                                                              \
    NAME(co_consts)                                                                                \
    NAME(co_filename)                                                                              \
    NAME(co_firstlineno)                                                                           \
    NAME(co_flags)                                                                                 \
    NAME(co_kwonlyargcount)                                                                        \
    NAME(co_name)                                                                                  \
    NAME(co_qualname)                                                                              \
    NAME(co_stacksize)                                                                             \
    NAME(co_varnames)                                                                              \
    NAME(f_code)                                                                                   \
    NAME(_active)

enum dft_py_name {
#define DFT_PY_CONSTANT(name) DFT_PY_NAME_##name,
    DFT_PY_NAMES(DFT_PY_CONSTANT)
#undef DFT_PY_CONSTANT
        DFT_PY_NAME_COUNT
};

/* How functions get their hooks. */
enum dft_py_way {
    DFT_PY_WAY_UNKNOWN, /* not yet decided */
    DFT_PY_WAY_NONE,    /* from here on, it is decided */
    DFT_PY_WAY_REWRITE,
    DFT_PY_WAY_MONITOR,
};

struct dft_py_state {
    PyObject *names[DFT_PY_NAME_COUNT];
    Py_ssize_t mark;         /* index of our mark in code objects, or -1 */
    Py_ssize_t tuple_offset; /* where the items of a tuple begin; 0: unknown */
    PyObject *import_code;   /* the code of the import system that executes modules, or NULL */
    PyObject *capsule;       /* that owns this state; a borrowed reference */
    enum dft_py_way way;
    PyObject *set_local_events; /* of sys.monitoring; NULL unless that is the way */
    long tool;                  /* our number as a tool of sys.monitoring */
    long local_events;          /* what is reported for watched functions */
};

/* Of the current interpreter; made on the first call. NULL, without an error, if that fails. */
struct dft_py_state *dft_py_state(void);

/* The state that this capsule owns. */
struct dft_py_state *dft_py_state_of(PyObject *capsule);

/* The attribute, as a new reference. NULL, without an error, if there is none. */
PyObject *dft_py_get(const struct dft_py_state *state, PyObject *object, enum dft_py_name name);

/* The same for small numbers; -1 if there is none. */
long dft_py_get_number(const struct dft_py_state *state, PyObject *object, enum dft_py_name name);

#endif
