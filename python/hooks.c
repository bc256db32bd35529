/*
 * Decides how functions get their hooks: by their bytecode if this version's is known, else by
 * sys.monitoring.
 */
#include "python/hooks.h"
#include "python/calls.h"
#include "python/marks.h"
#include "python/monitor.h"
#include "python/rewrite/probe.h"
#include "python/rewrite/rewrite.h"

#include <stdarg.h>
#include <stdio.h>

static struct dft_python_host host;

static void report(const char *format, ...)
{
    char message[512];
    va_list list;

    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    host.report(message);
}

void dft_py_hooks_init(const struct dft_python_host *its_host)
{
    host = *its_host;
}

static int version_length(const char *version)
{
    int length = 0;

    while (version[length] && version[length] != ' ')
        length++;
    return length;
}

/* Returns the way; DFT_PY_WAY_NONE after a message. */
static enum dft_py_way choose(struct dft_py_state *state)
{
    const char *version = Py_GetVersion();

    if (host.may_rewrite && state->tuple_offset && dft_py_rewrite_supports())
        return DFT_PY_WAY_REWRITE;
    if (!host.may_monitor)
        report("functions of Python are not traced: the bytecode of Python %.*s is not known, and "
               "DFTRACER_PYTHON=rewrite permits nothing else",
               version_length(version), version);
    else if (!dft_py_monitor_begin(state))
        report("functions of Python are not traced: Python %.*s has no sys.monitoring, or all its "
               "tools are in use",
               version_length(version), version);
    else {
        if (host.may_rewrite)
            report("the bytecode of Python %.*s is not known: its functions are traced by "
                   "sys.monitoring, which takes more time",
                   version_length(version), version);
        return DFT_PY_WAY_MONITOR;
    }
    return DFT_PY_WAY_NONE;
}

/* While the interpreter starts, the version of its bytecode is not known: the import system knows it. */
static bool is_too_early(void)
{
    bool is_known = PyImport_GetMagicNumber() >= 0;

    PyErr_Clear();
    return !is_known;
}

bool dft_py_hooks_begin(struct dft_py_state *state)
{
    if (state->way == DFT_PY_WAY_UNKNOWN && !is_too_early()) {
        state->way = DFT_PY_WAY_NONE; /* while choosing, Python executes code of ours */
        state->way = choose(state);
        PyErr_Clear();
    }
    return state->way > DFT_PY_WAY_NONE;
}

static void release(const struct dft_py_probes *probes)
{
    PyObject *all[] = {probes->enter, probes->resume, probes->leave, probes->values,
                       probes->result};

    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        Py_DecRef(all[i]);
}

static PyObject *rewrite(PyObject *code, struct dft_py_function *function)
{
    struct dft_py_probes probes = {
        .enter = dft_py_probe_new_hook(dft_py_call_enter, function),
        .leave = dft_py_probe_new_hook(dft_py_call_leave, function),
    };
    bool is_complete = probes.enter && probes.leave;

    if (is_complete && function->resumed) {
        probes.resume = dft_py_probe_new_hook(dft_py_call_resume, function);
        is_complete = probes.resume != NULL;
    }
    if (is_complete && (function->site->flags & DFTRACE_SITE_ARGS)) {
        probes.values = dft_py_probe_new_values(dft_py_call_values, function);
        probes.result = dft_py_probe_new_values(dft_py_call_result, function);
        is_complete = probes.values && probes.result;
        function->has_task = function->resumed != NULL;
    }
    PyObject *hooked = is_complete ? dft_py_rewrite(code, &probes) : NULL;
    release(&probes);
    return hooked;
}

PyObject *dft_py_hooks_add(const struct dft_py_state *state, PyObject *code,
                           struct dft_py_function *function)
{
    PyObject *hooked = state->way == DFT_PY_WAY_MONITOR ? dft_py_monitor_add(state, code)
                                                        : rewrite(code, function);

    if (!hooked)
        PyErr_Clear();
    return hooked;
}
