/*
 * Follows the switches between greenlets: each greenlet is a fiber of the runtime, and a thread's main
 * greenlet is its own stack.
 *
 * `greenlet.settrace` is a setting of a thread. It is made before the first traced call of each thread.
 * A trace function of the program that is there already is called by ours. If the program replaces ours
 * and does not keep it, ours is freed, and is set again, with that of the program, before the next
 * traced call. Runs with the interpreter's lock held.
 */
#include "python/greenlets.h"
#include "dftrace/events.h"
#include "python/interpreter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MODULE "greenlet._greenlet"
#define TRIES_MAX 1000 /* traced calls of a thread while the module is not complete */

bool dft_py_greenlets_are_used;
__thread bool dft_py_greenlets_are_followed __attribute__((tls_model("initial-exec")));
static __thread unsigned tries __attribute__((tls_model("initial-exec")));

/* What our trace function of a thread knows. */
struct follower {
    PyObject *next;    /* the program's trace function, or NULL */
    PyObject *is_dead; /* descriptors of the type `greenlet`, */
    PyObject *parent;  /* which a class of the program cannot replace */
    PyObject *main;    /* the thread's main greenlet; only compared */
};

static void free_follower(PyObject *capsule)
{
    struct follower *follower = PyCapsule_GetPointer(capsule, NULL);

    Py_DecRef(follower->next);
    Py_DecRef(follower->is_dead);
    Py_DecRef(follower->parent);
    free(follower);
    dft_py_greenlets_are_followed = false;
    tries = 0;
}

/* A new reference; NULL, without an error, if that fails. */
static PyObject *read_greenlet(PyObject *descriptor, PyObject *greenlet)
{
    descrgetfunc get = (descrgetfunc)PyType_GetSlot(Py_TYPE(descriptor), Py_tp_descr_get);
    PyObject *value = get ? get(descriptor, greenlet, (PyObject *)Py_TYPE(greenlet)) : NULL;

    if (!value)
        PyErr_Clear();
    return value;
}

static uint64_t fiber_of(const struct follower *follower, const PyObject *greenlet)
{
    return greenlet == follower->main ? 0 : (uint64_t)(uintptr_t)greenlet;
}

static void note_switch(const struct follower *follower, PyObject *from, PyObject *to)
{
    PyObject *is_dead = read_greenlet(follower->is_dead, from);

    __dftrace_fiber_switch(fiber_of(follower, to));
    if (is_dead == Py_True && from != to)
        __dftrace_fiber_end(fiber_of(follower, from));
    Py_DecRef(is_dead);
}

/* The trace function: (event, (from, to)). Called after each switch. */
static PyObject *trace(PyObject *capsule, PyObject *arguments)
{
    const struct follower *follower = PyCapsule_GetPointer(capsule, NULL);
    PyObject *pair = PyTuple_Size(arguments) == 2 ? PyTuple_GetItem(arguments, 1) : NULL;
    int error = errno;

    if (pair && PyTuple_Check(pair) && PyTuple_Size(pair) == 2)
        note_switch(follower, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1));
    errno = error;
    if (!follower->next)
        return dft_py_new_reference(Py_None);
    PyObject *next = dft_py_new_reference(follower->next);
    PyObject *result = PyObject_CallObject(next, arguments);
    Py_DecRef(next);
    return result;
}

static PyMethodDef method = {"dftrace", trace, METH_VARARGS, NULL};

static bool is_ours(PyObject *function)
{
    return PyCFunction_Check(function) && PyCFunction_GetFunction(function) == trace;
}

/* The result of a function of the module, a new reference or NULL. */
static PyObject *call(PyObject *module, const char *name, PyObject *argument)
{
    PyObject *function = PyObject_GetAttrString(module, name);
    PyObject *result = function ? PyObject_CallFunctionObjArgs(function, argument, NULL) : NULL;

    Py_DecRef(function);
    return result;
}

/* The greenlet without a parent is the thread's main one. It exists as long as the thread. */
static PyObject *find_main(const struct follower *follower, PyObject *greenlet)
{
    PyObject *at = dft_py_new_reference(greenlet);
    PyObject *parent;

    while ((parent = read_greenlet(follower->parent, at)) && parent != Py_None) {
        Py_DecRef(at);
        at = parent;
    }
    Py_DecRef(parent);
    Py_DecRef(at);
    return at;
}

static PyObject *make_trace(PyObject *module, PyObject *current, PyObject *next)
{
    struct follower *follower = calloc(1, sizeof *follower);
    PyObject *capsule = follower ? PyCapsule_New(follower, NULL, free_follower) : NULL;

    if (!capsule) {
        free(follower);
        return NULL;
    }
    PyObject *type = PyObject_GetAttrString(module, "greenlet");
    follower->next = next == Py_None ? NULL : dft_py_new_reference(next);
    follower->is_dead = type ? PyObject_GetAttrString(type, "dead") : NULL;
    follower->parent = type ? PyObject_GetAttrString(type, "parent") : NULL;
    PyObject *function = NULL;
    if (follower->is_dead && follower->parent) {
        follower->main = find_main(follower, current);
        function = PyCFunction_New(&method, capsule);
        __dftrace_fiber_switch(fiber_of(follower, current));
    }
    Py_DecRef(type);
    Py_DecRef(capsule);
    return function;
}

static bool set_trace(PyObject *module)
{
    PyObject *current = call(module, "getcurrent", NULL);
    PyObject *before = current ? call(module, "gettrace", NULL) : NULL;
    bool is_set = before && is_ours(before);

    if (before && !is_set) {
        PyObject *function = make_trace(module, current, before);
        PyObject *replaced = function ? call(module, "settrace", function) : NULL;
        is_set = replaced != NULL;
        Py_DecRef(replaced);
        Py_DecRef(function);
    }
    Py_DecRef(before);
    Py_DecRef(current);
    return is_set;
}

void dft_py_greenlets_imported(const char *module)
{
    if (strcmp(module, MODULE) == 0)
        dft_py_greenlets_are_used = true;
}

void dft_py_greenlets_follow(void)
{
    PyObject *type, *value, *traceback;
    int error = errno;

    dft_py_greenlets_are_followed = true; /* also for traced calls below this function */
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *modules = PySys_GetObject("modules");
    PyObject *module =
        modules && PyDict_CheckExact(modules) ? PyDict_GetItemString(modules, MODULE) : NULL;
    bool is_set = false;
    if (module && PyModule_Check(module)) {
        Py_IncRef(module);
        is_set = set_trace(module);
        Py_DecRef(module);
    }
    dft_py_greenlets_are_followed = is_set || ++tries >= TRIES_MAX;
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
    errno = error;
}
