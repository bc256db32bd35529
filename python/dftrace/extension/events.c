/* Instants, counters, flows and metadata. Called with the interpreter's lock held. */
#include "arguments.h"
#include "module.h"
#include "runtime.h"

#include <string.h>

PyDoc_STRVAR(instant_doc, "instant(name, category=None, /, **values)\n--\n\nMarks this moment.");

static PyObject *instant(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                         PyObject *keywords)
{
    struct dft_py_values values;
    struct dft_py_call call;
    uint32_t used;

    (void)self;
    if (!dft_py_take_call(&call, "instant", arguments, count, keywords))
        return NULL;
    struct dftrace_event *event = dft_py_find_event(call.name, call.category);
    if (!event->site.on)
        return dft_py_none();
    dft_py_values_clear(&values);
    const struct dftrace_value *first = dft_py_values_of_call(&values, &call, &used);
    dft_py_runtime.event_instant(event, first, used);
    return dft_py_none();
}

/* --- counters ------------------------------------------------------------------------------- */

struct counter_call {
    PyObject *given[4]; /* name, value, unit, category; NULL: not passed */
    const char *name, *unit, *category;
    struct dftrace_value value;
    struct dft_py_copies copies;
};

/* By its position or by its keyword. */
static bool place_keyword(struct counter_call *call, const char *function, PyObject *keyword,
                          PyObject *value)
{
    static const char *const names[] = {"unit", "category"};

    for (int i = 0; i < 2; i++)
        if (PyUnicode_CompareWithASCIIString(keyword, names[i]) == 0 && !call->given[2 + i]) {
            call->given[2 + i] = value;
            return true;
        }
    PyErr_Format(PyExc_TypeError, "dftrace.%s(): '%U' is no parameter, or was passed twice",
                 function, keyword);
    return false;
}

static bool place_arguments(struct counter_call *call, const char *function,
                            PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)
{
    Py_ssize_t named = keywords ? PyTuple_Size(keywords) : 0;

    memset(call->given, 0, sizeof call->given);
    if (count < 2 || count > 4) {
        PyErr_Format(PyExc_TypeError,
                     "dftrace.%s() takes a name and a value, perhaps a unit and a category",
                     function);
        return false;
    }
    memcpy(call->given, arguments, (size_t)count * sizeof *arguments);
    for (Py_ssize_t i = 0; i < named; i++)
        if (!place_keyword(call, function, PyTuple_GetItem(keywords, i), arguments[count + i]))
            return false;
    return true;
}

static bool take_counter(struct counter_call *call, const char *function)
{
    PyObject *const *given = call->given;

    call->copies.used = 0;
    if (!dft_py_name_argument(&call->copies, function, given[0], &call->name) ||
        !dft_py_optional_argument(&call->copies, function, "unit", given[2], &call->unit) ||
        !dft_py_optional_argument(&call->copies, function, "category", given[3], &call->category))
        return false;
    return dft_py_number(given[1], &call->value) ||
           dft_py_refuse(function, "value", "a float, or an int of at most 64 bits", given[1]);
}

static PyObject *count_value(struct counter_call *call, const char *function, bool is_added)
{
    if (!take_counter(call, function))
        return NULL;
    struct dftrace_event *event = dft_py_runtime_event(call->name, call->category, call->unit);
    if (event->site.on)
        dft_py_runtime.event_counter(event, &call->value, is_added);
    return dft_py_none();
}

PyDoc_STRVAR(counter_doc, "counter(name, value, /, unit=None, category=None)\n--\n\n"
                          "The value of a counter from now on.");

static PyObject *counter(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                         PyObject *keywords)
{
    struct counter_call call;

    (void)self;
    return place_arguments(&call, "counter", arguments, count, keywords)
               ? count_value(&call, "counter", false)
               : NULL;
}

PyDoc_STRVAR(counter_add_doc, "counter_add(name, value, /, unit=None, category=None)\n--\n\n"
                              "Adds to a counter. All threads add to the same counter.");

