/*
 * Python's limited API of 3.11, so that one binary serves 3.11 and everything later. Vectorcall
 * belongs to the limited API from 3.12 on; 3.11 has the same functions and flag, but its header does
 * not declare them for the limited API.
 */
#ifndef DFT_PYTHON_EXTENSION_PYTHON_H
#define DFT_PYTHON_EXTENSION_PYTHON_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <structmember.h>

#include <stdbool.h>
#include <stdint.h>

typedef PyObject *dft_py_vectorcall(PyObject *callable, PyObject *const *arguments, size_t count,
                                    PyObject *names);

PyObject *PyObject_Vectorcall(PyObject *callable, PyObject *const *arguments, size_t count,
                              PyObject *names);
PyObject *PyVectorcall_Call(PyObject *callable, PyObject *tuple, PyObject *names);

#ifndef Py_TPFLAGS_HAVE_VECTORCALL
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#endif

/* Not Py_RETURN_NONE: the headers of 3.12 and 3.13 rely on None being immortal, which it is not in 3.11. */
static inline PyObject *dft_py_none(void)
{
    return Py_NewRef(Py_None);
}

/* Functions with other parameters than a PyCFunction has; their flags say which. */
#define DFT_PY_FUNCTION(function) ((PyCFunction)(void (*)(void))(function))

#endif
