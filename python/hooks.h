/* Hooks: how the beginning and the end of a function are noticed. */
#ifndef DFT_PYTHON_HOOKS_H
#define DFT_PYTHON_HOOKS_H

#include "python/functions.h"
#include "python/state.h"

#include "runtime/guest/python.h"

/* Called once, before the interpreter is initialized. */
void dft_py_hooks_init(const struct dft_python_host *host);

/* Whether this interpreter's functions can have hooks. Decided, with a message, on the first call. */
bool dft_py_hooks_begin(struct dft_py_state *state);

/*
 * Gives hooks to a function. Returns the code object that has them, a new reference: another one, or
 * `code` itself. NULL, without an error: the function cannot have hooks.
 */
PyObject *dft_py_hooks_add(const struct dft_py_state *state, PyObject *code,
                           struct dft_py_function *function);

#endif
