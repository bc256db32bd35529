/*
 * Listens to Python's audit events. The hook is added before the interpreter is initialized, holds for
 * all interpreters of the process, and is invisible to the program.
 *
 * Python allocates the entry for the hook with the raw allocator of that moment, and frees it with the
 * allocator that `-X dev` or PYTHONMALLOC has installed since: that would end the process. Therefore
 * the entry lies in static memory, and while Python frees its entries, the allocator ignores this one.
 */
#include "python/audit.h"
#include "python/describe.h"
#include "python/greenlets.h"
#include "python/interpreter.h"
#include "python/sweep.h"
#include "python/walk.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#define EXECUTED "exec"
#define IMPORTED "import"
#define CLEARED "cpython._PySys_ClearAuditHooks" /* the last event */

/* Not in the stable ABI, but the same in all versions since 3.8. */
struct allocator {
    void *context;
    void *(*allocate)(void *context, size_t size);
    void *(*allocate_zeroed)(void *context, size_t count, size_t size);
    void *(*reallocate)(void *context, void *memory, size_t size);
    void (*release)(void *context, void *memory);
};
enum { DOMAIN_RAW };

PyAPI_FUNC(int) PySys_AddAuditHook(int (*hook)(const char *, PyObject *, void *), void *data);
PyAPI_FUNC(void) PyMem_GetAllocator(int domain, struct allocator *allocator);
PyAPI_FUNC(void) PyMem_SetAllocator(int domain, struct allocator *allocator);

static alignas(max_align_t) char entry[256];
static struct allocator around; /* the program's, while one of the allocators below is installed */
static bool will_end;           /* `end` will be called when the interpreter has ended */

static void *allocate_entry(void *context, size_t size)
{
    (void)context;
    return size <= sizeof entry ? entry : NULL;
}

static void *allocate(void *context, size_t size)
{
    (void)context;
    return around.allocate(around.context, size);
}

static void *allocate_zeroed(void *context, size_t count, size_t size)
{
    (void)context;
    return around.allocate_zeroed(around.context, count, size);
}

static void *reallocate(void *context, void *memory, size_t size)
{
    (void)context;
    return around.reallocate(around.context, memory, size);
}

static void release(void *context, void *memory)
{
    (void)context;
    if (memory != entry)
        around.release(around.context, memory);
}

static int hear(const char *event, PyObject *arguments, void *data);

static bool add_hook(void)
{
    struct allocator ours;

    PyMem_GetAllocator(DOMAIN_RAW, &around);
    ours = around;
    ours.allocate = allocate_entry;
    PyMem_SetAllocator(DOMAIN_RAW, &ours);
    bool is_added = PySys_AddAuditHook(hear, NULL) == 0;
    PyMem_SetAllocator(DOMAIN_RAW, &around);
    return is_added;
}

/* The interpreter has ended, and has forgotten its hooks. The program may initialize it again. */
static void end(void)
{
    struct allocator current;

    will_end = false;
    PyMem_GetAllocator(DOMAIN_RAW, &current);
    if (current.release != release)
        return; /* the interpreter has kept our hook, or the program has replaced the allocator */
    PyMem_SetAllocator(DOMAIN_RAW, &around);
    add_hook();
}

static void protect_entry(void)
{
    struct allocator ours = {NULL, allocate, allocate_zeroed, reallocate, release};

    PyMem_GetAllocator(DOMAIN_RAW, &around);
    ours.context =
        around.context; /* daemon threads may see one part of the change before another */
    PyMem_SetAllocator(DOMAIN_RAW, &ours);
}

static void hear_executed(PyObject *arguments)
{
    PyObject *type, *value, *traceback;

    if (!arguments || !PyTuple_Check(arguments) || PyTuple_Size(arguments) < 1)
        return;
    PyObject *code = PyTuple_GetItem(arguments, 0);
    if (!code || !dft_py_is_code(code))
        return;
    PyErr_Fetch(&type, &value, &traceback);
    if (!will_end) {
        will_end = Py_AtExit(end) == 0;
        dft_py_sweep_permit(true);
    }
    dft_py_walk_executed(code);
    PyErr_Restore(type, value, traceback);
}

static void hear_imported(PyObject *arguments)
{
    PyObject *name = arguments && PyTuple_Check(arguments) && PyTuple_Size(arguments) > 0
                         ? PyTuple_GetItem(arguments, 0)
                         : NULL;
    PyObject *held;
    const char *text = dft_py_utf8(name, &held);

    if (text)
        dft_py_greenlets_imported(text);
    Py_DecRef(held);
}

/* A result other than 0 would be a veto. */
static int hear(const char *event, PyObject *arguments, void *data)
{
    (void)data;
    if (strcmp(event, EXECUTED) == 0) {
        hear_executed(arguments);
    } else if (strcmp(event, IMPORTED) == 0) {
        hear_imported(arguments);
    } else if (strcmp(event, CLEARED) == 0) {
        dft_py_sweep_permit(false);
        protect_entry();
    }
    return 0;
}

bool dft_py_audit_begin(void)
{
    return add_hook();
}
