/*
 * Parts of Python that are not in its stable ABI, but that all interpreters since 3.11 export and that
 * have not changed.
 */
#ifndef DFT_PYTHON_INTERPRETER_H
#define DFT_PYTHON_INTERPRETER_H

#include "python/python.h"

PyAPI_DATA(PyTypeObject) PyCode_Type;
PyAPI_DATA(PyTypeObject) PyFunction_Type;

/* Both types can have no subtypes. */
static inline bool dft_py_is_code(PyObject *object)
{
    return Py_TYPE(object) == &PyCode_Type;
}

static inline bool dft_py_is_function(PyObject *object)
{
    return Py_TYPE(object) == &PyFunction_Type;
}

static inline PyObject *dft_py_new_reference(PyObject *object)
{
    Py_IncRef(object);
    return object;
}

#endif
