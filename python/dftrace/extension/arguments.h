/* The arguments of functions that record events: (name, category=None, /, **values). */
#ifndef DFT_PYTHON_EXTENSION_ARGUMENTS_H
#define DFT_PYTHON_EXTENSION_ARGUMENTS_H

#include "values.h"

/* What was passed. The category may also be passed by its name, so it may be among the keywords. */
struct dft_py_call {
    PyObject *name;
    PyObject *category;      /* a str; NULL: none */
    PyObject *const *values; /* of all keywords */
    PyObject *keywords;      /* a tuple; NULL: none */
    Py_ssize_t keywords_count;
    Py_ssize_t category_keyword; /* its place among the keywords, or -1 */
};

/* Takes vectorcall's arguments apart. False with a TypeError set. `function` is for its message. */
bool dft_py_take_call(struct dft_py_call *call, const char *function, PyObject *const *arguments,
                      Py_ssize_t count, PyObject *keywords);

/* The event with this name and category, which may be NULL or None. */
struct dftrace_event *dft_py_find_event(PyObject *name, PyObject *category);

/* The values, as in values.h. */
const struct dftrace_value *dft_py_values_of_call(struct dft_py_values *all,
                                                  const struct dft_py_call *call, uint32_t *count);

/* The values as a dict. `*dict` is NULL if there are none. False with an exception set. */
bool dft_py_dict_of_call(const struct dft_py_call *call, PyObject **dict);

#endif
