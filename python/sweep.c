/*
 * Sweeps over the functions of the program when the allowlist has changed. Two passes: the first visits
 * the code objects of all functions, the second gives new code objects to the functions that have the
 * old ones. Calls that are open stay as they are.
 *
 * Runs in the main thread of the main interpreter, where Python makes its pending calls.
 */
#include "python/sweep.h"
#include "python/hooks.h"
#include "python/state.h"
#include "python/walk.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_permitted;

/* A list of all objects that the garbage collector knows; a new reference, or NULL. */
static PyObject *list_objects(void)
{
    PyObject *module = PyImport_ImportModule("gc");
    PyObject *list = module ? PyObject_CallMethod(module, "get_objects", NULL) : NULL;

    Py_DecRef(module);
    return list;
}

static void visit_functions(struct dft_py_state *state, PyObject *objects, PyObject *replaced)
{
    for (Py_ssize_t i = 0; i < PyList_Size(objects); i++) {
        PyObject *function = PyList_GetItem(objects, i);
        if (!dft_py_is_function(function))
            continue;
        PyObject *code = dft_py_get(state, function, DFT_PY_NAME___code__);
        PyObject *module = dft_py_get(state, function, DFT_PY_NAME___module__);
        if (code && dft_py_is_code(code))
            dft_py_walk_function(state, code, module, replaced);
        Py_DecRef(code);
        Py_DecRef(module);
    }
}

/* A function whose code object has been replaced gets the new one. */
static void update_functions(struct dft_py_state *state, PyObject *objects, PyObject *replaced)
{
    for (Py_ssize_t i = 0; i < PyList_Size(objects); i++) {
        PyObject *function = PyList_GetItem(objects, i);
        if (!dft_py_is_function(function))
            continue;
        PyObject *code = dft_py_get(state, function, DFT_PY_NAME___code__);
        PyObject *hooked = code ? dft_py_walk_replacement(replaced, code) : NULL;
        if (hooked && PyObject_SetAttr(function, state->names[DFT_PY_NAME___code__], hooked) != 0)
            PyErr_Clear();
        Py_DecRef(code);
    }
}

/* Returns 0: an error would be raised in the program. */
static int sweep(void *nothing)
{
    PyObject *type, *value, *traceback;

    (void)nothing;
    PyErr_Fetch(&type, &value, &traceback);
    struct dft_py_state *state = dft_py_state();
    if (state && dft_py_hooks_begin(state)) {
        PyObject *objects = list_objects();
        PyObject *replaced = objects ? PyDict_New() : NULL;
        if (replaced) {
            visit_functions(state, objects, replaced);
            update_functions(state, objects, replaced);
        }
        Py_DecRef(replaced);
        Py_DecRef(objects);
    }
    PyErr_Restore(type, value, traceback);
    return 0;
}

void dft_py_sweep_request(void)
{
    dft_py_walk_again();
    pthread_mutex_lock(&lock);
    if (is_permitted)
        Py_AddPendingCall(sweep, NULL);
    pthread_mutex_unlock(&lock);
}

static void renew_lock(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

void dft_py_sweep_init(void)
{
    pthread_atfork(NULL, NULL, renew_lock);
}

void dft_py_sweep_permit(bool its_permission)
{
    pthread_mutex_lock(&lock);
    is_permitted = its_permission;
    pthread_mutex_unlock(&lock);
}
