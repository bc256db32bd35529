/* Python's headers, as every file of this folder includes them: the limited API of 3.11, so that one binary serves all
   later versions. Nothing here uses Py_INCREF and its relatives: the layout of reference counts differs between
   versions, their functions do not. */
#ifndef DFTRACE_PYTHON_PYTHON_H
#define DFTRACE_PYTHON_PYTHON_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#endif
