/*
 * libdftrace-python.so: traces functions of Python. The runtime loads it into processes that contain
 * an interpreter; it uses the functions that the process itself has.
 *
 * `begin` runs once, in the constructor of the runtime, before the interpreter is initialized. All
 * the rest runs in audit events and hooks, with the interpreter's lock held.
 */
#include "dftrace/guest.h"
#include "python/audit.h"
#include "python/functions.h"
#include "python/hooks.h"
#include "python/marks.h"
#include "python/sweep.h"
#include "python/thread_name.h"

#include "runtime/guest/python.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Why functions of this interpreter cannot be traced; NULL: they can. */
static const char *find_obstacle(const char *version)
{
    char *end;
    long major = strtol(version, &end, 10);
    long minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;

    if (major != 3 || minor < 11)
        return "3.11 or later is needed";
    if (strstr(version, "free-threading"))
        return "interpreters without a global lock (free-threaded builds) are not supported";
    return NULL;
}

EXPORT void __dftrace_python_begin(const struct dft_python_host *host)
{
    const char *version = Py_GetVersion();
    const char *obstacle = find_obstacle(version);

    if (!__dftrace_guest_wanted || !__dftrace_guest_wanted(dft_py_sweep_request))
        return;
    if (obstacle) {
        char message[256];
        snprintf(message, sizeof message, "functions of Python are not traced: Python %.*s: %s",
                 (int)strcspn(version, " "), version, obstacle);
        host->report(message);
        return;
    }
    dft_py_marks_look_up();
    dft_py_functions_init();
    dft_py_thread_name_init();
    dft_py_sweep_init();
    dft_py_hooks_init(host);
    if (!dft_py_audit_begin())
        host->report("functions of Python are not traced: the interpreter accepts no audit hook");
}
