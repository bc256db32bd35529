/* Tracks, as Track objects. Called with the interpreter's lock held. */
#include "arguments.h"
#include "module.h"
#include "runtime.h"

struct track {
    PyObject_HEAD PyObject *name;
    uint32_t handle; /* 0: the program is not traced, or there is no room */
};

PyDoc_STRVAR(begin_doc, "begin(name, category=None, /, **values)\n--\n\n"
                        "Begins a region on this track, which any thread may end.");

static PyObject *begin(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                       PyObject *keywords)
{
    const struct track *track = (struct track *)self;
    struct dft_py_values values;
    struct dft_py_call call;
    uint32_t used;

    if (!dft_py_take_call(&call, "Track.begin", arguments, count, keywords))
        return NULL;
    if (!track->handle)
        return dft_py_none();
    struct dftrace_event *event = dft_py_find_event(call.name, call.category);
    dft_py_values_clear(&values);
    const struct dftrace_value *first = dft_py_values_of_call(&values, &call, &used);
    dft_py_runtime.track_begin(track->handle, event, first, used);
    return dft_py_none();
}

PyDoc_STRVAR(end_doc, "end()\n--\n\nEnds the region that was begun last on this track.");

static PyObject *end(PyObject *self, PyObject *unused)
{
    const struct track *track = (struct track *)self;

    (void)unused;
    if (track->handle)
        dft_py_runtime.track_end(track->handle);
    return dft_py_none();
}

PyDoc_STRVAR(instant_doc, "instant(name, category=None, /, **values)\n--\n\n"
                          "Marks this moment on this track.");

static PyObject *instant(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                         PyObject *keywords)
{
    const struct track *track = (struct track *)self;
    struct dft_py_values values;
    struct dft_py_call call;
    uint32_t used;

    if (!dft_py_take_call(&call, "Track.instant", arguments, count, keywords))
        return NULL;
    if (!track->handle)
        return dft_py_none();
    struct dftrace_event *event = dft_py_find_event(call.name, call.category);
    if (!event->site.on)
        return dft_py_none();
    dft_py_values_clear(&values);
    const struct dftrace_value *first = dft_py_values_of_call(&values, &call, &used);
    dft_py_runtime.track_instant(track->handle, event, first, used);
    return dft_py_none();
}

static PyObject *represent(PyObject *self)
{
    return PyUnicode_FromFormat("<dftrace track %R>", ((struct track *)self)->name);
}

/* --- making --------------------------------------------------------------------------------- */

PyDoc_STRVAR(make_doc,
             "track(name, parent=None)\n--\n\n"
             "A row of the trace that is no thread: a device, a queue, a request, a task.\n"
             "The same name in the same parent is the same track.");

static PyObject *make(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"name", "parent", NULL};
    const struct dft_py_module *module = PyModule_GetState(self);
    PyObject *name, *parent = Py_None;
    struct dft_py_copies copies;
    const char *text;

    copies.used = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O:dftrace.track", names, &name,
                                     &parent) ||
        !dft_py_name_argument(&copies, "track", name, &text))
        return NULL;
    if (parent != Py_None && !Py_IS_TYPE(parent, module->track)) {
        (void)dft_py_refuse("track", "parent", "a Track or None", parent);
        return NULL;
    }
    struct track *track = PyObject_New(struct track, module->track);
    if (!track)
        return NULL;
    uint32_t outer = parent == Py_None ? 0 : ((struct track *)parent)->handle;
    track->handle = dft_py_runtime.is_there ? dft_py_runtime.track_new(outer, text) : 0;
    track->name = Py_NewRef(name);
    return (PyObject *)track;
}

static void release(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    Py_DECREF(((struct track *)self)->name);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"begin", DFT_PY_FUNCTION(begin), METH_FASTCALL | METH_KEYWORDS, begin_doc},
    {"end", end, METH_NOARGS, end_doc},
    {"instant", DFT_PY_FUNCTION(instant), METH_FASTCALL | METH_KEYWORDS, instant_doc},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"name", T_OBJECT, offsetof(struct track, name), READONLY, "its name"},
    {NULL, 0, 0, 0, NULL},
};

PyDoc_STRVAR(type_doc, "What track() returns.");

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)type_doc}, {Py_tp_methods, methods}, {Py_tp_members, members},
    {Py_tp_repr, represent},       {Py_tp_dealloc, release}, {0, NULL},
};

PyType_Spec dft_py_track_spec = {
    .name = "dftrace.Track",
    .basicsize = sizeof(struct track),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

PyMethodDef dft_py_track_functions[] = {
    {"track", DFT_PY_FUNCTION(make), METH_VARARGS | METH_KEYWORDS, make_doc},
    {NULL, NULL, 0, NULL},
};
