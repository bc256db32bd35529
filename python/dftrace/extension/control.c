/*
 * Control of the recording. What may take long, or takes the runtime's lock, runs without the
 * interpreter's lock.
 */
#include "module.h"
#include "runtime.h"
#include "text.h"

#define IS_TRACING_ID 0x64667472616365u /* of __dftrace_first; any number */

PyDoc_STRVAR(is_tracing_doc, "is_tracing()\n--\n\nWhether events are recorded now.");

static PyObject *is_tracing(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    if (!dft_py_runtime.is_there)
        return PyBool_FromLong(0);
    dft_py_runtime.log_file(NULL); /* before the trace begins, it is not known */
    return PyBool_FromLong(dft_py_runtime.first(IS_TRACING_ID) >= 0);
}

static PyObject *without_lock(void (*function)(void))
{
    if (dft_py_runtime.is_there) {
        Py_BEGIN_ALLOW_THREADS function();
        Py_END_ALLOW_THREADS
    }
    return dft_py_none();
}

PyDoc_STRVAR(flush_doc,
             "flush()\n--\n\nReturns when everything that was recorded before is in the file.");

static PyObject *flush(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return without_lock(dft_py_runtime.flush);
}

PyDoc_STRVAR(pause_doc, "pause()\n--\n\nRecords nothing until resume() is called.");

static PyObject *pause_recording(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return without_lock(dft_py_runtime.pause);
}

PyDoc_STRVAR(resume_doc, "resume()\n--\n\nRecords again after pause().");

static PyObject *resume(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return without_lock(dft_py_runtime.resume);
}

static PyObject *set_switch(const char *function, PyObject *what, int on)
{
    struct dft_py_copies copies;
    const char *text;

    copies.used = 0;
    if (!dft_py_name_argument(&copies, function, what, &text))
        return NULL;
    if (dft_py_runtime.is_there) {
        Py_BEGIN_ALLOW_THREADS dft_py_runtime.turn(text, on);
        Py_END_ALLOW_THREADS
    }
    return dft_py_none();
}

PyDoc_STRVAR(enable_doc, "enable(name, /)\n--\n\nSwitches functions and events on again.");

static PyObject *enable(PyObject *self, PyObject *what)
{
    (void)self;
    return set_switch("enable", what, 1);
}

PyDoc_STRVAR(disable_doc,
             "disable(name, /)\n--\n\n"
             "Switches functions and events off: all of a category, or all whose name\n"
             "matches a pattern such as \"load*\".");

static PyObject *disable(PyObject *self, PyObject *what)
{
    (void)self;
    return set_switch("disable", what, 0);
}

PyDoc_STRVAR(load_doc, "load(path, /)\n--\n\nLoads the runtime. Returns whether it is there.");

static PyObject *load(PyObject *self, PyObject *path)
{
    PyObject *encoded;

    (void)self;
    if (!PyUnicode_FSConverter(path, &encoded))
        return NULL;
    bool is_there = dft_py_runtime_load(PyBytes_AsString(encoded));
    Py_DECREF(encoded);
    return PyBool_FromLong(is_there);
}

PyMethodDef dft_py_control_functions[] = {
    {"is_tracing", is_tracing, METH_NOARGS, is_tracing_doc},
    {"flush", flush, METH_NOARGS, flush_doc},
    {"pause", pause_recording, METH_NOARGS, pause_doc},
    {"resume", resume, METH_NOARGS, resume_doc},
    {"enable", enable, METH_O, enable_doc},
    {"disable", disable, METH_O, disable_doc},
    {"load", load, METH_O, load_doc},
    {NULL, NULL, 0, NULL},
};
