/* The type of probes. Hooks run on every thread that runs Python code and holds the interpreter's lock.

   A code object with probes may be marshalled, pickled or copied by the program. Marshal sees a bytes-like object without
   bytes, pickle gets b"". Both are false, and equal to no tuple: where dftrace is missing, the hooks do nothing.

   There is one type for each interpreter: those with a lock of their own must not share a reference count. */
#include "python/rewrite/probe.h"

struct probe {
    PyObject ob_base;
    void (*hook)(void *data);
    void (*values)(void *data, PyObject *tuple);
    void *data;
};

static const char type_key[] = "dftrace probe type";

static int ask_truth(PyObject *self)
{
    const struct probe *probe = (const struct probe *)self;
    probe->hook(probe->data);
    return 1;
}

static void ignore_hook(void *data)
{
    (void)data;
}

static PyObject *compare(PyObject *self, PyObject *other, int operation)
{
    const struct probe *probe = (const struct probe *)self;
    if (operation == Py_EQ && probe->values && Py_IS_TYPE(other, &PyTuple_Type)) {
        probe->values(probe->data, other);
        Py_IncRef(Py_False);
        return Py_False;
    }
    Py_IncRef(Py_NotImplemented);
    return Py_NotImplemented;
}

/* A type that compares needs a hash function of its own: code objects hash their constants. */
static Py_hash_t hash(PyObject *self)
{
    Py_hash_t value = (Py_hash_t)((uintptr_t)self >> 4);
    return value == -1 ? -2 : value;
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    static char nothing[1];
    return PyBuffer_FillInfo(view, self, nothing, 0, 1, flags);
}

static PyObject *reduce(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    return Py_BuildValue("(O())", (PyObject *)&PyBytes_Type);
}

static PyObject *copy(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    Py_IncRef(self);
    return self;
}

static void destroy(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc free_it = (freefunc)PyType_GetSlot(type, Py_tp_free);
    free_it(self);
    Py_DecRef((PyObject *)type);
}

static PyObject *make_type(void)
{
    static PyMethodDef methods[] = {
        {"__reduce__", reduce, METH_NOARGS, NULL},
        {"__copy__", copy, METH_NOARGS, NULL},
        {"__deepcopy__", copy, METH_O, NULL},
        {NULL, NULL, 0, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)destroy},
        {Py_nb_bool, (void *)ask_truth},
        {Py_tp_richcompare, (void *)compare},
        {Py_tp_hash, (void *)hash},
        {Py_bf_getbuffer, (void *)get_buffer},
        {Py_tp_methods, methods},
        {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "dftrace.probe",
        .basicsize = sizeof(struct probe),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
        .slots = slots,
    };
    return PyType_FromSpec(&spec);
}

/* The current interpreter's type, borrowed; NULL with an exception set. */
static PyTypeObject *find_type(void)
{
    PyObject *dictionary = PyInterpreterState_GetDict(PyInterpreterState_Get());
    if (!dictionary) {
        PyErr_SetString(PyExc_RuntimeError,
                        "dftrace: this interpreter has no dictionary of its own");
        return NULL;
    }
    PyObject *type = PyDict_GetItemString(dictionary, type_key);
    if (type) {
        return (PyTypeObject *)type;
    }
    type = make_type();
    if (!type) {
        return NULL;
    }
    int failed = PyDict_SetItemString(dictionary, type_key, type);
    Py_DecRef(type); /* the dictionary keeps it */
    return failed ? NULL : (PyTypeObject *)type;
}

static PyObject *new_probe(void (*hook)(void *), void (*values)(void *, PyObject *), void *data)
{
    PyTypeObject *type = find_type();
    if (!type) {
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct probe *probe = (struct probe *)allocate(type, 0);
    if (probe) {
        probe->hook = hook;
        probe->values = values;
        probe->data = data;
    }
    return (PyObject *)probe;
}

PyObject *dft_py_probe_new_hook(void (*hook)(void *data), void *data)
{
    return new_probe(hook, NULL, data);
}

PyObject *dft_py_probe_new_values(void (*values)(void *data, PyObject *tuple), void *data)
{
    return new_probe(ignore_hook, values, data);
}

bool dft_py_probe_check(PyObject *object)
{
    /* Every interpreter's type has the same function, and nothing else has it. */
    return PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_HEAPTYPE) &&
           PyType_GetSlot(Py_TYPE(object), Py_nb_bool) == (void *)ask_truth;
}
