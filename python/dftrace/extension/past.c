/*
 * Regions that are recorded when they have ended, for the package `dftracer`: its regions may end in
 * any order, and in another thread than they began in. Called with the interpreter's lock held.
 */
#include "arguments.h"
#include "module.h"
#include "runtime.h"

#define ARGUMENTS 6

PyDoc_STRVAR(now_doc, "now()\n--\n\n"
                      "The time for record_past(); 0 if nothing is recorded. Begins the trace\n"
                      "unless it has begun.");

static PyObject *now(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return PyLong_FromUnsignedLongLong(dft_py_runtime.is_there ? dft_py_runtime.now() : 0);
}

static bool take_times(PyObject *const *arguments, struct dftrace_past *past)
{
    past->start = PyLong_AsUnsignedLongLongMask(arguments[2]);
    past->age_ns = PyLong_AsUnsignedLongLongMask(arguments[3]);
    past->duration_ns = PyLong_AsUnsignedLongLongMask(arguments[4]);
    return !PyErr_Occurred();
}

PyDoc_STRVAR(record_past_doc,
             "record_past(name, category, start, age_ns, duration_ns, values, /)\n--\n\n"
             "Records a region from `start` until now; if that is 0, one that began `age_ns`\n"
             "ago. `values` is a dict or None.");

static PyObject *record_past(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    struct dft_py_values values;
    struct dftrace_past past;
    const struct dftrace_value *first = NULL;
    uint32_t used = 0;

    (void)self;
    if (count != ARGUMENTS || !PyUnicode_Check(arguments[0]) || !PyUnicode_Check(arguments[1]) ||
        (arguments[5] != Py_None && !PyDict_Check(arguments[5]))) {
        PyErr_SetString(PyExc_TypeError, "record_past() takes two texts, three times and a dict");
        return NULL;
    }
    if (!take_times(arguments, &past))
        return NULL;
    if (!dft_py_runtime.is_there)
        Py_RETURN_NONE;
    struct dftrace_event *event = dft_py_find_event(arguments[0], arguments[1]);
    if (!event->site.on)
        Py_RETURN_NONE;
    dft_py_values_clear(&values);
    if (arguments[5] != Py_None)
        first = dft_py_values_of_dict(&values, arguments[5], &used);
    dft_py_runtime.region_past(event, &past, first, used);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(is_first_doc, "is_first(id, /)\n--\n\n"
                           "1 if the process asks for this id for the first time, else 0; -1 if\n"
                           "nothing is recorded.");

static PyObject *is_first(PyObject *self, PyObject *id)
{
    uint64_t number = PyLong_AsUnsignedLongLongMask(id);

    (void)self;
    if (PyErr_Occurred())
        return NULL;
    return PyLong_FromLong(dft_py_runtime.is_there ? dft_py_runtime.first(number) : -1);
}

PyDoc_STRVAR(set_log_file_doc,
             "set_log_file(name, /)\n--\n\n"
             "Begins the trace unless it has begun, with this prefix unless the environment\n"
             "has one. The name may be None.");

static PyObject *set_log_file(PyObject *self, PyObject *name)
{
    struct dft_py_copies copies;
    const char *text;

    (void)self;
    copies.used = 0;
    if (!dft_py_optional_argument(&copies, "set_log_file", "name", name, &text))
        return NULL;
    if (dft_py_runtime.is_there)
        dft_py_runtime.log_file(text);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(runtime_is_there_doc,
             "runtime_is_there()\n--\n\nWhether the runtime is loaded in this process.");

static PyObject *runtime_is_there(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return PyBool_FromLong(dft_py_runtime.is_there);
}

PyMethodDef dft_py_past_functions[] = {
    {"now", now, METH_NOARGS, now_doc},
    {"record_past", DFT_PY_FUNCTION(record_past), METH_FASTCALL, record_past_doc},
    {"is_first", is_first, METH_O, is_first_doc},
    {"set_log_file", set_log_file, METH_O, set_log_file_doc},
    {"runtime_is_there", runtime_is_there, METH_NOARGS, runtime_is_there_doc},
    {NULL, NULL, 0, NULL},
};
