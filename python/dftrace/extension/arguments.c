/* Arguments. Called with the interpreter's lock held; runs no code of the program. */
#include "arguments.h"
#include "runtime.h"

static bool take_keywords(struct dft_py_call *call, const char *function)
{
    for (Py_ssize_t i = 0; i < call->keywords_count; i++) {
        PyObject *keyword = PyTuple_GetItem(call->keywords, i);
        if (PyUnicode_CompareWithASCIIString(keyword, "category") != 0)
            continue;
        if (call->category) {
            PyErr_Format(PyExc_TypeError, "dftrace.%s(): the category was passed twice", function);
            return false;
        }
        call->category = call->values[i];
        call->category_keyword = i;
    }
    return true;
}

bool dft_py_take_call(struct dft_py_call *call, const char *function, PyObject *const *arguments,
                      Py_ssize_t count, PyObject *keywords)
{
    *call = (struct dft_py_call){.values = arguments + count,
                                 .keywords = keywords,
                                 .keywords_count = keywords ? PyTuple_Size(keywords) : 0,
                                 .category_keyword = -1};
    if (count < 1 || count > 2) {
        PyErr_Format(PyExc_TypeError,
                     "dftrace.%s() takes a name, perhaps a category, and values with keys",
                     function);
        return false;
    }
    call->name = arguments[0];
    call->category = count > 1 ? arguments[1] : NULL;
    if (!take_keywords(call, function))
        return false;
    if (call->category == Py_None)
        call->category = NULL;
    if (!PyUnicode_Check(call->name))
        return dft_py_refuse(function, "name", "a str", call->name);
    return !call->category || PyUnicode_Check(call->category) ||
           dft_py_refuse(function, "category", "a str or None", call->category);
}

struct dftrace_event *dft_py_find_event(PyObject *name, PyObject *category)
{
    struct dft_py_copies copies;

    if (!dft_py_runtime.is_there)
        return dft_py_runtime_event(NULL, NULL, NULL);
    copies.used = 0;
    const char *text = dft_py_name(&copies, name);
    const char *in = category && category != Py_None ? dft_py_name(&copies, category) : NULL;
    return dft_py_runtime_event(text, in, NULL);
}

const struct dftrace_value *dft_py_values_of_call(struct dft_py_values *all,
                                                  const struct dft_py_call *call, uint32_t *count)
{
    Py_ssize_t wanted = call->keywords_count - (call->category_keyword >= 0);
    struct dftrace_value *items = dft_py_values_reserve(all, wanted, count);
    uint32_t used = 0;

    for (Py_ssize_t i = 0; used < *count; i++)
        if (i != call->category_keyword) {
            const char *key = dft_py_name(&all->copies, PyTuple_GetItem(call->keywords, i));
            items[used++] = dft_py_value(all, key, call->values[i]);
        }
    return items;
}

bool dft_py_dict_of_call(const struct dft_py_call *call, PyObject **dict)
{
    *dict = NULL;
    if (call->keywords_count == (call->category_keyword >= 0))
        return true;
    *dict = PyDict_New();
    for (Py_ssize_t i = 0; *dict && i < call->keywords_count; i++)
        if (i != call->category_keyword &&
            PyDict_SetItem(*dict, PyTuple_GetItem(call->keywords, i), call->values[i]) < 0)
            Py_CLEAR(*dict);
    return *dict;
}
