/*
 * Values. Called with the interpreter's lock held. Runs no code of the program: reads the contents of
 * Python's own types and their subclasses, and only the name of any other type.
 */
#include "values.h"

#include <stdio.h>
#include <string.h>

#define DEPTH_MAX 8   /* of nested lists and dicts */
#define ITEMS_MAX 100 /* of one list or dict */
#define TYPE_NAME_MAX 200

static struct dftrace_value text_value(const char *key, const char *text, size_t size)
{
    return (struct dftrace_value){.key = key,
                                  .type = DFTRACE_TYPE_TEXT,
                                  .size = size < DFTRACE_TERMINATED ? (uint32_t)size
                                                                    : DFTRACE_TERMINATED - 1,
                                  .as.text = text};
}

/* "<type>", for whatever has no value that can be read without running its code. */
static const char *type_text(struct dft_py_values *all, PyObject *object, size_t *size)
{
    char text[TYPE_NAME_MAX];
    PyObject *name = PyType_GetName(Py_TYPE(object));

    snprintf(text, sizeof text, "<%.*s>", TYPE_NAME_MAX - 4,
             name ? dft_py_name(&all->copies, name) : "?");
    if (!name)
        PyErr_Clear();
    Py_XDECREF(name);
    *size = strlen(text);
    return dft_py_copy(&all->copies, text, size);
}

static struct dftrace_value type_value(struct dft_py_values *all, const char *key, PyObject *object)
{
    size_t size;
    const char *text = type_text(all, object, &size);

    return text_value(key, text, size);
}

/* --- numbers -------------------------------------------------------------------------------- */

/* An int of more than 64 bits, as decimal digits unless there are hundreds of them. */
static struct dftrace_value large_int_value(struct dft_py_values *all, const char *key,
                                            PyObject *object)
{
    Py_ssize_t length;

    if (PyLong_AsDouble(object) == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return type_value(all, key, object);
    }
    PyObject *digits = PyNumber_ToBase(object, 10);
    const char *text = digits ? PyUnicode_AsUTF8AndSize(digits, &length) : NULL;
    struct dftrace_value value;
    if (text) {
        size_t size = (size_t)length;
        text = dft_py_copy(&all->copies, text, &size);
        value = text_value(key, text, size);
    } else {
        PyErr_Clear();
        value = type_value(all, key, object);
    }
    Py_XDECREF(digits);
    return value;
}

static bool read_int(PyObject *object, struct dftrace_value *value)
{
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(object, &overflow);

    value->type = DFTRACE_TYPE_INT;
    value->as.number = number;
    if (overflow <= 0)
        return overflow == 0;
    value->type = DFTRACE_TYPE_UINT;
    value->as.bits = PyLong_AsUnsignedLongLong(object);
    if (!PyErr_Occurred())
        return true;
    PyErr_Clear();
    return false;
}

bool dft_py_number(PyObject *object, struct dftrace_value *value)
{
    memset(value, 0, sizeof *value);
    if (PyFloat_Check(object)) {
        value->type = DFTRACE_TYPE_DOUBLE;
        value->as.real = PyFloat_AsDouble(object);
        return true;
    }
    return PyLong_Check(object) && read_int(object, value);
}

/* --- lists and dicts ------------------------------------------------------------------------ */

struct dftrace_value *dft_py_values_reserve(struct dft_py_values *all, Py_ssize_t wanted,
                                            uint32_t *count)
{
    uint32_t most = DFT_PY_VALUES_MAX - all->used;

    most = most < ITEMS_MAX ? most : ITEMS_MAX;
    *count = wanted < (Py_ssize_t)most ? (uint32_t)wanted : most;
    struct dftrace_value *values = all->values + all->used;
    all->used += *count;
    return values;
}

static struct dftrace_value any_value(struct dft_py_values *all, const char *key, PyObject *object,
                                      unsigned depth);

