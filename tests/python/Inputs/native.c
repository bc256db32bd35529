/* A module that is called from Python, and calls back. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <fcntl.h>
#include <unistd.h>

__attribute__((noinline)) PyObject *native_inner(PyObject *callback)
{
    char bytes[10];
    int file = open("data.txt", O_RDONLY);

    if (file < 0 || read(file, bytes, sizeof bytes) < 0)
        return PyErr_SetFromErrno(PyExc_OSError);
    close(file);
    return PyObject_CallNoArgs(callback);
}

PyObject *native_outer(PyObject *self, PyObject *callback)
{
    (void)self;
    return native_inner(callback);
}

static PyMethodDef methods[] = {{"outer", native_outer, METH_O, NULL}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "native", .m_size = -1,
                                    .m_methods = methods};

PyMODINIT_FUNC PyInit_native(void)
{
    return PyModule_Create(&module);
}
