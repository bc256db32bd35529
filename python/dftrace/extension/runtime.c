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

/* While holding the lock. */
static bool find(void)
{
    struct dft_py_runtime found = {.is_there = true};

    DFT_PY_RUNTIME(FIND)
    if (!dft_py_runtime.is_there && found.is_there)
        dft_py_runtime = found;
    return found.is_there;
}

/*
 * The trace begins with the first event. With a second interpreter, it begins now: while one thread
 * begins it, another one would find that its events are off.
 */
void dft_py_runtime_begin(void)
{
    static bool is_used;

    pthread_mutex_lock(&lock);
    if (find() && is_used)
        dft_py_runtime.log_file(NULL);
    is_used = true;
    pthread_mutex_unlock(&lock);
}

bool dft_py_runtime_load(const char *path)
{
    pthread_mutex_lock(&lock);
    bool is_there = find() || (dlopen(path, RTLD_NOW | RTLD_GLOBAL) && find());
    pthread_mutex_unlock(&lock);
    return is_there;
}

struct dftrace_event *dft_py_runtime_event(const char *name, const char *category, const char *unit)
{
    static struct dftrace_event nothing;

    return dft_py_runtime.is_there ? dft_py_runtime.event_find_unit(name, category, unit)
                                   : &nothing;
}
