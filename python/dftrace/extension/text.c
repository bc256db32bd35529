/*
 * Texts. Called with the interpreter's lock held. Runs no code of the program: encoding uses Python's
 * own handler of errors.
 */
#include "text.h"

#include <string.h>

static const char no_room[] = "\xe2\x80\xa6"; /* an ellipsis */

/* Copies a text, or as much of it as there is room for, and a NUL. `size` becomes its length. */
static char *append(struct dft_py_copies *copies, const char *text, size_t *size)
{
    size_t room = sizeof copies->bytes - copies->used - 1;
    size_t most = room < DFT_PY_TEXT_MAX ? room : DFT_PY_TEXT_MAX;
    char *copy = copies->bytes + copies->used;

    if (*size > most)
        for (*size = most; *size > 0 && ((unsigned char)text[*size] & 0xc0) == 0x80;)
            --*size;
    memcpy(copy, text, *size);
    copy[*size] = '\0';
    if (room > 0)
        copies->used += *size + 1;
    return copy;
}

const char *dft_py_copy(struct dft_py_copies *copies, const char *text, size_t *size)
{
    if (sizeof copies->bytes - copies->used > sizeof no_room)
        return append(copies, text, size);
    *size = strlen(no_room);
    return no_room;
}

/* The copy of a text that UTF-8 cannot represent. */
static const char *copy_replaced(struct dft_py_copies *copies, PyObject *text, size_t *size)
{
    const char *copy = no_room;
    char *bytes;
    Py_ssize_t length;

    PyObject *encoded = PyUnicode_AsEncodedString(text, "utf-8", "replace");
    if (encoded && PyBytes_AsStringAndSize(encoded, &bytes, &length) == 0) {
        *size = (size_t)length;
        copy = dft_py_copy(copies, bytes, size);
    } else {
        PyErr_Clear();
        *size = strlen(no_room);
    }
    Py_XDECREF(encoded);
    return copy;
}

/* The copy of what an event may have room for: a long str is not encoded as a whole. */
static const char *copy_beginning(struct dft_py_copies *copies, PyObject *text, size_t *size)
{
    const char *copy = no_room;
    PyObject *beginning = PyUnicode_Substring(text, 0, DFT_PY_TEXT_MAX);

    *size = strlen(no_room);
    if (beginning)
        copy = copy_replaced(copies, beginning, size);
    else
        PyErr_Clear();
    Py_XDECREF(beginning);
    return copy;
}

const char *dft_py_text(struct dft_py_copies *copies, PyObject *text, size_t *size)
{
    Py_ssize_t length;

    if (PyUnicode_GetLength(text) > DFT_PY_TEXT_MAX)
        return copy_beginning(copies, text, size);
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &length);
    if (!utf8) {
        PyErr_Clear();
        return copy_replaced(copies, text, size);
    }
    *size = (size_t)length;
    return utf8;
}

const char *dft_py_name(struct dft_py_copies *copies, PyObject *text)
{
    size_t size;
    const char *utf8 = dft_py_text(copies, text, &size);

    if (strlen(utf8) == size)
        return utf8;
    if (sizeof copies->bytes - copies->used <= sizeof no_room)
        return no_room;
    char *copy = append(copies, utf8, &size);
    for (size_t i = 0; i < size; i++)
        if (copy[i] == '\0')
            copy[i] = '?';
    return copy;
}

/* --- arguments ------------------------------------------------------------------------------ */

bool dft_py_refuse(const char *function, const char *what, const char *wanted, PyObject *argument)
{
    PyObject *type = PyType_GetName(Py_TYPE(argument));

    if (type)
        PyErr_Format(PyExc_TypeError, "dftrace.%s(): the %s must be %s, not %U", function, what,
                     wanted, type);
    Py_XDECREF(type);
    return false;
}

bool dft_py_name_argument(struct dft_py_copies *copies, const char *function, PyObject *argument,
                          const char **name)
{
    if (!PyUnicode_Check(argument))
        return dft_py_refuse(function, "name", "a str", argument);
    *name = dft_py_name(copies, argument);
    return true;
}

bool dft_py_optional_argument(struct dft_py_copies *copies, const char *function, const char *what,
                              PyObject *argument, const char **text)
{
    *text = NULL;
    if (!argument || argument == Py_None)
        return true;
    if (!PyUnicode_Check(argument))
        return dft_py_refuse(function, what, "a str or None", argument);
    *text = dft_py_name(copies, argument);
    return true;
}