static PyObject *counter_add(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                             PyObject *keywords)
{
    struct counter_call call;

    (void)self;
    return place_arguments(&call, "counter_add", arguments, count, keywords)
               ? count_value(&call, "counter_add", true)
               : NULL;
}

/* --- flows ---------------------------------------------------------------------------------- */

PyDoc_STRVAR(flow_begin_doc,
             "flow_begin()\n--\n\n"
             "Begins an arrow from the region that is open here. Returns its id, an int\n"
             "that is never given out twice, in any process; 0 if nothing is recorded.");

static PyObject *flow_begin(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return PyLong_FromUnsignedLongLong(dft_py_runtime.is_there ? dft_py_runtime.flow('s', 0) : 0);
}

static PyObject *go_on(char phase, const char *function, PyObject *id)
{
    struct dftrace_value number;

    if (!PyLong_Check(id) || !dft_py_number(id, &number) ||
        (number.type == DFTRACE_TYPE_INT && number.as.number < 0)) {
        (void)dft_py_refuse(function, "id", "an int that flow_begin() has returned", id);
        return NULL;
    }
    if (dft_py_runtime.is_there)
        (void)dft_py_runtime.flow(phase, number.as.bits);
    return dft_py_none();
}

PyDoc_STRVAR(flow_step_doc,
             "flow_step(id, /)\n--\n\nLeads the arrow through the region that is open here.");

static PyObject *flow_step(PyObject *self, PyObject *id)
{
    (void)self;
    return go_on('t', "flow_step", id);
}

PyDoc_STRVAR(flow_end_doc,
             "flow_end(id, /)\n--\n\nEnds the arrow in the region that is open here.");

static PyObject *flow_end(PyObject *self, PyObject *id)
{
    (void)self;
    return go_on('f', "flow_end", id);
}

/* --- metadata and names --------------------------------------------------------------------- */

PyDoc_STRVAR(metadata_doc, "metadata(key, value, /)\n--\n\nWhat is true of the whole process.");

static PyObject *metadata(PyObject *self, PyObject *const *arguments, Py_ssize_t given)
{
    struct dft_py_values values;

    (void)self;
    if (given != 2) {
        PyErr_SetString(PyExc_TypeError, "dftrace.metadata() takes a key and a value");
        return NULL;
    }
    if (!PyUnicode_Check(arguments[0])) {
        (void)dft_py_refuse("metadata", "key", "a str", arguments[0]);
        return NULL;
    }
    if (!dft_py_runtime.is_there)
        return dft_py_none();
    dft_py_values_clear(&values);
    const char *key = dft_py_name(&values.copies, arguments[0]);
    struct dftrace_value value = dft_py_value(&values, key, arguments[1]);
    dft_py_runtime.metadata(&value);
    return dft_py_none();
}

PyDoc_STRVAR(thread_name_doc, "thread_name(name, /)\n--\n\nThe name of this thread in the trace.");

static PyObject *thread_name(PyObject *self, PyObject *name)
{
    struct dft_py_copies copies;
    const char *text;

    (void)self;
    copies.used = 0;
    if (!dft_py_name_argument(&copies, "thread_name", name, &text))
        return NULL;
    if (dft_py_runtime.is_there)
        dft_py_runtime.thread_name(text);
    return dft_py_none();
}

PyMethodDef dft_py_event_functions[] = {
    {"instant", DFT_PY_FUNCTION(instant), METH_FASTCALL | METH_KEYWORDS, instant_doc},
    {"counter", DFT_PY_FUNCTION(counter), METH_FASTCALL | METH_KEYWORDS, counter_doc},
    {"counter_add", DFT_PY_FUNCTION(counter_add), METH_FASTCALL | METH_KEYWORDS, counter_add_doc},
    {"flow_begin", flow_begin, METH_NOARGS, flow_begin_doc},
    {"flow_step", flow_step, METH_O, flow_step_doc},
    {"flow_end", flow_end, METH_O, flow_end_doc},
    {"metadata", DFT_PY_FUNCTION(metadata), METH_FASTCALL, metadata_doc},
    {"thread_name", thread_name, METH_O, thread_name_doc},
    {NULL, NULL, 0, NULL},
};
