/*
 * The state of an interpreter is kept in that interpreter's own dictionary and freed with it.
 * Interpreters may run in parallel, each with a lock of its own.
 */
#include "python/state.h"
#include "python/marks.h"

#include <stdlib.h>

#define KEY "dftrace"

static const char *const name_texts[] = {
#define DFT_PY_TEXT(name) #name,
    DFT_PY_NAMES(DFT_PY_TEXT)
#undef DFT_PY_TEXT
};

static void free_state(struct dft_py_state *state)
{
    for (unsigned i = 0; i < DFT_PY_NAME_COUNT; i++)
        Py_DecRef(state->names[i]);
    Py_DecRef(state->import_code);
    Py_DecRef(state->set_local_events);
    free(state);
}

static void free_capsule(PyObject *capsule)
{
    free_state(PyCapsule_GetPointer(capsule, KEY));
}

/* Returns where the items of tuples begin, if a tuple with known items agrees; otherwise 0. */
static Py_ssize_t find_tuple_offset(const struct dft_py_state *state)
{
    PyObject *size = PyObject_GetAttrString((PyObject *)&PyTuple_Type, "__basicsize__");
    Py_ssize_t offset = size ? PyLong_AsSsize_t(size) : -1;
    PyObject *known = PyTuple_Pack(3, state->names[0], state->names[1], state->names[2]);
    bool agrees = known && offset > 0 && offset < 256 && offset % (Py_ssize_t)sizeof(void *) == 0;

    for (Py_ssize_t i = 0; agrees && i < 3; i++)
        agrees = ((PyObject **)((char *)known + offset))[i] == state->names[i];
    Py_DecRef(size);
    Py_DecRef(known);
    return agrees ? offset : 0;
}

static struct dft_py_state *make_state(PyObject *dictionary)
{
    struct dft_py_state *state = calloc(1, sizeof *state);
    bool is_complete = state != NULL;

    for (unsigned i = 0; is_complete && i < DFT_PY_NAME_COUNT; i++)
        is_complete = (state->names[i] = PyUnicode_InternFromString(name_texts[i])) != NULL;
    PyObject *capsule = is_complete ? PyCapsule_New(state, KEY, free_capsule) : NULL;
    if (!capsule) {
        if (state)
            free_state(state);
        return NULL;
    }
    state->capsule = capsule;
    state->mark = dft_py_marks_request();
    state->tuple_offset = find_tuple_offset(state);
    is_complete = PyDict_SetItemString(dictionary, KEY, capsule) == 0;
    Py_DecRef(capsule); /* frees the state, if the dictionary does not hold it */
    return is_complete ? state : NULL;
}

struct dft_py_state *dft_py_state_of(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, KEY);
}

struct dft_py_state *dft_py_state(void)
{
    PyObject *dictionary = PyInterpreterState_GetDict(PyInterpreterState_Get());

    if (!dictionary)
        return NULL;
    PyObject *capsule = PyDict_GetItemString(dictionary, KEY);
    struct dft_py_state *state = capsule ? dft_py_state_of(capsule) : make_state(dictionary);
    if (!state)
        PyErr_Clear();
    return state;
}

PyObject *dft_py_get(const struct dft_py_state *state, PyObject *object, enum dft_py_name name)
{
    PyObject *value = PyObject_GetAttr(object, state->names[name]);

    if (!value)
        PyErr_Clear();
    return value;
}

long dft_py_get_number(const struct dft_py_state *state, PyObject *object, enum dft_py_name name)
{
    PyObject *value = dft_py_get(state, object, name);
    long number = value ? PyLong_AsLong(value) : -1;

    if (number == -1)
        PyErr_Clear();
    Py_DecRef(value);
    return number;
}
