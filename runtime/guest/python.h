/*
 * The interface between the runtime and libdftrace-python.so, which traces functions of Python. Both
 * libraries are from the same build. The runtime loads the library into processes that contain a
 * Python interpreter.
 */
#ifndef DFT_RUNTIME_GUEST_PYTHON_H
#define DFT_RUNTIME_GUEST_PYTHON_H

#include <stdbool.h>

struct dft_python_host {
    /* What DFTRACER_PYTHON permits; both: bytecode where its version is known. */
    bool may_rewrite;                    /* add hooks to the bytecode of functions */
    bool may_monitor;                    /* use sys.monitoring */
    void (*report)(const char *message); /* prints a message to the user, if the log level allows */
};

/* The library's only function; called once, before the interpreter is initialized. */
#define DFT_PYTHON_BEGIN "__dftrace_python_begin"
typedef void dft_python_begin(const struct dft_python_host *host);

#endif
