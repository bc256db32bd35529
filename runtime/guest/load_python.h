/* Traces functions of Python, if this process contains a Python interpreter. */
#ifndef DFT_RUNTIME_GUEST_LOAD_PYTHON_H
#define DFT_RUNTIME_GUEST_LOAD_PYTHON_H

/*
 * Called by the constructor of the library if tracing is on. While not holding the library's lock:
 * it calls the dynamic loader.
 */
void dft_load_python(void);

#endif
