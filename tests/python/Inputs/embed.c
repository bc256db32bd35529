/* Initializes Python three times, with code between that makes the allocator of the moment matter. */
#include <Python.h>

int main(void)
{
    for (int i = 0; i < 3; i++) {
        Py_InitializeEx(i % 2);
        if (PyRun_SimpleString("def foo():\n    return 1\nfoo(); foo()\n") != 0)
            return 1;
        if (Py_FinalizeEx() != 0)
            return 2;
    }
    return 0;
}