static struct dftrace_value sequence_value(struct dft_py_values *all, const char *key,
                                           PyObject *object, unsigned depth)
{
    bool is_list = PyList_Check(object);
    Py_ssize_t size = is_list ? PyList_Size(object) : PyTuple_Size(object);
    struct dftrace_value value = {.key = key, .type = DFTRACE_TYPE_LIST};
    struct dftrace_value *items = dft_py_values_reserve(all, size, &value.size);

    for (uint32_t i = 0; i < value.size; i++) {
        PyObject *item = is_list ? PyList_GetItem(object, i) : PyTuple_GetItem(object, i);
        items[i] = any_value(all, NULL, item, depth + 1);
    }
    if (value.size < size && value.size > 0)
        items[value.size - 1] = text_value(NULL, "\xe2\x80\xa6", 3);
    value.as.values = items;
    return value;
}

static const char *key_text(struct dft_py_values *all, PyObject *key)
{
    struct dftrace_value value;
    char digits[32];
    size_t size;

    if (PyUnicode_Check(key))
        return dft_py_name(&all->copies, key);
    if (!PyLong_Check(key) || !read_int(key, &value) || value.type != DFTRACE_TYPE_INT)
        return type_text(all, key, &size);
    snprintf(digits, sizeof digits, "%lld", (long long)value.as.number);
    size = strlen(digits);
    return dft_py_copy(&all->copies, digits, &size);
}

/* The first items of a dict; `count` becomes their number. */
static struct dftrace_value *dict_items(struct dft_py_values *all, PyObject *dict, uint32_t *count,
                                        unsigned depth)
{
    Py_ssize_t position = 0, size = PyDict_Size(dict);
    struct dftrace_value *items = dft_py_values_reserve(all, size, count);
    PyObject *key, *object;

    for (uint32_t i = 0; i < *count && PyDict_Next(dict, &position, &key, &object); i++)
        items[i] = any_value(all, key_text(all, key), object, depth + 1);
    if (*count<size && * count> 0)
        items[*count - 1] = text_value("\xe2\x80\xa6", "\xe2\x80\xa6", 3);
    return items;
}

static struct dftrace_value dict_value(struct dft_py_values *all, const char *key, PyObject *dict,
                                       unsigned depth)
{
    struct dftrace_value value = {.key = key, .type = DFTRACE_TYPE_MAP};

    value.as.values = dict_items(all, dict, &value.size, depth);
    return value;
}

/* --- all types ------------------------------------------------------------------------------ */

static struct dftrace_value str_value(struct dft_py_values *all, const char *key, PyObject *object)
{
    size_t size;
    const char *text = dft_py_text(&all->copies, object, &size);

    return text_value(key, text, size);
}

static struct dftrace_value bytes_value(const char *key, PyObject *object)
{
    char *bytes = NULL;
    Py_ssize_t size = 0;

    PyBytes_AsStringAndSize(object, &bytes, &size);
    return text_value(key, bytes, (size_t)size);
}

static struct dftrace_value any_value(struct dft_py_values *all, const char *key, PyObject *object,
                                      unsigned depth)
{
    struct dftrace_value value = {.key = key};

    if (PyUnicode_Check(object))
        return str_value(all, key, object);
    if (object == Py_True || object == Py_False) {
        value.type = DFTRACE_TYPE_BOOL;
        value.as.number = object == Py_True;
        return value;
    }
    if (PyLong_Check(object) || PyFloat_Check(object)) {
        bool is_number = dft_py_number(object, &value);
        value.key = key;
        return is_number ? value : large_int_value(all, key, object);
    }
    if (object == Py_None)
        return value;
    if (PyBytes_Check(object))
        return bytes_value(key, object);
    if (depth < DEPTH_MAX && (PyList_Check(object) || PyTuple_Check(object)))
        return sequence_value(all, key, object, depth);
    if (depth < DEPTH_MAX && PyDict_Check(object))
        return dict_value(all, key, object, depth);
    return type_value(all, key, object);
}

struct dftrace_value dft_py_value(struct dft_py_values *all, const char *key, PyObject *value)
{
    return any_value(all, key, value, 0);
}

const struct dftrace_value *dft_py_values_of_dict(struct dft_py_values *all, PyObject *dict,
                                                  uint32_t *count)
{
    return dict_items(all, dict, count, 0);
}
