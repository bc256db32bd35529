/*
 * The beginning and the end of an activation: see calls.h. Runs in every thread of the program, for
 * each call of a traced function, with the interpreter's lock held.
 */
#include "python/calls.h"
#include "python/current_task.h"
#include "python/describe.h"
#include "python/greenlets.h"
#include "python/thread_name.h"

#include <errno.h>
#include <string.h>

/*
 * From here to the stack frame of the interpreter's loop, which calls this hook through a few small
 * functions of its own. That frame has more than 300 bytes; the address is in its middle, so it is above
 * the functions that the loop calls, and below the callers of the loop.
 */
#define FROM_BYTECODE 128
#define FROM_MONITORING 480

#define TEXT_MAX 128 /* characters of a text that are recorded */

static inline __attribute__((always_inline)) void enter(struct dftrace_site *site, int distance)
{
    if (dft_py_greenlets_are_new())
        dft_py_greenlets_follow();
    if (__builtin_expect(dft_py_thread_name_is_wanted, false))
        dft_py_thread_name_tell();
    __dftrace_guest_enter(site, (const char *)__builtin_frame_address(0) + distance);
}

void dft_py_call_enter(void *function)
{
    const struct dft_py_function *called = function;

    enter(called->site, FROM_BYTECODE);
    if (__builtin_expect(called->has_task, false))
        dft_py_current_task_tell(called->site);
}

void dft_py_call_resume(void *function)
{
    const struct dft_py_function *called = function;

    enter(called->resumed, FROM_BYTECODE);
    if (__builtin_expect(called->has_task, false))
        dft_py_current_task_tell(called->resumed);
}

void dft_py_call_enter_monitored(void *function)
{
    enter(((const struct dft_py_function *)function)->site, FROM_MONITORING);
}

void dft_py_call_resume_monitored(void *function)
{
    enter(((const struct dft_py_function *)function)->resumed, FROM_MONITORING);
}

void dft_py_call_leave(void *function)
{
    const struct dft_py_function *called = function;

    if (called->resumed)
        __dftrace_guest_exit_either(called->site, called->resumed);
    else
        __dftrace_guest_exit(called->site);
}

/* --- values --------------------------------------------------------------------------------- */

/* The texts of one call's values, which must last until the runtime has copied them. */
struct texts {
    PyObject *held[2 * DFTRACE_VALUES_MAX];
    unsigned count;
};

static const char *hold(struct texts *texts, PyObject *text)
{
    PyObject *bytes;
    const char *utf8 = dft_py_utf8(text, &bytes);

    texts->held[texts->count++] = text;
    texts->held[texts->count++] = bytes;
    return utf8;
}

static void describe_type(struct dftrace_value *result, PyObject *value, struct texts *texts)
{
    const char *name = hold(texts, PyType_GetName(Py_TYPE(value)));

    *result = dftrace_guest_type_value(result->key, name ? name : "?");
}

static void describe_integer(struct dftrace_value *result, PyObject *value, struct texts *texts)
{
    int overflow;

    result->type = DFTRACE_TYPE_INT;
    result->as.number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow)
        describe_type(result, value, texts);
}

static void describe_text(struct dftrace_value *result, PyObject *value, struct texts *texts)
{
    bool is_long = PyUnicode_GetLength(value) > TEXT_MAX;
    const char *utf8 = hold(texts, is_long ? PyUnicode_Substring(value, 0, TEXT_MAX)
                                           : dft_py_new_reference(value));

    result->type = DFTRACE_TYPE_TEXT;
    result->size = DFTRACE_TERMINATED;
    result->as.text = utf8 ? utf8 : "";
}

/*
 * Looks only into objects of Python's own types: those of the program may run code of the program.
 */
static void describe_value(struct dftrace_value *result, PyObject *value, struct texts *texts)
{
    if (value == Py_None) {
        result->type = DFTRACE_TYPE_NULL;
    } else if (PyBool_Check(value)) {
        result->type = DFTRACE_TYPE_BOOL;
        result->as.number = value == Py_True;
    } else if (PyLong_CheckExact(value)) {
        describe_integer(result, value, texts);
    } else if (PyFloat_CheckExact(value)) {
        result->type = DFTRACE_TYPE_DOUBLE;
        result->as.real = PyFloat_AsDouble(value);
    } else if (PyUnicode_CheckExact(value)) {
        describe_text(result, value, texts);
    } else {
        describe_type(result, value, texts);
    }
}

static void pass_values(struct dft_py_function *function, const char *keys, PyObject *tuple)
{
    struct dftrace_value values[DFTRACE_VALUES_MAX];
    struct texts texts = {.count = 0};
    Py_ssize_t count = PyTuple_Size(tuple);
    int error = errno;

    if (count > DFTRACE_VALUES_MAX)
        count = DFTRACE_VALUES_MAX;
    for (Py_ssize_t i = 0; i < count; i++) {
        values[i] = (struct dftrace_value){.key = *keys ? keys : NULL};
        keys += *keys ? strlen(keys) + 1 : 0;
        describe_value(&values[i], PyTuple_GetItem(tuple, i), &texts);
    }
    PyErr_Clear(); /* no memory for a text */
    __dftrace_guest_values(function->site, values, (uint32_t)count);
    for (unsigned i = 0; i < texts.count; i++)
        Py_DecRef(texts.held[i]);
    errno = error;
}

void dft_py_call_values(void *function, PyObject *values)
{
    struct dft_py_function *called = function;

    pass_values(called, called->parameters, values);
}

void dft_py_call_result(void *function, PyObject *result)
{
    pass_values(function, "return\0", result);
}
