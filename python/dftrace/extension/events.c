/* Instants, counters, flows and metadata. Called with the interpreter's lock held. */
#include "arguments.h"
#include "module.h"
#include "runtime.h"

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
        Py_RETURN_NONE;
    dft_py_values_clear(&values);
    const struct dftrace_value *first = dft_py_values_of_call(&values, &call, &used);
    dft_py_runtime.event_instant(event, first, used);
    Py_RETURN_NONE;
}

/* --- counters ------------------------------------------------------------------------------- */

struct counter_call {
    const char *name, *unit, *category;
    struct dftrace_value value;
    struct dft_py_copies copies;
};

static bool take_counter(struct counter_call *call, const char *function, PyObject *arguments,
                         PyObject *keywords)
{
    static char *names[] = {"", "", "unit", "category", NULL};
    PyObject *name, *value, *unit = NULL, *category = NULL;

    call->copies.used = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|OO", names, &name, &value, &unit,
                                     &category) ||
        !dft_py_name_argument(&call->copies, function, name, &call->name) ||
        !dft_py_optional_argument(&call->copies, function, "unit", unit, &call->unit) ||
        !dft_py_optional_argument(&call->copies, function, "category", category, &call->category))
        return false;
    return dft_py_number(value, &call->value) ||
           dft_py_refuse(function, "value", "float, or an int of at most 64 bits", value);
}

static PyObject *count(const char *function, PyObject *arguments, PyObject *keywords, bool is_added)
{
    struct counter_call call;

    if (!take_counter(&call, function, arguments, keywords))
        return NULL;
    struct dftrace_event *event = dft_py_runtime_event(call.name, call.category, call.unit);
    if (event->site.on)
        dft_py_runtime.event_counter(event, &call.value, is_added);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(counter_doc, "counter(name, value, /, unit=None, category=None)\n--\n\n"
                          "The value of a counter from now on.");

static PyObject *counter(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    (void)self;
    return count("counter", arguments, keywords, false);
}

PyDoc_STRVAR(counter_add_doc, "counter_add(name, value, /, unit=None, category=None)\n--\n\n"
                              "Adds to a counter. All threads add to the same counter.");

static PyObject *counter_add(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    (void)self;
    return count("counter_add", arguments, keywords, true);
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
        (void)dft_py_refuse(function, "id", "int that flow_begin() has returned", id);
        return NULL;
    }
    if (dft_py_runtime.is_there)
        (void)dft_py_runtime.flow(phase, number.as.bits);
    Py_RETURN_NONE;
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
        (void)dft_py_refuse("metadata", "key", "str", arguments[0]);
        return NULL;
    }
    if (!dft_py_runtime.is_there)
        Py_RETURN_NONE;
    dft_py_values_clear(&values);
    const char *key = dft_py_name(&values.copies, arguments[0]);
    struct dftrace_value value = dft_py_value(&values, key, arguments[1]);
    dft_py_runtime.metadata(&value);
    Py_RETURN_NONE;
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
    Py_RETURN_NONE;
}

PyMethodDef dft_py_event_functions[] = {
    {"instant", DFT_PY_FUNCTION(instant), METH_FASTCALL | METH_KEYWORDS, instant_doc},
    {"counter", DFT_PY_FUNCTION(counter), METH_VARARGS | METH_KEYWORDS, counter_doc},
    {"counter_add", DFT_PY_FUNCTION(counter_add), METH_VARARGS | METH_KEYWORDS, counter_add_doc},
    {"flow_begin", flow_begin, METH_NOARGS, flow_begin_doc},
    {"flow_step", flow_step, METH_O, flow_step_doc},
    {"flow_end", flow_end, METH_O, flow_end_doc},
    {"metadata", DFT_PY_FUNCTION(metadata), METH_FASTCALL, metadata_doc},
    {"thread_name", thread_name, METH_O, thread_name_doc},
    {NULL, NULL, 0, NULL},
};
