/* Values of Python as values of the runtime. */
#ifndef DFT_PYTHON_EXTENSION_VALUES_H
#define DFT_PYTHON_EXTENSION_VALUES_H

#include "text.h"

#include <dftrace/events.h>

#define DFT_PY_VALUES_MAX 300 /* of one event, with those in lists and dicts; more do not fit */

/*
 * The values of one event, in the caller's frame: about 14 KB. They refer to the objects that they
 * were made from, so they are valid until other code of Python runs.
 */
struct dft_py_values {
    uint32_t used; /* 0 at first, like copies.used: see dft_py_values_clear */
    struct dft_py_copies copies;
    struct dftrace_value values[DFT_PY_VALUES_MAX];
};

static inline void dft_py_values_clear(struct dft_py_values *all)
{
    all->used = 0;
    all->copies.used = 0;
}

/* Room for values that follow each other, perhaps for fewer than wanted: `*count`. */
struct dftrace_value *dft_py_values_reserve(struct dft_py_values *all, Py_ssize_t wanted,
                                            uint32_t *count);

/* The first of `*count` values. Neither raises nor runs code of the program; nor does the next. */
const struct dftrace_value *dft_py_values_of_dict(struct dft_py_values *all, PyObject *dict,
                                                  uint32_t *count);

/* One value with a key that may be NULL. */
struct dftrace_value dft_py_value(struct dft_py_values *all, const char *key, PyObject *value);

/* A number as the value of a counter. False if it is none, or too large. */
bool dft_py_number(PyObject *object, struct dftrace_value *value);

#endif
