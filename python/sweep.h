/* Hooks for functions that exist already, when the allowlist of a running program changes. */
#ifndef DFT_PYTHON_SWEEP_H
#define DFT_PYTHON_SWEEP_H

#include <stdbool.h>

/* Called once, before all others. */
void dft_py_sweep_init(void);

/* Asks for a sweep, from any thread. It happens in the main thread, between two instructions. */
void dft_py_sweep_request(void);

/* Whether the interpreter accepts such requests: between its first and its last audit event. */
void dft_py_sweep_permit(bool is_permitted);

#endif
