/* The types of the module; each interpreter has its own. */
#ifndef DFT_PYTHON_EXTENSION_MODULE_H
#define DFT_PYTHON_EXTENSION_MODULE_H

#include "python.h"

struct dft_py_module {
    PyTypeObject *region;
    PyTypeObject *track;
    PyTypeObject *decorated;
    PyTypeObject *steps;
    PyObject *decorate; /* a function of decorate.py; NULL before the first decorator */
};

extern PyType_Spec dft_py_region_spec, dft_py_track_spec, dft_py_decorated_spec, dft_py_steps_spec;

/* Functions of the module, by the file that defines them; each table ends with an empty entry. */
extern PyMethodDef dft_py_region_functions[], dft_py_track_functions[], dft_py_event_functions[],
    dft_py_control_functions[], dft_py_decorated_functions[], dft_py_past_functions[];

/* The module of an object of one of these types, none of which can have subclasses. */
static inline struct dft_py_module *dft_py_module_of(PyObject *object)
{
    return PyType_GetModuleState(Py_TYPE(object));
}

#endif
