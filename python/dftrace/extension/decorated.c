/*
 * Decorated functions: callables that run a function inside a region. A function that returns a
 * coroutine or generator has another callable, `covers`: it gets the result as Steps (steps.c),
 * and returns an object of the same kind.
 *
 * Every attribute that a Decorated does not have itself is the function's. So it has a name, a code
 * object and defaults, by which `inspect` recognizes functions and their kinds.
 */
#include "module.h"
#include "region.h"
#include "steps.h"

struct decorated {
    PyObject_HEAD dft_py_vectorcall *call;
    struct dft_py_region *region;
    PyObject *function;
    PyObject *covers; /* NULL: the result is the function's */
    PyObject *method; /* types.MethodType */
    PyObject *own;    /* its dict */
    PyObject *references;
};

static PyObject *call_plain(PyObject *self, PyObject *const *arguments, size_t count,
                            PyObject *names)
{
    const struct decorated *decorated = (struct decorated *)self;

    if (!dft_py_region_begin(decorated->region))
        return NULL;
    Py_INCREF(self); /* the function may delete what holds it */
    PyObject *result = PyObject_Vectorcall(decorated->function, arguments, count, names);
    dft_py_region_end(decorated->region);
    Py_DECREF(self);
    return result;
}

static PyObject *call_covered(PyObject *self, PyObject *const *arguments, size_t count,
                              PyObject *names)
{
    const struct decorated *decorated = (struct decorated *)self;
    PyObject *covered = NULL;

    Py_INCREF(self);
    PyObject *result = PyObject_Vectorcall(decorated->function, arguments, count, names);
    if (result)
        covered = PyObject_CallFunctionObjArgs(decorated->covers, decorated->region, result, NULL);
    Py_XDECREF(result);
    Py_DECREF(self);
    return covered;
}

static PyObject *get_attribute(PyObject *self, PyObject *name)
{
    PyObject *value = PyObject_GenericGetAttr(self, name);

    if (value || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return value;
    PyErr_Clear();
    return PyObject_GetAttr(((struct decorated *)self)->function, name);
}

/* As a method of an object. Calls such as object.name() do not come here. */
static PyObject *bind(PyObject *self, PyObject *object, PyObject *type)
{
    (void)type;
    if (!object || object == Py_None)
        return Py_NewRef(self);
    return PyObject_CallFunctionObjArgs(((struct decorated *)self)->method, self, object, NULL);
}

static PyObject *represent(PyObject *self)
{
    const struct decorated *decorated = (struct decorated *)self;

    return PyUnicode_FromFormat("<%R of %R>", decorated->region, decorated->function);
}

/* It is pickled and copied as functions are: by its name. */
static PyObject *reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyObject_GetAttrString(self, "__qualname__");
}

/* --- making --------------------------------------------------------------------------------- */

/* What every object has, and would hide the function's. */
static int copy_attributes(PyObject *own, PyObject *function)
{
    static const char *const names[] = {"__doc__", "__module__"};

    if (PyDict_SetItemString(own, "__wrapped__", function) < 0)
        return -1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        PyObject *value = PyObject_GetAttrString(function, names[i]);
        int status = value ? PyDict_SetItemString(own, names[i], value) : 0;
        if (!value)
            PyErr_Clear();
        Py_XDECREF(value);
        if (status < 0)
            return -1;
    }
    return 0;
}

/* make_decorated(region, function, covers, method), for decorate.py */
static PyObject *make(PyObject *self, PyObject *arguments)
{
    const struct dft_py_module *module = PyModule_GetState(self);
    PyObject *region, *function, *covers, *method;

    if (!PyArg_ParseTuple(arguments, "O!OOO", module->region, &region, &function, &covers, &method))
        return NULL;
    struct decorated *made = PyObject_GC_New(struct decorated, module->decorated);
    if (!made)
        return NULL;
    made->call = covers == Py_None ? call_plain : call_covered;
    made->region = (struct dft_py_region *)Py_NewRef(region);
    made->function = Py_NewRef(function);
    made->covers = covers == Py_None ? NULL : Py_NewRef(covers);
    made->method = Py_NewRef(method);
    made->own = PyDict_New();
    made->references = NULL;
    if (!made->own || copy_attributes(made->own, function) < 0)
        Py_CLEAR(made);
    else
        PyObject_GC_Track(made);
    return (PyObject *)made;
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    struct decorated *decorated = (struct decorated *)self;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT(decorated->region);
    Py_VISIT(decorated->function);
    Py_VISIT(decorated->covers);
    Py_VISIT(decorated->method);
    Py_VISIT(decorated->own);
    return 0;
}

/* The function stays: a call may be going on, or follow while a cycle is taken apart. */
static int clear(PyObject *self)
{
    Py_CLEAR(((struct decorated *)self)->own);
    return 0;
}

static void release(PyObject *self)
{
    struct decorated *decorated = (struct decorated *)self;
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    if (decorated->references)
        PyObject_ClearWeakRefs(self);
    (void)clear(self);
    Py_DECREF(decorated->region);
    Py_DECREF(decorated->function);
    Py_XDECREF(decorated->covers);
    Py_DECREF(decorated->method);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(struct decorated, call), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(struct decorated, own), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct decorated, references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(type_doc, "A function that a region decorates.");

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)type_doc},   {Py_tp_methods, methods},
    {Py_tp_members, members},        {Py_tp_getset, getters},
    {Py_tp_call, PyVectorcall_Call}, {Py_tp_descr_get, bind},
    {Py_tp_getattro, get_attribute}, {Py_tp_repr, represent},
    {Py_tp_traverse, traverse},      {Py_tp_clear, clear},
    {Py_tp_dealloc, release},        {0, NULL},
};

PyType_Spec dft_py_decorated_spec = {
    .name = "dftrace.Decorated",
    .basicsize = sizeof(struct decorated),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
             Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

PyMethodDef dft_py_decorated_functions[] = {
    {"make_decorated", make, METH_VARARGS, NULL},
    {"make_steps", dft_py_make_steps, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
