/*
 * Finds the task of asyncio that the calling thread executes. Executes no code of the program: loops are
 * compared by address, and the name is read by the method of asyncio's own type. Tasks that are not made
 * in C, and libraries other than asyncio, have no such name.
 */
#include "python/current_task.h"
#include "dftrace/events.h"
#include "python/describe.h"

#include <errno.h>

#define MODULE "_asyncio"
#define KEY "asyncio.task" /* not the name of any parameter */

/* An attribute of the module, borrowed; NULL: there is none. */
static PyObject *find(PyObject *module, const char *name)
{
    return PyDict_GetItemString(PyModule_GetDict(module), name);
}

/* Borrowed; NULL: the thread executes no task. */
static PyObject *find_task(PyObject *module)
{
    PyObject *get_loop = find(module, "_get_running_loop");
    PyObject *tasks = find(module, "_current_tasks");
    PyObject *loop = get_loop && PyCFunction_Check(get_loop) && tasks && PyDict_CheckExact(tasks)
                         ? PyObject_CallObject(get_loop, NULL)
                         : NULL;
    PyObject *key, *value, *task = NULL;
    Py_ssize_t position = 0;

    while (loop && !task && PyDict_Next(tasks, &position, &key, &value))
        if (key == loop)
            task = value;
    Py_DecRef(loop);
    return task;
}

/* A new reference; NULL: unknown. */
static PyObject *read_name(PyObject *module, PyObject *task)
{
    PyObject *type = find(module, "Task");

    if (!task || !type || !PyType_Check(type) || !PyObject_TypeCheck(task, (PyTypeObject *)type))
        return NULL;
    PyObject *get_name = PyObject_GetAttrString(type, "get_name");
    PyObject *name = get_name ? PyObject_CallFunctionObjArgs(get_name, task, NULL) : NULL;
    Py_DecRef(get_name);
    return name;
}

static void tell(struct dftrace_site *site, PyObject *module)
{
    PyObject *name = read_name(module, find_task(module));
    PyObject *held;
    const char *text = dft_py_utf8(name, &held);
    struct dftrace_value value = {
        .key = KEY, .type = DFTRACE_TYPE_TEXT, .size = DFTRACE_TERMINATED};

    if (text) {
        value.as.text = text;
        __dftrace_guest_values(site, &value, 1);
    }
    Py_DecRef(held);
    Py_DecRef(name);
}

void dft_py_current_task_tell(struct dftrace_site *site)
{
    PyObject *type, *value, *traceback;
    int error = errno;

    PyErr_Fetch(&type, &value, &traceback);
    PyObject *modules = PySys_GetObject("modules");
    PyObject *module =
        modules && PyDict_CheckExact(modules) ? PyDict_GetItemString(modules, MODULE) : NULL;
    if (module && PyModule_Check(module))
        tell(site, module);
    PyErr_Restore(type, value, traceback);
    errno = error;
}
