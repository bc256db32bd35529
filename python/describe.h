/* What the runtime is told about a function of Python. */
#ifndef DFT_PYTHON_DESCRIBE_H
#define DFT_PYTHON_DESCRIBE_H

#include "dftrace/guest.h"
#include "python/functions.h"

#define DFT_PY_HELD_MAX 4

struct dft_py_description {
    struct dftrace_guest guest;
    PyObject *held[DFT_PY_HELD_MAX]; /* objects that contain texts of `guest` */
    unsigned held_count;
    char *parameters;
    char *locals;
};

/*
 * The names, which are all that the allowlist needs. False, without an error, if there are none. The
 * description must be freed in either case.
 */
bool dft_py_describe_names(const struct dft_py_state *state, PyObject *code,
                           const struct dft_py_place *place,
                           struct dft_py_description *description);

/* The rest. False if there is no memory. */
bool dft_py_describe_variables(const struct dft_py_state *state, PyObject *code, long flags,
                               struct dft_py_description *description);

/*
 * Whether a rule names the function. The answer is always yes for functions that have a name of their
 * own. Lambdas and comprehensions have none: rules for everything in a module or a file do not
 * include them, but the rule `fun:*<lambda>` does. Only for functions that the allowlist names.
 */
bool dft_py_is_named(const struct dft_py_description *description);

void dft_py_description_free(struct dft_py_description *description);

/*
 * UTF-8 of a text, valid as long as the text and *held, a new reference or NULL. Parts that have no
 * UTF-8 become question marks. NULL, without an error, if the object is no text.
 */
const char *dft_py_utf8(PyObject *text, PyObject **held);

#endif
