/* Python's audit events tell us which code objects are about to be executed. */
#ifndef DFT_PYTHON_AUDIT_H
#define DFT_PYTHON_AUDIT_H

#include <stdbool.h>

/*
 * Begins to listen, now and whenever the program initializes the interpreter again. Called before the
 * interpreter is initialized. False: the interpreter refuses.
 */
bool dft_py_audit_begin(void);

#endif
