/*
 * Hooks by sys.monitoring: where the bytecode of functions may not, or cannot, be changed. Beginnings
 * and ends are reported for watched functions only. Exceptions that leave a function, and those that
 * are thrown into a generator, are reported for all functions of the program.
 *
 * Callbacks run in every thread of the program with the interpreter's lock held.
 */
#include "python/monitor.h"
#include "python/calls.h"
#include "python/marks.h"

#define TOOL_NAME "dftrace"
#define TOOLS 6 /* numbers from 0; some are meant for debuggers, coverage and profilers */

/* The function of the code object, which is the first argument of every callback. */
static struct dft_py_function *find_function(PyObject *capsule, PyObject *const *arguments,
                                             Py_ssize_t count)
{
    const struct dft_py_state *state = count > 0 ? dft_py_state_of(capsule) : NULL;
    void *mark =
        state && dft_py_is_code(arguments[0]) ? dft_py_marks_get(arguments[0], state->mark) : NULL;

    return mark && !((uintptr_t)mark & 1) ? mark : NULL;
}

static PyObject *run(void (*hook)(void *), PyObject *capsule, PyObject *const *arguments,
                     Py_ssize_t count)
{
    struct dft_py_function *function = find_function(capsule, arguments, count);

    if (function)
        hook(function);
    return dft_py_new_reference(Py_None);
}

static PyObject *enter(PyObject *capsule, PyObject *const *arguments, Py_ssize_t count)
{
    return run(dft_py_call_enter_monitored, capsule, arguments, count);
}

static PyObject *resume(PyObject *capsule, PyObject *const *arguments, Py_ssize_t count)
{
    return run(dft_py_call_resume_monitored, capsule, arguments, count);
}

static PyObject *leave(PyObject *capsule, PyObject *const *arguments, Py_ssize_t count)
{
    return run(dft_py_call_leave, capsule, arguments, count);
}

#define METHOD(function)                                                                           \
    {                                                                                              \
#function, (PyCFunction)(void *)(function), METH_FASTCALL, NULL                            \
    }

static struct {
    const char *event; /* its name in sys.monitoring.events */
    bool is_local;     /* can be asked for by function */
    PyMethodDef callback;
} events[] = {
    {"PY_START", true, METHOD(enter)},   {"PY_RESUME", true, METHOD(resume)},
    {"PY_THROW", false, METHOD(resume)}, {"PY_RETURN", true, METHOD(leave)},
    {"PY_YIELD", true, METHOD(leave)},   {"PY_UNWIND", false, METHOD(leave)},
};
#define EVENTS (sizeof events / sizeof *events)

/* The first free number; -1 with an error. */
static long take_tool(PyObject *monitoring)
{
    for (long tool = TOOLS - 1; tool >= 0; tool--) {
        PyObject *result = PyObject_CallMethod(monitoring, "use_tool_id", "ls", tool, TOOL_NAME);
        if (result) {
            Py_DecRef(result);
            return tool;
        }
        PyErr_Clear();
    }
    return -1;
}

/* Registers all callbacks; sets the masks of events. False with an error. */
static bool register_callbacks(struct dft_py_state *state, PyObject *monitoring, long *global)
{
    PyObject *names = PyObject_GetAttrString(monitoring, "events");
    bool is_complete = names != NULL;

    for (unsigned i = 0; is_complete && i < EVENTS; i++) {
        PyObject *number = PyObject_GetAttrString(names, events[i].event);
        PyObject *callback = PyCFunction_New(&events[i].callback, state->capsule);
        PyObject *before = NULL;
        long bit = number ? PyLong_AsLong(number) : -1;

        if (bit > 0 && callback)
            before = PyObject_CallMethod(monitoring, "register_callback", "llO", state->tool, bit,
                                         callback);
        is_complete = before != NULL;
        if (events[i].is_local)
            state->local_events |= bit;
        else
            *global |= bit;
        Py_DecRef(before);
        Py_DecRef(callback);
        Py_DecRef(number);
    }
    Py_DecRef(names);
    return is_complete;
}

static bool begin(struct dft_py_state *state, PyObject *monitoring)
{
    long global = 0;

    state->tool = take_tool(monitoring);
    if (state->tool < 0 || !register_callbacks(state, monitoring, &global))
        return false;
    PyObject *result = PyObject_CallMethod(monitoring, "set_events", "ll", state->tool, global);
    state->set_local_events =
        result ? PyObject_GetAttrString(monitoring, "set_local_events") : NULL;
    Py_DecRef(result);
    return state->set_local_events != NULL;
}

bool dft_py_monitor_begin(struct dft_py_state *state)
{
    PyObject *monitoring = PySys_GetObject("monitoring");
    bool has_begun = monitoring && state->mark >= 0 && begin(state, monitoring);

    PyErr_Clear();
    return has_begun;
}

PyObject *dft_py_monitor_add(const struct dft_py_state *state, PyObject *code)
{
    PyObject *result = PyObject_CallFunction(state->set_local_events, "lOl", state->tool, code,
                                             state->local_events);

    if (!result)
        return NULL;
    Py_DecRef(result);
    return dft_py_new_reference(code);
}
