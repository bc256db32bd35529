/*
 * Finds the runtime's functions when the module is imported, perhaps by several interpreters at once.
 * `dftrace run` has loaded the runtime before; otherwise the package may load it.
 */
#include "runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

struct dft_py_runtime dft_py_runtime;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define FIND(field, function)                                                                      \
    found.field = (__typeof__(function) *)dlsym(RTLD_DEFAULT, #function);                          \
    found.is_there = found.is_there && found.field;

bool dft_py_runtime_find(void)
{
    struct dft_py_runtime found = {.is_there = true};

    DFT_PY_RUNTIME(FIND)
    pthread_mutex_lock(&lock);
    if (!dft_py_runtime.is_there && found.is_there)
        dft_py_runtime = found;
    pthread_mutex_unlock(&lock);
    return found.is_there;
}

bool dft_py_runtime_load(const char *path)
{
    return dft_py_runtime_find() || (dlopen(path, RTLD_NOW | RTLD_GLOBAL) && dft_py_runtime_find());
}

struct dftrace_event *dft_py_runtime_event(const char *name, const char *category, const char *unit)
{
    static struct dftrace_event nothing;

    return dft_py_runtime.is_there ? dft_py_runtime.event_find_unit(name, category, unit)
                                   : &nothing;
}
