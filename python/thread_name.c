/*
 * Reports the name of a thread at the first traced calls in it. Names are looked up in the table of the
 * module `threading`, if the program has loaded that. A thread is entered there by one of its first
 * functions, so that a few calls may have to be waited for. Threads that others have started are not in
 * the table.
 */
#include "python/thread_name.h"
#include "dftrace/events.h"
#include "python/describe.h"
#include "python/state.h"

#include <errno.h>

#define CALLS_MAX 8 /* after so many calls of a thread its name is no longer searched */

__thread bool dft_py_thread_name_is_wanted __attribute__((tls_model("initial-exec"))) = true;
static __thread unsigned calls __attribute__((tls_model("initial-exec")));

/* The object of threading.Thread for the calling thread, borrowed; NULL: unknown. */
static PyObject *find_thread(const struct dft_py_state *state)
{
    PyObject *modules = PySys_GetObject("modules"); /* also while the interpreter ends */
    PyObject *module =
        modules && PyDict_CheckExact(modules) ? PyDict_GetItemString(modules, "threading") : NULL;
    PyObject *threads =
        module && PyModule_Check(module)
            ? PyDict_GetItem(PyModule_GetDict(module), state->names[DFT_PY_NAME__active])
            : NULL;
    PyObject *key = PyLong_FromUnsignedLong(PyThread_get_thread_ident());
    PyObject *thread = NULL;

    if (key && threads && PyDict_CheckExact(threads))
        thread = PyDict_GetItem(threads, key);
    Py_DecRef(key);
    return thread;
}

static bool tell(const struct dft_py_state *state)
{
    PyObject *thread = find_thread(state);
    PyObject *held;

    if (!thread)
        return false;
    /* Without methods of the thread's class, which may be the program's. */
    PyObject *name = PyObject_GenericGetAttr(thread, state->names[DFT_PY_NAME__name]);
    const char *text = dft_py_utf8(name, &held);
    if (text && PyUnicode_CompareWithASCIIString(name, "MainThread") != 0)
        __dftrace_thread_name(text);
    Py_DecRef(held);
    Py_DecRef(name);
    return true;
}

void dft_py_thread_name_init(void)
{
    dft_py_thread_name_is_wanted = false;
}

void dft_py_thread_name_tell(void)
{
    PyObject *type, *value, *traceback;
    int error = errno;

    PyErr_Fetch(&type, &value, &traceback);
    const struct dft_py_state *state = dft_py_state();
    if (++calls >= CALLS_MAX || (state && tell(state)))
        dft_py_thread_name_is_wanted = false;
    PyErr_Restore(type, value, traceback);
    errno = error;
}
