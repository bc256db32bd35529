/*
 * Region objects. An object may be used many times, recursively and by many threads at once, so it
 * keeps a list of the regions that are open. An end is matched with the latest begin of the same
 * thread. Called with the interpreter's lock held.
 */
#include "region.h"
#include "arguments.h"
#include "module.h"
#include "runtime.h"

#include <string.h>

#define OPEN_MAX (1u << 20) /* begins without an end; further ones are not recorded */

/* --- begin and end -------------------------------------------------------------------------- */

static bool grow_open(struct dft_py_region *region)
{
    uint32_t size = 2 * region->open_size;
    struct dft_py_open *more = PyMem_Malloc(size * sizeof *more);

    if (!more) {
        PyErr_NoMemory();
        return false;
    }
    memcpy(more, region->open, region->open_count * sizeof *more);
    if (region->open != region->first)
        PyMem_Free(region->open);
    region->open = more;
    region->open_size = size;
    return true;
}

/* The runtime has room for a limited number of names. The others share an event. */
static bool is_shared(const struct dftrace_event *event, PyObject *name)
{
    struct dft_py_copies copies;

    copies.used = 0;
    return event->name &&
           strncmp(event->name, dft_py_name(&copies, name), strlen(event->name)) != 0;
}

static __attribute__((noinline)) void record_values(struct dft_py_region *region, uint64_t token,
                                                    PyObject *dict)
{
    struct dft_py_values values;
    uint32_t count;

    dft_py_values_clear(&values);
    const struct dftrace_value *first = dft_py_values_of_dict(&values, dict, &count);
    dft_py_runtime.region_values(region->event, token, first, count);
}

bool dft_py_region_begin_slowly(struct dft_py_region *region)
{
    uint64_t token = 0;

    if (region->open_count == region->open_size &&
        (region->open_count == OPEN_MAX || !grow_open(region)))
        return region->open_count == OPEN_MAX;
    if (region->is_event_shared)
        /* The runtime takes the name that was looked up last for that of the shared event. */
        region->event = dft_py_find_event(region->name, region->category);
    if (region->event->site.on)
        token = dft_py_runtime.region_enter(region->event);
    if (!token && !region->open_count)
        return true;
    region->open[region->open_count++] = (struct dft_py_open){token, pthread_self()};
    if (token && region->values)
        record_values(region, token, region->values);
    return true;
}

/* The latest begin of this thread; NULL: none. */
static struct dft_py_open *find_own(struct dft_py_region *region)
{
    pthread_t self = pthread_self();

    for (uint32_t i = region->open_count; i > 0; i--)
        if (pthread_equal(region->open[i - 1].thread, self))
            return &region->open[i - 1];
    return NULL;
}

void dft_py_region_end_slowly(struct dft_py_region *region)
{
    struct dft_py_open *own = find_own(region);

    if (!own)
        return;
    if (own->token)
        dft_py_runtime.region_exit(region->event, own->token);
    region->open_count--;
    memmove(own, own + 1, (size_t)(region->open + region->open_count - own) * sizeof *own);
}

/* --- methods -------------------------------------------------------------------------------- */

static PyObject *begin(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (!dft_py_region_begin((struct dft_py_region *)self))
        return NULL;
    return dft_py_none();
}

static PyObject *end(PyObject *self, PyObject *unused)
{
    (void)unused;
    dft_py_region_end((struct dft_py_region *)self);
    return dft_py_none();
}

static PyObject *enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return dft_py_region_begin((struct dft_py_region *)self) ? Py_NewRef(self) : NULL;
}

static PyObject *leave(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    (void)arguments;
    (void)count;
    dft_py_region_end((struct dft_py_region *)self);
    return dft_py_none();
}

static PyObject *set(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    struct dft_py_region *region = (struct dft_py_region *)self;
    struct dft_py_open *own = region->open_count ? find_own(region) : NULL;
    struct dft_py_call call = {.values = arguments, .keywords = names, .category_keyword = -1};
    struct dft_py_values values;
    uint32_t used;

    if (count > 0) {
        PyErr_SetString(PyExc_TypeError,
                        "Region.set() takes only values with keys: set(key=value)");
        return NULL;
    }
    if (!own || !own->token || !names)
        return dft_py_none();
    call.keywords_count = PyTuple_Size(names);
    dft_py_values_clear(&values);
    const struct dftrace_value *first = dft_py_values_of_call(&values, &call, &used);
    dft_py_runtime.region_values(region->event, own->token, first, used);
    return dft_py_none();
}

