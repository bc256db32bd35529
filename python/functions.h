/* The functions that the allowlist names. */
#ifndef DFT_PYTHON_FUNCTIONS_H
#define DFT_PYTHON_FUNCTIONS_H

#include "dftrace/guest.h"
#include "python/state.h"

/*
 * One function of the source. Code objects that are made again (importlib.reload, exec in a loop)
 * share it. Lives as long as the process.
 */
struct dft_py_function {
    struct dftrace_site *site;
    struct dftrace_site *resumed; /* for the later activations of a generator or coroutine */
    bool has_task;                /* the task of asyncio is recorded for each activation */
    char *parameters;             /* names, each with its NUL, and an empty one behind them */
    struct dft_py_function *next;
    uint64_t hash;
    size_t length; /* of the key */
    char key[];
};

/* Where a code object belongs: known once for all functions of a module. */
struct dft_py_place {
    const char *module; /* UTF-8 */
    const char *file;
};

/*
 * The function of this code object; NULL, without an error, if the allowlist does not name it. The
 * code object must be that of a function, see dft_py_is_traceable.
 */
struct dft_py_function *dft_py_functions_find(const struct dft_py_state *state, PyObject *code,
                                              const struct dft_py_place *place);

/* Whether code objects with these flags (co_flags) are functions: not modules, not classes. */
bool dft_py_is_traceable(long flags);
bool dft_py_is_resumable(long flags);

/* A child of fork has one thread, which does not hold the lock of the table. */
void dft_py_functions_init(void);

#endif
