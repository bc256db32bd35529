/* Describes a function to the runtime, from the public attributes of its code object. */
#include "python/describe.h"

#include <stdlib.h>
#include <string.h>

#define CODE_VARARGS 0x4 /* co_flags: has a parameter *args */
#define CODE_VARKEYWORDS 0x8

const char *dft_py_utf8(PyObject *text, PyObject **held)
{
    *held = NULL;
    if (!text || !PyUnicode_Check(text))
        return NULL;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, NULL);
    if (bytes)
        return bytes;
    PyErr_Clear();
    *held = PyUnicode_AsEncodedString(text, "utf-8", "replace");
    bytes = *held ? PyBytes_AsString(*held) : NULL;
    if (!bytes)
        PyErr_Clear();
    return bytes;
}

/* The UTF-8 of an attribute, valid as long as the description. */
static const char *hold_text(const struct dft_py_state *state, PyObject *code,
                             enum dft_py_name name, struct dft_py_description *description)
{
    PyObject *text = dft_py_get(state, code, name);
    PyObject *bytes;
    const char *utf8 = dft_py_utf8(text, &bytes);

    description->held[description->held_count++] = text;
    description->held[description->held_count++] = bytes;
    return utf8;
}

bool dft_py_describe_names(const struct dft_py_state *state, PyObject *code,
                           const struct dft_py_place *place, struct dft_py_description *description)
{
    *description = (struct dft_py_description){.guest = {.size = sizeof description->guest,
                                                         .language = "python",
                                                         .module = place->module,
                                                         .file = place->file}};
    description->guest.name = hold_text(state, code, DFT_PY_NAME_co_name, description);
    description->guest.qualified = hold_text(state, code, DFT_PY_NAME_co_qualname, description);
    long line = dft_py_get_number(state, code, DFT_PY_NAME_co_firstlineno);
    description->guest.line = line > 0 ? (uint32_t)line : 0;
    return description->guest.name && description->guest.qualified;
}

/* --- parameters and other variables --------------------------------------------------------- */

struct list {
    char *text;
    size_t length, room;
    bool failed;
};

static void append(struct list *list, const char *text)
{
    size_t length = strlen(text);

    if (list->length + length + 2 > list->room) {
        size_t room = 2 * (list->length + length) + 64;
        char *larger = realloc(list->text, room);
        if (!larger) {
            list->failed = true;
            return;
        }
        list->text = larger;
        list->room = room;
    }
    if (list->length)
        list->text[list->length++] = ',';
    memcpy(list->text + list->length, text, length + 1);
    list->length += length;
}

/* The names in a tuple of texts from `begin` on, `count` at most. */
static void append_names(struct list *list, PyObject *names, Py_ssize_t begin, Py_ssize_t count,
                         PyObject *except)
{
    Py_ssize_t size = names && PyTuple_Check(names) ? PyTuple_Size(names) : 0;

    for (Py_ssize_t i = begin; i < size && i < begin + count; i++) {
        PyObject *name = PyTuple_GetItem(names, i);
        PyObject *held;
        const char *text = dft_py_utf8(name, &held);

        if (text && !(except && PySequence_Contains(except, name) == 1))
            append(list, text);
        Py_DecRef(held);
    }
}

static long count_parameters(const struct dft_py_state *state, PyObject *code, long flags)
{
    long positional = dft_py_get_number(state, code, DFT_PY_NAME_co_argcount);
    long keyword = dft_py_get_number(state, code, DFT_PY_NAME_co_kwonlyargcount);

    return (positional > 0 ? positional : 0) + (keyword > 0 ? keyword : 0) +
           ((flags & CODE_VARARGS) != 0) + ((flags & CODE_VARKEYWORDS) != 0);
}

bool dft_py_describe_variables(const struct dft_py_state *state, PyObject *code, long flags,
                               struct dft_py_description *description)
{
    PyObject *names = dft_py_get(state, code, DFT_PY_NAME_co_varnames);
    PyObject *cells = dft_py_get(state, code, DFT_PY_NAME_co_cellvars);
    long count = count_parameters(state, code, flags);
    struct list parameters = {0}, locals = {0};

    append_names(&parameters, names, 0, count, NULL);
    append_names(&locals, names, count, PY_SSIZE_T_MAX - count, NULL);
    append_names(&locals, cells, 0, PY_SSIZE_T_MAX, names); /* a parameter may be a cell, too */
    description->guest.parameters = description->parameters = parameters.text;
    description->guest.locals = description->locals = locals.text;
    long stack_size = dft_py_get_number(state, code, DFT_PY_NAME_co_stacksize);
    description->guest.stack_size = stack_size > 0 ? (uint32_t)stack_size : 0;
    Py_DecRef(names);
    Py_DecRef(cells);
    return !parameters.failed && !locals.failed;
}

/* --- functions without a name of their own -------------------------------------------------- */

bool dft_py_is_named(const struct dft_py_description *description)
{
    static const char other[] = "\x1f"; /* no name of a function, and in no rule */
    struct dftrace_guest guest = description->guest;
    size_t own = strlen(guest.name), all = strlen(guest.qualified);

    if (guest.name[0] != '<')
        return true;
    size_t before =
        all >= own && strcmp(guest.qualified + all - own, guest.name) == 0 ? all - own : 0;
    char *qualified = malloc(before + sizeof other);
    if (!qualified)
        return false;
    memcpy(qualified, guest.qualified, before);
    memcpy(qualified + before, other, sizeof other);
    guest.name = other;
    guest.qualified = qualified;
    bool is_named = !__dftrace_guest_asks(&guest);
    free(qualified);
    return is_named;
}

void dft_py_description_free(struct dft_py_description *description)
{
    for (unsigned i = 0; i < description->held_count; i++)
        Py_DecRef(description->held[i]);
    free(description->parameters);
    free(description->locals);
}
