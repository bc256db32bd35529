/* Texts of Python as texts of the runtime. */
#ifndef DFT_PYTHON_EXTENSION_TEXT_H
#define DFT_PYTHON_EXTENSION_TEXT_H

#include "python.h"

#define DFT_PY_TEXT_MAX 1100 /* bytes of a copied text; events have room for less */

/* Room for the copies of one event's texts. Most texts need none: they are UTF-8 already. */
struct dft_py_copies {
    size_t used; /* 0 at first */
    char bytes[4 * DFT_PY_TEXT_MAX];
};

/*
 * A str as a name or key: UTF-8 that ends with a NUL. What UTF-8 cannot represent, and NULs, become
 * '?'. Valid as long as the str and the copies are. Never NULL, and never raises.
 */
const char *dft_py_name(struct dft_py_copies *copies, PyObject *text);

/* A str as a value, which may contain NULs. */
const char *dft_py_text(struct dft_py_copies *copies, PyObject *text, size_t *size);

/* A copy that ends with a NUL. It is cut if there is no room for all; `size` becomes its length. */
const char *dft_py_copy(struct dft_py_copies *copies, const char *text, size_t *size);

/*
 * Arguments of a function: a name, and another text that may be None or NULL, which is NULL then.
 * False with a TypeError set, as dft_py_refuse sets it.
 */
bool dft_py_name_argument(struct dft_py_copies *copies, const char *function, PyObject *argument,
                          const char **name);
bool dft_py_optional_argument(struct dft_py_copies *copies, const char *function, const char *what,
                              PyObject *argument, const char **text);
bool dft_py_refuse(const char *function, const char *what, const char *wanted, PyObject *argument);

#endif
