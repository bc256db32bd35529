/* Which module executes a code object. */
#ifndef DFT_PYTHON_MODULE_NAME_H
#define DFT_PYTHON_MODULE_NAME_H

#include "python/state.h"

/*
 * The name of the module that this code object is about to initialize, as a new reference to a text;
 * NULL, without an error, if it is unknown. Called from the `exec` event.
 */
PyObject *dft_py_module_name(struct dft_py_state *state, PyObject *code);

#endif
