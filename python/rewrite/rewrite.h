/* Rewrites the bytecode of Python functions so that every activation is enclosed by hooks: from its beginning, or from
   where a generator or coroutine resumes, until it returns, yields or ends with an exception. */
#ifndef DFTRACE_PYTHON_REWRITE_REWRITE_H
#define DFTRACE_PYTHON_REWRITE_REWRITE_H

#include "python/python.h"

/* What the hooks are: objects of probe.h. */
struct dft_py_probes {
    PyObject *enter;  /* a hook probe: an activation begins */
    PyObject *resume; /* a hook probe: a later activation of a generator; NULL: `enter` */
    PyObject *leave;  /* a hook probe: an activation ends */
    PyObject *values; /* a values probe: gets the arguments behind `enter`; may be NULL */
    PyObject *
        result; /* a values probe: gets a tuple with what is returned, before `leave`; may be NULL */
};

/* A new code object like `code` in which every activation is enclosed by hooks. NULL with an exception set if something
   failed; NULL without one if this code is left alone: the body of a class or module, code that has hooks already, or a
   shape that is not understood. The caller holds the interpreter's lock and has no exception set. */
PyObject *dft_py_rewrite(PyObject *code, const struct dft_py_probes *probes);

/* Whether this interpreter's bytecode is known, and a check with a sample program has passed. The first call compiles and
   runs that sample; other threads get false while it does so, hence call it before code is to be rewritten. Until imports
   work, the answer is false and nothing is decided. The caller holds the interpreter's lock. Never sets an exception. */
bool dft_py_rewrite_supports(void);

#endif
