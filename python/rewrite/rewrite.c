/* Rewrites one code object: reads its attributes, plans, encodes, verifies, and makes the new object with code.replace().
   Only public attributes are used; nothing is imported. Runs on any thread that holds the interpreter's lock. */
#include "python/rewrite/rewrite.h"

#include "python/rewrite/code.h"
#include "python/rewrite/probe.h"

#include <limits.h>
#include <stdatomic.h>

enum {
    OPTIMIZED = 0x1, /* functions have it; modules and classes do not */
    VARIABLE_ARGUMENTS = 0x4,
    VARIABLE_KEYWORDS = 0x8,
    STACK_OF_HOOKS = 3, /* in a handler: position, exception, probe */
};

/* The attributes of a code object that the rewriter uses. All references are owned. */
struct attributes {
    PyObject *code, *lines, *exceptions, *constants, *names, *cells;
    long flags, first_line, stack_size, arguments, keyword_arguments;
};

static void release(PyObject *object)
{
    if (object) {
        Py_DecRef(object);
    }
}

static void release_attributes(struct attributes *attributes)
{
    release(attributes->code);
    release(attributes->lines);
    release(attributes->exceptions);
    release(attributes->constants);
    release(attributes->names);
    release(attributes->cells);
}

static bool get(PyObject *code, const char *name, PyObject **value)
{
    *value = PyObject_GetAttrString(code, name);
    return *value != NULL;
}

static bool get_number(PyObject *code, const char *name, long *value)
{
    PyObject *object = PyObject_GetAttrString(code, name);
    if (!object) {
        return false;
    }
    *value = PyLong_AsLong(object);
    Py_DecRef(object);
    return !(*value == -1 && PyErr_Occurred()) && *value >= 0 && *value < INT_MAX / 2;
}

static bool get_attributes(PyObject *code, struct attributes *attributes)
{
    return get_number(code, "co_firstlineno", &attributes->first_line) &&
           get_number(code, "co_stacksize", &attributes->stack_size) &&
           get_number(code, "co_argcount", &attributes->arguments) &&
           get_number(code, "co_kwonlyargcount", &attributes->keyword_arguments) &&
           get(code, "co_consts", &attributes->constants) &&
           get(code, "co_code", &attributes->code) &&
           get(code, "co_linetable", &attributes->lines) &&
           get(code, "co_exceptiontable", &attributes->exceptions) &&
           get(code, "co_varnames", &attributes->names) &&
           get(code, "co_cellvars", &attributes->cells) && PyBytes_Check(attributes->code) &&
           PyBytes_Check(attributes->lines) && PyBytes_Check(attributes->exceptions) &&
           PyTuple_Check(attributes->constants) && PyTuple_Check(attributes->names) &&
           PyTuple_Check(attributes->cells);
}

static struct dft_py_text make_text(PyObject *bytes)
{
    return (struct dft_py_text){(const uint8_t *)PyBytes_AsString(bytes), PyBytes_Size(bytes)};
}

static bool has_hooks(PyObject *constants)
{
    for (Py_ssize_t i = 0, count = PyTuple_Size(constants); i < count; i++) {
        if (dft_py_probe_check(PyTuple_GetItem(constants, i))) {
            return true;
        }
    }
    return false;
}

/* The constants with the probes behind them; `numbers` gets their indexes. */
static PyObject *add_probes(PyObject *constants, const struct dft_py_probes *probes,
                            struct dft_py_constants *numbers)
{
    PyObject *objects[] = {probes->enter, probes->leave, probes->resume, probes->values,
                           probes->result};
    int *wanted[] = {&numbers->enter, &numbers->leave, &numbers->resume, &numbers->values,
                     &numbers->result};
    enum { COUNT = sizeof objects / sizeof *objects };
    Py_ssize_t old = PyTuple_Size(constants), size = old;
    for (int i = 0; i < COUNT; i++) {
        *wanted[i] = objects[i] ? (int)size++ : -1;
    }
    PyObject *tuple = PyTuple_New(size);
    for (Py_ssize_t i = 0; tuple && i < old; i++) {
        PyObject *item = PyTuple_GetItem(constants, i);
        Py_IncRef(item);
        PyTuple_SetItem(tuple, i, item);
    }
    for (int i = 0; tuple && i < COUNT; i++) {
        if (objects[i]) {
            Py_IncRef(objects[i]);
            PyTuple_SetItem(tuple, *wanted[i], objects[i]);
        }
    }
    if (numbers->resume < 0) {
        numbers->resume = numbers->enter;
    }
    return tuple;
}

/* Fills `is_cell`, an element for each parameter. False with an exception set. */
static bool find_cells(const struct attributes *attributes, int count, bool *is_cell)
{
    for (int i = 0; i < count; i++) {
        PyObject *name = PyTuple_GetItem(attributes->names, i);
        int found = name ? PySequence_Contains(attributes->cells, name) : -1;
        if (found < 0) {
            return false;
        }
        is_cell[i] = found;
    }
    return true;
}

