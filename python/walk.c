/*
 * Visits the code objects of a module before the module is executed. The functions of a module are
 * constants of its code object, and nested functions are constants of theirs. Nobody has used these
 * constants yet, so a function with hooks takes the place of the original in its parent's tuple.
 *
 * Runs with the interpreter's lock held. Making a code object may call audit hooks of the program,
 * during which other threads may run.
 */
#include "python/walk.h"
#include "python/describe.h"
#include "python/functions.h"
#include "python/hooks.h"
#include "python/marks.h"
#include "python/module_name.h"

#include <stdatomic.h>

#define DEPTH_MAX 200 /* of nested functions; more than any compiler accepts */

struct walk {
    struct dft_py_state *state;
    struct dft_py_place place;
    PyObject *replaced; /* see dft_py_walk_function; NULL: not wanted */
    unsigned depth;
};

/* Increases when the allowlist changes. */
static _Atomic uintptr_t generation = 1;

/* A mark is the address of a function, or an odd number: looked at, and not wanted. */
static void *mark_of_unwanted(void)
{
    return (void *)(2 * atomic_load(&generation) + 1);
}

void dft_py_walk_again(void)
{
    atomic_fetch_add(&generation, 1);
}

static bool is_function(const void *mark)
{
    return mark && !((uintptr_t)mark & 1);
}

static PyObject *visit(struct walk *walk, PyObject *code);

static void replace_item(const struct dft_py_state *state, PyObject *tuple, Py_ssize_t index,
                         PyObject *replacement)
{
    PyObject **slot = (PyObject **)((char *)tuple + state->tuple_offset) + index;
    PyObject *before = *slot;

    *slot = replacement;
    Py_DecRef(before);
}

static void visit_constants(struct walk *walk, PyObject *code)
{
    PyObject *constants = dft_py_get(walk->state, code, DFT_PY_NAME_co_consts);
    Py_ssize_t count = constants && PyTuple_CheckExact(constants) ? PyTuple_Size(constants) : 0;

    walk->depth++;
    for (Py_ssize_t i = 0; i < count && walk->depth < DEPTH_MAX; i++) {
        PyObject *constant = PyTuple_GetItem(constants, i);
        if (!dft_py_is_code(constant))
            continue;
        Py_IncRef(constant);
        PyObject *hooked = visit(walk, constant);
        if (hooked && PyTuple_GetItem(constants, i) == constant)
            replace_item(walk->state, constants, i, hooked);
        else
            Py_DecRef(hooked);
        Py_DecRef(constant);
    }
    walk->depth--;
    Py_DecRef(constants);
}

/* Notes the replacement. It also keeps `code`, so that no other object gets its address. */
static void remember(const struct walk *walk, PyObject *code, PyObject *hooked)
{
    PyObject *key = walk->replaced ? PyLong_FromVoidPtr(code) : NULL;
    PyObject *pair = key ? PyTuple_Pack(2, code, hooked) : NULL;

    if (pair && PyDict_SetItem(walk->replaced, key, pair) != 0)
        PyErr_Clear();
    Py_DecRef(pair);
    Py_DecRef(key);
}

/* Returns the code object with hooks, a new reference; NULL if `code` is to stay. */
static PyObject *visit(struct walk *walk, PyObject *code)
{
    const struct dft_py_state *state = walk->state;
    void *mark = dft_py_marks_get(code, state->mark);
    PyObject *hooked = NULL;

    if (mark == mark_of_unwanted())
        return NULL;
    visit_constants(walk, code);
    if (is_function(mark))
        return NULL; /* has its hooks */
    struct dft_py_function *function = NULL;
    if (dft_py_is_traceable(dft_py_get_number(state, code, DFT_PY_NAME_co_flags)))
        function = dft_py_functions_find(state, code, &walk->place);
    if (function)
        hooked = dft_py_hooks_add(walk->state, code, function);
    dft_py_marks_set(code, state->mark, hooked == code ? (void *)function : mark_of_unwanted());
    if (hooked && hooked != code) {
        dft_py_marks_set(hooked, state->mark, function);
        remember(walk, code, hooked);
    }
    return hooked;
}

/* Visits a code object that belongs to this module: its constants, and itself if asked to. */
static void walk_module(struct walk *walk, PyObject *code, PyObject *module, bool with_itself)
{
    PyObject *file = dft_py_get(walk->state, code, DFT_PY_NAME_co_filename);
    PyObject *held_module, *held_file;
    const char *module_text = dft_py_utf8(module, &held_module);
    const char *file_text = dft_py_utf8(file, &held_file);

    walk->place.module = module_text ? module_text : "";
    walk->place.file = file_text ? file_text : "";
    if (with_itself)
        Py_DecRef(visit(walk, code));
    else
        visit_constants(walk, code);
    Py_DecRef(held_module);
    Py_DecRef(held_file);
    Py_DecRef(file);
    PyErr_Clear();
}

void dft_py_walk_executed(PyObject *code)
{
    struct walk walk = {.state = dft_py_state()};

    if (!walk.state || !dft_py_hooks_begin(walk.state))
        return;
    void *mark = dft_py_marks_get(code, walk.state->mark);
    if (mark == mark_of_unwanted() || is_function(mark))
        return;
    PyObject *module = dft_py_module_name(walk.state, code);
    walk_module(&walk, code, module, false);
    dft_py_marks_set(code, walk.state->mark, mark_of_unwanted());
    Py_DecRef(module);
}

void dft_py_walk_function(struct dft_py_state *state, PyObject *code, PyObject *module,
                          PyObject *replaced)
{
    struct walk walk = {.state = state, .replaced = replaced};

    walk_module(&walk, code, module, true);
}

PyObject *dft_py_walk_replacement(PyObject *replaced, PyObject *code)
{
    PyObject *key = PyLong_FromVoidPtr(code);
    PyObject *pair = key ? PyDict_GetItem(replaced, key) : NULL;

    Py_DecRef(key);
    PyErr_Clear();
    return pair ? PyTuple_GetItem(pair, 1) : NULL;
}
