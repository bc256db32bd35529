/* Marks on code objects: see marks.h. All functions run with the interpreter's lock held. */
#include "python/marks.h"

#include <dlfcn.h>

static Py_ssize_t (*request_index)(freefunc destroy);
static int (*get_extra)(PyObject *code, Py_ssize_t index, void **mark);
static int (*set_extra)(PyObject *code, Py_ssize_t index, void *mark);

static void *find(const char *name, const char *older_name)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    return found ? found : dlsym(RTLD_DEFAULT, older_name);
}

void dft_py_marks_look_up(void)
{
    *(void **)&request_index =
        find("PyUnstable_Eval_RequestCodeExtraIndex", "_PyEval_RequestCodeExtraIndex");
    *(void **)&get_extra = find("PyUnstable_Code_GetExtra", "_PyCode_GetExtra");
    *(void **)&set_extra = find("PyUnstable_Code_SetExtra", "_PyCode_SetExtra");
}

Py_ssize_t dft_py_marks_request(void)
{
    return request_index && get_extra && set_extra ? request_index(NULL) : -1;
}

void *dft_py_marks_get(PyObject *code, Py_ssize_t index)
{
    void *mark = NULL;

    if (index < 0)
        return NULL;
    if (get_extra(code, index, &mark) != 0)
        PyErr_Clear();
    return mark;
}

void dft_py_marks_set(PyObject *code, Py_ssize_t index, void *mark)
{
    if (index >= 0 && set_extra(code, index, mark) != 0)
        PyErr_Clear();
}