static PyObject *replace(PyObject *code, const struct dft_py_encoded *encoded, PyObject *constants,
                         long stack_size)
{
    PyObject *method = PyObject_GetAttrString(code, "replace"), *none = PyTuple_New(0);
    PyObject *values = Py_BuildValue(
        "{s:y#,s:y#,s:y#,s:O,s:l}", "co_code", (const char *)encoded->code.bytes,
        encoded->code.size, "co_linetable", (const char *)encoded->lines.bytes, encoded->lines.size,
        "co_exceptiontable", (const char *)encoded->exceptions.bytes, encoded->exceptions.size,
        "co_consts", constants, "co_stacksize", stack_size);
    PyObject *made = method && none && values ? PyObject_Call(method, none, values) : NULL;
    release(method);
    release(none);
    release(values);
    return made;
}

/* Encodes, verifies and makes the object. NULL without an exception: the result is not right, so there is none. */
static PyObject *make(PyObject *code, const struct dft_py_bytecode *table, struct dft_py_code *plan,
                      PyObject *constants, long stack_size)
{
    struct dft_py_encoded encoded;
    PyObject *made = NULL;
    if (dft_py_encode(plan, table, &encoded) && dft_py_verify(plan, table, &encoded)) {
        made = replace(code, &encoded, constants, stack_size);
    }
    dft_py_encoded_free(&encoded);
    return made;
}

static PyObject *plan_and_make(const struct dft_py_bytecode *table, PyObject *code,
                               const struct attributes *attributes, const struct dft_py_code *from,
                               const struct dft_py_probes *probes,
                               struct dft_py_parameters parameters)
{
    struct dft_py_constants numbers;
    PyObject *constants = add_probes(attributes->constants, probes, &numbers);
    if (!constants) {
        return NULL;
    }
    long stack_size = attributes->stack_size + STACK_OF_HOOKS;
    if (probes->values && stack_size < parameters.count + 1) {
        stack_size = parameters.count + 1;
    }
    struct dft_py_code plan;
    PyObject *made = NULL;
    if (dft_py_plan(&plan, from, table, numbers, parameters)) {
        made = make(code, table, &plan, constants, stack_size);
    }
    if (plan.failed) {
        PyErr_NoMemory();
    }
    dft_py_code_free(&plan);
    Py_DecRef(constants);
    return made;
}

static PyObject *rewrite(const struct dft_py_bytecode *table, PyObject *code,
                         const struct attributes *attributes, const struct dft_py_probes *probes)
{
    struct dft_py_texts texts = {make_text(attributes->code), make_text(attributes->lines),
                                 make_text(attributes->exceptions)};
    int count = (int)(attributes->arguments + attributes->keyword_arguments) +
                !!(attributes->flags & VARIABLE_ARGUMENTS) +
                !!(attributes->flags & VARIABLE_KEYWORDS);
    bool *is_cell = PyMem_Calloc((size_t)count + 1, sizeof *is_cell);
    if (!is_cell) {
        return PyErr_NoMemory();
    }
    struct dft_py_parameters parameters = {count, is_cell};
    struct dft_py_code from = {0};
    PyObject *made = NULL;
    if (find_cells(attributes, count, is_cell) &&
        dft_py_decode(&from, table, texts, (int)attributes->first_line)) {
        made = plan_and_make(table, code, attributes, &from, probes, parameters);
    }
    if (from.failed) {
        PyErr_NoMemory();
    }
    dft_py_code_free(&from);
    PyMem_Free(is_cell);
    return made;
}

PyObject *dft_py_rewrite_with(const struct dft_py_bytecode *table, PyObject *code,
                              const struct dft_py_probes *probes)
{
    struct attributes attributes = {0};
    PyObject *made = NULL;
    if (get_number(code, "co_flags", &attributes.flags) && attributes.flags & OPTIMIZED &&
        get_attributes(code, &attributes) && !has_hooks(attributes.constants)) {
        made = rewrite(table, code, &attributes, probes);
    }
    release_attributes(&attributes);
    return made;
}

enum { NOT_KNOWN, CHECKING, SUPPORTED, UNSUPPORTED };

static const struct dft_py_bytecode *find_checked_table(void)
{
    static _Atomic int known = NOT_KNOWN;
    static const struct dft_py_bytecode *table; /* all interpreters of a process have one version */
    int state = atomic_load(&known);
    if (state == NOT_KNOWN && atomic_compare_exchange_strong(&known, &state, CHECKING)) {
        bool too_early;
        table = dft_py_bytecode_find(&too_early);
        state = table && dft_py_sample_passes(table) ? SUPPORTED : UNSUPPORTED;
        if (too_early) {
            state = NOT_KNOWN;
        }
        atomic_store(&known, state);
    }
    return state == SUPPORTED ? table : NULL;
}

bool dft_py_rewrite_supports(void)
{
    return find_checked_table() != NULL;
}

PyObject *dft_py_rewrite(PyObject *code, const struct dft_py_probes *probes)
{
    const struct dft_py_bytecode *table = find_checked_table();
    return table ? dft_py_rewrite_with(table, code, probes) : NULL;
}
