/*
 * What hooks call when an activation of a function begins or ends. `function` is a
 * struct dft_py_function. All keep errno, and Python's current exception.
 */
#ifndef DFT_PYTHON_CALLS_H
#define DFT_PYTHON_CALLS_H

#include "python/functions.h"

void dft_py_call_enter(void *function);
void dft_py_call_resume(void *function); /* a later activation of a generator or coroutine */
void dft_py_call_leave(void *function);

/* The same for sys.monitoring, whose callbacks are further away from the interpreter's loop. */
void dft_py_call_enter_monitored(void *function);
void dft_py_call_resume_monitored(void *function);

/* The values of the parameters, in the order of the parameters; the value that is returned. */
void dft_py_call_values(void *function, PyObject *values);
void dft_py_call_result(void *function, PyObject *result);

#endif
