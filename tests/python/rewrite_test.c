/* The Python module _rewrite_test: rewrites functions, and counts what their hooks see. Every thread has a stack of open
   activations: a hook that leaves must leave the innermost one. */
#include "python/rewrite/probe.h"
#include "python/rewrite/rewrite.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

/* Exported by all versions, but declared outside of the limited API. */
extern int PySys_AddAuditHook(int (*hook)(const char *, PyObject *, void *), void *data);

static atomic_llong entered, resumed, left, unmatched, rewritten, refused;
static _Thread_local void **open_calls;
static _Thread_local size_t open_count, open_capacity;
static PyObject *values_log; /* of the interpreter that imported the module */
static volatile unsigned long long last_clock;

static void push(void *site)
{
    if (open_count == open_capacity) {
        size_t capacity = open_capacity ? open_capacity * 2 : 256;
        void **grown = realloc(open_calls, capacity * sizeof *grown);
        if (!grown) {
            abort();
        }
        open_calls = grown;
        open_capacity = capacity;
    }
    open_calls[open_count++] = site;
}

static void count_enter(void *site)
{
    atomic_fetch_add(&entered, 1);
    push(site);
}

static void count_resume(void *site)
{
    atomic_fetch_add(&resumed, 1);
    push(site);
}

static void count_leave(void *site)
{
    atomic_fetch_add(&left, 1);
    if (open_count > 0 && open_calls[open_count - 1] == site) {
        open_count--;
        return;
    }
    atomic_fetch_add(&unmatched, 1);
    for (size_t i = open_count; i-- > 0;) {
        if (open_calls[i] == site) {
            open_count = i;
            return;
        }
    }
}

static void do_nothing(void *site)
{
    (void)site;
}

static void read_clock(void *site)
{
    (void)site;
    last_clock = __rdtsc();
}

static void log_values(void *kind, PyObject *tuple)
{
    PyObject *entry = Py_BuildValue("(sO)", kind, tuple);
    if (!entry || PyList_Append(values_log, entry) < 0) {
        PyErr_Clear();
    }
    if (entry) {
        Py_DecRef(entry);
    }
}

static bool make_probes(const char *mode, bool values, struct dft_py_probes *probes)
{
    void (*enter)(void *) = count_enter, (*resume)(void *) = count_resume;
    void (*leave)(void *) = count_leave;
    if (strcmp(mode, "nothing") == 0) {
        enter = resume = leave = do_nothing;
    } else if (strcmp(mode, "clock") == 0) {
        enter = resume = leave = read_clock;
    }
    void *site = malloc(1); /* its address is its name, for ever */
    *probes = (struct dft_py_probes){
        .enter = dft_py_probe_new_hook(enter, site),
        .resume = dft_py_probe_new_hook(resume, site),
        .leave = dft_py_probe_new_hook(leave, site),
    };
    if (values) {
        probes->values = dft_py_probe_new_values(log_values, "arguments");
        probes->result = dft_py_probe_new_values(log_values, "result");
    }
    return probes->enter && probes->resume && probes->leave;
}

static PyObject *rewrite_code(PyObject *code, const char *mode, bool values)
{
    struct dft_py_probes probes;
    PyObject *made = make_probes(mode, values, &probes) ? dft_py_rewrite(code, &probes) : NULL;
    PyObject *owned[] = {probes.enter, probes.resume, probes.leave, probes.values, probes.result};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        if (owned[i]) {
            Py_DecRef(owned[i]);
        }
    }
    return made;
}

static PyObject *rewrite(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *code;
    const char *mode = "count";
    int values = 0;
    if (!PyArg_ParseTuple(args, "O|sp", &code, &mode, &values)) {
        return NULL;
    }
    PyObject *made = rewrite_code(code, mode, values);
    if (!made && !PyErr_Occurred()) {
        Py_IncRef(Py_None);
        return Py_None;
    }
    return made;
}

static PyTypeObject *code_type;

