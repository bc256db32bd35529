/* The steps of a coroutine or generator, each of them in a region. */
#ifndef DFT_PYTHON_EXTENSION_STEPS_H
#define DFT_PYTHON_EXTENSION_STEPS_H

#include "python.h"

/* make_steps(region, object), for decorate.py */
PyObject *dft_py_make_steps(PyObject *self, PyObject *arguments);

#endif
