/*
 * Steps: an iterator and awaitable around a coroutine, a generator or an awaitable of an
 * asynchronous generator. Each step runs in a region: from where the object is resumed to where it
 * waits or yields. So regions nest on their thread, whichever other tasks run in between.
 */
#include "steps.h"
#include "module.h"
#include "region.h"

struct steps {
    PyObject_HEAD struct dft_py_region *region;
    PyObject *inner;
    bool has_begun;
};

static PySendResult send_into(PyObject *self, PyObject *value, PyObject **result)
{
    struct steps *steps = (struct steps *)self;

    *result = NULL;
    steps->has_begun = true;
    if (!dft_py_region_begin(steps->region))
        return PYGEN_ERROR;
    PySendResult status = PyIter_Send(steps->inner, value, result);
    dft_py_region_end(steps->region);
    return status;
}

/* What an iterator returns: the value of a return is that of a StopIteration. */
static PyObject *as_iterator(PySendResult status, PyObject *result)
{
    if (status != PYGEN_RETURN)
        return result;
    PyObject *stop = result == Py_None
                         ? PyObject_CallNoArgs(PyExc_StopIteration)
                         : PyObject_CallFunctionObjArgs(PyExc_StopIteration, result, NULL);
    if (stop)
        PyErr_SetObject(PyExc_StopIteration, stop);
    Py_XDECREF(stop);
    Py_DECREF(result);
    return NULL;
}

static PyObject *next(PyObject *self)
{
    PyObject *result;
    PySendResult status = send_into(self, Py_None, &result);

    return as_iterator(status, result);
}

static PyObject *send(PyObject *self, PyObject *value)
{
    PyObject *result;
    PySendResult status = send_into(self, value, &result);

    return as_iterator(status, result);
}

static PyObject *call_in_region(PyObject *self, const char *method, PyObject *arguments)
{
    struct steps *steps = (struct steps *)self;
    PyObject *bound = PyObject_GetAttrString(steps->inner, method);
    PyObject *result = NULL;

    if (!bound)
        return NULL;
    steps->has_begun = true;
    if (dft_py_region_begin(steps->region)) {
        result = PyObject_Call(bound, arguments, NULL);
        dft_py_region_end(steps->region);
    }
    Py_DECREF(bound);
    return result;
}

static PyObject *throw_into(PyObject *self, PyObject *arguments)
{
    return call_in_region(self, "throw", arguments);
}

static PyObject *close_inner(PyObject *self, PyObject *unused)
{
    PyObject *nothing = PyTuple_New(0);
    PyObject *result = nothing ? call_in_region(self, "close", nothing) : NULL;

    (void)unused;
    Py_XDECREF(nothing);
    return result;
}

/* --- making --------------------------------------------------------------------------------- */

PyObject *dft_py_make_steps(PyObject *self, PyObject *arguments)
{
    const struct dft_py_module *module = PyModule_GetState(self);
    PyObject *region, *inner;

    if (!PyArg_ParseTuple(arguments, "O!O", module->region, &region, &inner))
        return NULL;
    struct steps *steps = PyObject_GC_New(struct steps, module->steps);
    if (!steps)
        return NULL;
    steps->region = (struct dft_py_region *)Py_NewRef(region);
    steps->inner = Py_NewRef(inner);
    steps->has_begun = false;
    PyObject_GC_Track(steps);
    return (PyObject *)steps;
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    struct steps *steps = (struct steps *)self;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT(steps->region);
    Py_VISIT(steps->inner);
    return 0;
}

/* Python warns of the coroutine around this one, if that was never awaited. Once is enough. */
static void close_quietly(struct steps *steps)
{
    PyObject *type, *value, *traceback;

    PyErr_Fetch(&type, &value, &traceback);
    PyObject *result = PyObject_CallMethod(steps->inner, "close", NULL);
    if (!result)
        PyErr_Clear();
    Py_XDECREF(result);
    PyErr_Restore(type, value, traceback);
}

static void release(PyObject *self)
{
    struct steps *steps = (struct steps *)self;
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    if (!steps->has_begun)
        close_quietly(steps);
    Py_DECREF(steps->region);
    Py_DECREF(steps->inner);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"send", send, METH_O, NULL},
    {"throw", throw_into, METH_VARARGS, NULL},
    {"close", close_inner, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(type_doc, "The steps of a coroutine or generator that a region decorates.");

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)type_doc},
    {Py_tp_methods, methods},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, next},
    {Py_am_await, PyObject_SelfIter},
    {Py_am_send, send_into},
    {Py_tp_traverse, traverse},
    {Py_tp_dealloc, release},
    {0, NULL},
};

PyType_Spec dft_py_steps_spec = {
    .name = "dftrace.Steps",
    .basicsize = sizeof(struct steps),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};