/* Whether a code object should have been rewritten: it is a function, and has no hooks from an earlier execution. */
static bool is_plain_function(PyObject *code)
{
    PyObject *flags = PyObject_GetAttrString(code, "co_flags");
    PyObject *constants = PyObject_GetAttrString(code, "co_consts");
    bool plain = flags && constants && PyLong_AsLong(flags) & 1;
    for (Py_ssize_t i = 0; plain && i < PyTuple_Size(constants); i++) {
        plain = !dft_py_probe_check(PyTuple_GetItem(constants, i));
    }
    if (flags) {
        Py_DecRef(flags);
    }
    if (constants) {
        Py_DecRef(constants);
    }
    return plain;
}

/* Replaces the functions among a code object's constants, in place: it has not run yet. */
static void rewrite_constants(PyObject *code, Py_ssize_t items_at)
{
    PyObject *constants = PyObject_GetAttrString(code, "co_consts");
    if (!constants) {
        PyErr_Clear();
        return;
    }
    PyObject **items = (PyObject **)((char *)constants + items_at);
    for (Py_ssize_t i = 0, count = PyTuple_Size(constants); i < count; i++) {
        PyObject *item = items[i];
        if (Py_TYPE(item) != code_type) {
            continue;
        }
        rewrite_constants(item, items_at);
        PyObject *made = rewrite_code(item, "count", false);
        if (made) {
            items[i] = made;
            atomic_fetch_add(&rewritten, 1); /* the old object is kept: a function may run it */
        } else {
            atomic_fetch_add(&refused, is_plain_function(item));
            PyErr_Clear();
        }
    }
    Py_DecRef(constants);
}

static int audit(const char *event, PyObject *args, void *items_at)
{
    if (strcmp(event, "exec") == 0 && PyTuple_Size(args) > 0) {
        PyObject *code = PyTuple_GetItem(args, 0);
        if (code && Py_TYPE(code) == code_type) {
            rewrite_constants(code, (Py_ssize_t)items_at);
        }
    }
    return 0;
}

/* From now on, whatever is executed has hooks in all of its functions. */
static PyObject *rewrite_all(PyObject *self, PyObject *sample)
{
    (void)self;
    code_type = Py_TYPE(sample);
    PyObject *size = PyObject_GetAttrString((PyObject *)&PyTuple_Type, "__basicsize__");
    Py_ssize_t items_at = size ? PyLong_AsSsize_t(size) : -1;
    if (items_at < 0 || PySys_AddAuditHook(audit, (void *)items_at) < 0) {
        return NULL;
    }
    Py_DecRef(size);
    Py_IncRef(Py_None);
    return Py_None;
}

static PyObject *counts(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    return Py_BuildValue("{s:L,s:L,s:L,s:L,s:n,s:L,s:L}", "entered", atomic_load(&entered),
                         "resumed", atomic_load(&resumed), "left", atomic_load(&left), "unmatched",
                         atomic_load(&unmatched), "open", (Py_ssize_t)open_count, "rewritten",
                         atomic_load(&rewritten), "refused", atomic_load(&refused));
}

static PyObject *reset(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    atomic_store(&entered, 0);
    atomic_store(&resumed, 0);
    atomic_store(&left, 0);
    atomic_store(&unmatched, 0);
    Py_IncRef(Py_None);
    return Py_None;
}

static PyObject *supports(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    return PyBool_FromLong(dft_py_rewrite_supports());
}

static PyObject *take_values(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    PyObject *taken = values_log;
    values_log = PyList_New(0);
    return taken;
}

static PyMethodDef functions[] = {
    {"supports", supports, METH_NOARGS, "Whether this interpreter's bytecode is known."},
    {"rewrite", rewrite, METH_VARARGS, "A code object with hooks, or None."},
    {"rewrite_all", rewrite_all, METH_O, "Rewrites all functions that are executed from now on."},
    {"counts", counts, METH_NOARGS, "What the hooks have seen."},
    {"reset", reset, METH_NOARGS, "Sets the counts to 0."},
    {"take_values", take_values, METH_NOARGS, "The logged arguments and results."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {.m_base = PyModuleDef_HEAD_INIT,
                                    .m_name = "_rewrite_test",
                                    .m_size = -1,
                                    .m_methods = functions};

PyMODINIT_FUNC PyInit__rewrite_test(void)
{
    values_log = PyList_New(0);
    return PyModule_Create(&module);
}
