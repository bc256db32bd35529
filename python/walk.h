/* Hooks into the functions of a module, or of anything else that is about to be executed. */
#ifndef DFT_PYTHON_WALK_H
#define DFT_PYTHON_WALK_H

#include "python/state.h"

/* The code object is about to be executed. Leaves no error behind. */
void dft_py_walk_executed(PyObject *code);

/*
 * The same for the code object of a function that exists already. `replaced` is a dictionary that notes
 * which code objects have been replaced; afterwards, dft_py_walk_replacement returns the code object
 * that a function with `code` should have, borrowed, or NULL.
 */
void dft_py_walk_function(struct dft_py_state *state, PyObject *code, PyObject *module,
                          PyObject *replaced);
PyObject *dft_py_walk_replacement(PyObject *replaced, PyObject *code);

/* Functions that were not wanted may be wanted now. */
void dft_py_walk_again(void);

#endif
