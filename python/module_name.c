/*
 * Finds the name of the module whose code is about to be executed. The event has the code object only.
 * Nothing here may run code of the program: only exact dictionaries, real modules and exact texts are
 * looked into.
 */
#include "python/module_name.h"
#include "python/describe.h"

#include <string.h>

#define IMPORT_FILE "<frozen importlib._bootstrap>"
#define IMPORT_FUNCTION "_call_with_frames_removed" /* calls exec(code, module.__dict__) */
#define FROZEN "<frozen "

static PyObject *exact_text(PyObject *object)
{
    return object && PyUnicode_CheckExact(object) ? dft_py_new_reference(object) : NULL;
}

/* The module's text attribute; a new reference, or NULL. */
static PyObject *read_module(const struct dft_py_state *state, PyObject *module,
                             enum dft_py_name name)
{
    if (!module || !PyModule_Check(module))
        return NULL;
    return exact_text(PyDict_GetItem(PyModule_GetDict(module), state->names[name]));
}

static bool is_equal(PyObject *text, const char *expected)
{
    return text && PyUnicode_Check(text) && PyUnicode_CompareWithASCIIString(text, expected) == 0;
}

/* Whether this is the code with which the import system executes modules. */
static bool is_import_code(struct dft_py_state *state, PyObject *code)
{
    if (state->import_code)
        return code == state->import_code;
    PyObject *name = dft_py_get(state, code, DFT_PY_NAME_co_name);
    PyObject *file = dft_py_get(state, code, DFT_PY_NAME_co_filename);
    bool is_it = is_equal(name, IMPORT_FUNCTION) && is_equal(file, IMPORT_FILE);

    Py_DecRef(name);
    Py_DecRef(file);
    if (is_it)
        state->import_code = dft_py_new_reference(code);
    return is_it;
}

/* The name in the dictionary that the import system passes to exec: its local `args` has it. */
static PyObject *read_import_frame(const struct dft_py_state *state, PyObject *code)
{
    PyObject *locals = PyEval_GetLocals();
    PyObject *args = locals && PyDict_CheckExact(locals)
                         ? PyDict_GetItem(locals, state->names[DFT_PY_NAME_args])
                         : NULL;

    if (!args || !PyTuple_CheckExact(args) || PyTuple_Size(args) < 2 ||
        PyTuple_GetItem(args, 0) != code)
        return NULL;
    PyObject *globals = PyTuple_GetItem(args, 1);
    return PyDict_CheckExact(globals)
               ? exact_text(PyDict_GetItem(globals, state->names[DFT_PY_NAME___name__]))
               : NULL;
}

/* "<frozen os>" is os. NULL: the file has another name. */
static PyObject *read_frozen(PyObject *file)
{
    PyObject *held;
    const char *text = dft_py_utf8(file, &held);
    size_t length = text ? strlen(text) : 0;
    size_t before = sizeof FROZEN - 1;
    PyObject *name = NULL;

    if (length > before + 1 && strncmp(text, FROZEN, before) == 0 && text[length - 1] == '>')
        name = PyUnicode_FromStringAndSize(text + before, (Py_ssize_t)(length - before - 1));
    Py_DecRef(held);
    return name;
}

static bool is_file_of(const struct dft_py_state *state, PyObject *module, PyObject *file)
{
    PyObject *own = read_module(state, module, DFT_PY_NAME___file__);
    bool is_it = own && PyUnicode_Compare(own, file) == 0;

    Py_DecRef(own);
    return is_it;
}

/* The loaded module with this file: `__main__`, which may be imported as well, or any other. */
static PyObject *find_module(const struct dft_py_state *state, PyObject *file)
{
    PyObject *modules = PySys_GetObject("modules");
    PyObject *module, *key;
    Py_ssize_t position = 0;

    if (!modules || !PyDict_CheckExact(modules))
        return NULL;
    module = PyDict_GetItemString(modules, "__main__");
    if (module && is_file_of(state, module, file))
        return PyUnicode_FromString("__main__");
    while (PyDict_Next(modules, &position, &key, &module))
        if (is_file_of(state, module, file))
            return exact_text(key);
    return NULL;
}

/* Strings ("<string>") belong to the module that executes them. */
static PyObject *read_caller(const struct dft_py_state *state)
{
    PyObject *globals = PyEval_GetGlobals();

    return globals && PyDict_CheckExact(globals)
               ? exact_text(PyDict_GetItem(globals, state->names[DFT_PY_NAME___name__]))
               : NULL;
}

static PyObject *find_name(struct dft_py_state *state, PyObject *code, PyObject *file)
{
    PyFrameObject *frame = PyEval_GetFrame();
    PyObject *name = read_frozen(file);

    if (name)
        return name;
    if (!frame)
        return PyUnicode_FromString("__main__"); /* executed by the interpreter itself */
    PyObject *caller = (PyObject *)PyFrame_GetCode(frame);
    name = is_import_code(state, caller) ? read_import_frame(state, code) : NULL;
    Py_DecRef(caller);
    if (!name && PyUnicode_ReadChar(file, 0) != '<')
        name = find_module(state, file);
    return name ? name : read_caller(state);
}

PyObject *dft_py_module_name(struct dft_py_state *state, PyObject *code)
{
    PyObject *file = dft_py_get(state, code, DFT_PY_NAME_co_filename);
    PyObject *name = file && PyUnicode_CheckExact(file) ? find_name(state, code, file) : NULL;

    Py_DecRef(file);
    PyErr_Clear();
    return name;
}
