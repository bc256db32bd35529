/*
 * The extension module dftrace._dftrace. The package offers its functions, or those of nothing.py
 * where this module is missing.
 */
#include "module.h"
#include "runtime.h"

static int add_type(PyObject *self, PyType_Spec *spec, PyTypeObject **type)
{
    *type = (PyTypeObject *)PyType_FromModuleAndSpec(self, spec, NULL);
    return *type ? 0 : -1;
}

static int fill(PyObject *self)
{
    struct dft_py_module *module = PyModule_GetState(self);

    dft_py_runtime_begin();
    if (add_type(self, &dft_py_region_spec, &module->region) < 0 ||
        add_type(self, &dft_py_track_spec, &module->track) < 0 ||
        add_type(self, &dft_py_decorated_spec, &module->decorated) < 0 ||
        add_type(self, &dft_py_steps_spec, &module->steps) < 0 ||
        PyModule_AddType(self, module->region) < 0 || PyModule_AddType(self, module->track) < 0 ||
        PyModule_AddFunctions(self, dft_py_region_functions) < 0 ||
        PyModule_AddFunctions(self, dft_py_track_functions) < 0 ||
        PyModule_AddFunctions(self, dft_py_event_functions) < 0 ||
        PyModule_AddFunctions(self, dft_py_control_functions) < 0 ||
        PyModule_AddFunctions(self, dft_py_decorated_functions) < 0 ||
        PyModule_AddFunctions(self, dft_py_past_functions) < 0)
        return -1;
    return 0;
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    struct dft_py_module *module = PyModule_GetState(self);

    Py_VISIT(module->region);
    Py_VISIT(module->track);
    Py_VISIT(module->decorated);
    Py_VISIT(module->steps);
    Py_VISIT(module->decorate);
    return 0;
}

static int clear(PyObject *self)
{
    struct dft_py_module *module = PyModule_GetState(self);

    Py_CLEAR(module->region);
    Py_CLEAR(module->track);
    Py_CLEAR(module->decorated);
    Py_CLEAR(module->steps);
    Py_CLEAR(module->decorate);
    return 0;
}

static void release(void *self)
{
    (void)clear(self);
}

/* 3.11 does not know the slot by which a module says that interpreters with locks of their own may use it. */
#define MULTIPLE_INTERPRETERS 3
#define EACH_WITH_ITS_LOCK ((void *)2)

static PyModuleDef_Slot slots_of_3_11[] = {
    {Py_mod_exec, fill},
    {0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, fill},
    {MULTIPLE_INTERPRETERS, EACH_WITH_ITS_LOCK},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_dftrace",   .m_size = sizeof(struct dft_py_module),
    .m_slots = slots,      .m_traverse = traverse, .m_clear = clear,
    .m_free = release,
};

PyMODINIT_FUNC PyInit__dftrace(void)
{
    if (Py_Version < 0x030C0000)
        definition.m_slots = slots_of_3_11;
    return PyModuleDef_Init(&definition);
}
