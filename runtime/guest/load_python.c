/*
 * Loads libdftrace-python.so into processes that contain a Python interpreter. All other processes pay
 * for one search of a symbol.
 *
 * Runs in the constructor of the library, before the interpreter is initialized: Python accepts audit
 * hooks then. An interpreter that a program loads later is not found.
 */
#include "runtime/guest/load_python.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/guest/python.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "/libdftrace-python.so"
#define PYTHON_3 "PyBytes_Type" /* exported by every Python 3, so that older ones are explained */

static void report(const char *message)
{
    dft_log(DFT_LEVEL_ERROR, "%s", message);
}

/* The library is in the same directory as this one. */
static bool find_library(char *path, size_t size)
{
    Dl_info info;

    if (!dladdr((void *)&dft_options, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    int length = snprintf(path, size, "%.*s" LIBRARY, slash ? (int)(slash - info.dli_fname) : 1,
                          slash ? info.dli_fname : ".");
    return length > 0 && (size_t)length < size;
}

void dft_load_python(void)
{
    struct dft_python_host host = {.may_rewrite = dft_options.python != DFT_PYTHON_MONITOR,
                                   .may_monitor = dft_options.python != DFT_PYTHON_REWRITE,
                                   .report = report};
    char path[PATH_MAX];

    if (dft_options.python == DFT_PYTHON_OFF || !dlsym(RTLD_DEFAULT, PYTHON_3) ||
        !find_library(path, sizeof path))
        return;
    if (access(path, F_OK) != 0) {
        dft_log(DFT_LEVEL_WARN,
                "functions of Python are not traced: there is no %s; it is built where Python's "
                "headers (python3-dev) are found",
                path);
        return;
    }
    /* Lazily: an interpreter that is too old lacks functions that are never called then. */
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    dft_python_begin *begin = library ? (dft_python_begin *)dlsym(library, DFT_PYTHON_BEGIN) : NULL;
    if (begin)
        begin(&host);
    else
        dft_log(DFT_LEVEL_ERROR, "functions of Python are not traced: %s", dlerror());
}
