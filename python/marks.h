/*
 * Marks on code objects: which have been looked at, and which functions they are.
 *
 * Interpreters keep a pointer of ours with each code object. The functions for that have other names
 * in newer versions, and no version has them in its stable ABI.
 */
#ifndef DFT_PYTHON_MARKS_H
#define DFT_PYTHON_MARKS_H

#include "python/interpreter.h"

/* Looks up the functions; once, before any other. */
void dft_py_marks_look_up(void);

/* The index of our mark in this interpreter; -1 if code objects cannot be marked. */
Py_ssize_t dft_py_marks_request(void);

/* NULL: not marked, or `index` is -1. */
void *dft_py_marks_get(PyObject *code, Py_ssize_t index);
void dft_py_marks_set(PyObject *code, Py_ssize_t index, void *mark);

#endif
