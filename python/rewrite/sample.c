/* The check of the running interpreter: a sample program is compiled and rewritten, and its hooks are counted while it
   runs. It must not be possible that a table is wrong for an interpreter with the version that the table names. */
#include "python/rewrite/code.h"
#include "python/rewrite/probe.h"
#include "python/rewrite/rewrite.h"

/* Activations: plain() is called five times, one of which raises; numbers() runs from its start to the first yield, and
   three times more, the last of them to its end. No built-in function is needed. */
static const char sample[] = "def plain(a, *b, c=1):\n"
                             "    try:\n"
                             "        return a + c\n"
                             "    except ZeroDivisionError:\n"
                             "        return b\n"
                             "def numbers(x):\n"
                             "    try:\n"
                             "        yield 1\n"
                             "        yield from x\n"
                             "    finally:\n"
                             "        x = plain(2)\n"
                             "for i in numbers((2, 3)):\n"
                             "    result = plain(i)\n"
                             "try:\n"
                             "    plain('')\n"
                             "except:\n"
                             "    result = result + 1\n";
enum { ENTERED = 6, RESUMED = 3, LEFT = 9, RESULT = 5 };

struct counts {
    int entered, resumed, left;
};

static void count_enter(void *data)
{
    ((struct counts *)data)->entered++;
}

static void count_resume(void *data)
{
    ((struct counts *)data)->resumed++;
}

static void count_leave(void *data)
{
    ((struct counts *)data)->left++;
}

/* The module's code with rewritten functions. */
static PyObject *rewrite_functions(const struct dft_py_bytecode *table, PyObject *module,
                                   const struct dft_py_probes *probes)
{
    PyObject *old = PyObject_GetAttrString(module, "co_consts");
    PyObject *new = old ? PySequence_List(old) : NULL;
    int functions = 0;
    for (Py_ssize_t i = 0; new &&i < PyList_Size(new); i++) {
        PyObject *item = PyList_GetItem(new, i);
        if (Py_TYPE(item) != Py_TYPE(module)) {
            continue;
        }
        PyObject *made = dft_py_rewrite_with(table, item, probes);
        if (!made) {
            break;
        }
        PyList_SetItem(new, i, made);
        functions++;
    }
    PyObject *constants = functions == 2 ? PyList_AsTuple(new) : NULL;
    PyObject *method = PyObject_GetAttrString(module, "replace"), *none = PyTuple_New(0);
    PyObject *values = constants ? Py_BuildValue("{s:O}", "co_consts", constants) : NULL;
    PyObject *made = method && none && values ? PyObject_Call(method, none, values) : NULL;
    PyObject *temporary[] = {old, new, constants, method, none, values};
    for (size_t i = 0; i < sizeof temporary / sizeof *temporary; i++) {
        if (temporary[i]) {
            Py_DecRef(temporary[i]);
        }
    }
    return made;
}

/* The value of `result` after the code has run; -1: it failed. */
static long run(PyObject *code)
{
    PyObject *names = PyDict_New();
    PyObject *done = names ? PyEval_EvalCode(code, names, names) : NULL;
    PyObject *result = done ? PyDict_GetItemString(names, "result") : NULL;
    long value = result ? PyLong_AsLong(result) : -1;
    if (done) {
        Py_DecRef(done);
    }
    if (names) {
        Py_DecRef(names);
    }
    return value;
}

bool dft_py_sample_passes(const struct dft_py_bytecode *table)
{
    struct counts counts = {0};
    struct dft_py_probes probes = {
        .enter = dft_py_probe_new_hook(count_enter, &counts),
        .resume = dft_py_probe_new_hook(count_resume, &counts),
        .leave = dft_py_probe_new_hook(count_leave, &counts),
    };
    bool passed = false;
    if (probes.enter && probes.resume && probes.leave) {
        PyObject *module = Py_CompileString(sample, "<dftrace>", Py_file_input);
        PyObject *made = module ? rewrite_functions(table, module, &probes) : NULL;
        passed = made && run(made) == RESULT && counts.entered == ENTERED &&
                 counts.resumed == RESUMED && counts.left == LEFT;
        if (made) {
            Py_DecRef(made);
        }
        if (module) {
            Py_DecRef(module);
        }
    }
    PyObject *owned[] = {probes.enter, probes.resume, probes.leave};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        if (owned[i]) {
            Py_DecRef(owned[i]);
        }
    }
    PyErr_Clear();
    return passed;
}