/* As a decorator. What kinds of functions there are, decorate.py knows. */
static PyObject *call(PyObject *self, PyObject *arguments, PyObject *names)
{
    struct dft_py_module *module = dft_py_module_of(self);
    PyObject *function;

    (void)names;
    if (!PyArg_UnpackTuple(arguments, "Region", 1, 1, &function))
        return NULL;
    if (!module->decorate) {
        PyObject *decorators = PyImport_ImportModule("dftrace.decorate");
        module->decorate = decorators ? PyObject_GetAttrString(decorators, "decorate") : NULL;
        Py_XDECREF(decorators);
        if (!module->decorate)
            return NULL;
    }
    PyObject *is_traced =
        dft_py_region_is_traced((struct dft_py_region *)self) ? Py_True : Py_False;
    return PyObject_CallFunctionObjArgs(module->decorate, self, function, is_traced, NULL);
}

static PyObject *represent(PyObject *self)
{
    const struct dft_py_region *region = (struct dft_py_region *)self;

    return PyUnicode_FromFormat("<dftrace region %R>", region->name);
}

/* --- making --------------------------------------------------------------------------------- */

PyDoc_STRVAR(make_doc,
             "region(name, category=None, /, **values)\n--\n\n"
             "A region of the program, which is recorded each time that the object is used:\n"
             "as a context manager, as a decorator, or by begin() and end(). The values are\n"
             "recorded with each of them. The category may also be passed by its name.");

static PyObject *make(PyObject *self, PyObject *const *arguments, Py_ssize_t count,
                      PyObject *keywords)
{
    const struct dft_py_module *module = PyModule_GetState(self);
    struct dft_py_call call;

    if (!dft_py_take_call(&call, "region", arguments, count, keywords))
        return NULL;
    struct dft_py_region *region = PyObject_GC_New(struct dft_py_region, module->region);
    if (!region)
        return NULL;
    region->event = dft_py_find_event(call.name, call.category);
    region->name = Py_NewRef(call.name);
    region->category = Py_NewRef(call.category ? call.category : Py_None);
    region->values = NULL;
    region->is_event_shared = is_shared(region->event, call.name);
    region->open_count = 0;
    region->open_size = sizeof region->first / sizeof *region->first;
    region->open = region->first;
    if (dft_py_region_is_traced(region) && !dft_py_dict_of_call(&call, &region->values))
        Py_CLEAR(region);
    else
        PyObject_GC_Track(region);
    return (PyObject *)region;
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    struct dft_py_region *region = (struct dft_py_region *)self;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT(region->values);
    return 0;
}

static int clear(PyObject *self)
{
    Py_CLEAR(((struct dft_py_region *)self)->values);
    return 0;
}

static void release(PyObject *self)
{
    struct dft_py_region *region = (struct dft_py_region *)self;
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    (void)clear(self);
    Py_DECREF(region->name);
    Py_DECREF(region->category);
    if (region->open != region->first)
        PyMem_Free(region->open);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

PyDoc_STRVAR(begin_doc, "begin()\n--\n\nBegins a region, which end() ends in the same thread.");
PyDoc_STRVAR(end_doc, "end()\n--\n\nEnds the region that this thread began last with this object.\n"
                      "An end without a begin does nothing.");
PyDoc_STRVAR(set_doc, "set(**values)\n--\n\n"
                      "Adds values to the region that this thread began last with this object.");

static PyMethodDef methods[] = {
    {"begin", begin, METH_NOARGS, begin_doc},
    {"end", end, METH_NOARGS, end_doc},
    {"set", DFT_PY_FUNCTION(set), METH_FASTCALL | METH_KEYWORDS, set_doc},
    {"__enter__", enter, METH_NOARGS, NULL},
    {"__exit__", DFT_PY_FUNCTION(leave), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"name", T_OBJECT, offsetof(struct dft_py_region, name), READONLY, "its name"},
    {"category", T_OBJECT, offsetof(struct dft_py_region, category), READONLY,
     "its category, or None"},
    {NULL, 0, 0, 0, NULL},
};

PyDoc_STRVAR(type_doc, "What region() returns.");

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)type_doc},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_call, call},
    {Py_tp_repr, represent},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_dealloc, release},
    {0, NULL},
};

PyType_Spec dft_py_region_spec = {
    .name = "dftrace.Region",
    .basicsize = sizeof(struct dft_py_region),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

PyMethodDef dft_py_region_functions[] = {
    {"region", DFT_PY_FUNCTION(make), METH_FASTCALL | METH_KEYWORDS, make_doc},
    {NULL, NULL, 0, NULL},
};
