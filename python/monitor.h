/* Hooks by sys.monitoring, which Python has since 3.12. */
#ifndef DFT_PYTHON_MONITOR_H
#define DFT_PYTHON_MONITOR_H

#include "python/state.h"

/* Becomes a tool of this interpreter. False, without an error, if that is not possible. */
bool dft_py_monitor_begin(struct dft_py_state *state);

/* Watches the code object, and returns it as a new reference; NULL with an error. */
PyObject *dft_py_monitor_add(const struct dft_py_state *state, PyObject *code);

#endif
