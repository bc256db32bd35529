/* The description of a site's values: see values.h. It may come from a damaged spool. */
#include "spool/values.h"
#include "dftrace/abi.h"

#include <string.h>

/* The letter and the size of a value; false where they make no sense. */
static bool read_code(const char *code, const char *end, struct dft_value_shape *shape)
{
    shape->is_reference = code < end && *code == DFTRACE_VALUE_REFERENCE;
    code += shape->is_reference;
    if (code == end)
        return false;
    shape->letter = *code++;
    shape->type = code;
    shape->type_length = (size_t)(end - code);
    shape->size = 0;
    if (shape->letter == DFTRACE_VALUE_TYPE)
        return !shape->is_reference;
    for (; code < end && *code >= '0' && *code <= '9' && shape->size <= DFT_VALUE_SIZE_MAX; code++)
        shape->size = shape->size * 10 + (unsigned)(*code - '0');
    unsigned most =
        shape->letter == DFTRACE_VALUE_COMPLEX ? DFT_VALUE_SIZE_MAX : DFT_VALUE_SIZE_MAX / 2;
    return code == end && shape->size > 0 && shape->size <= most;
}

bool dft_value_next(const char **text, struct dft_value_shape *shape)
{
    const char *name = *text;
    const char *colon = strchr(name, ':');
    const char *end = colon ? strchr(colon, ';') : NULL;

    if (!end)
        return false;
    *text = end + 1;
    shape->name = name;
    shape->name_length = (size_t)(colon - name);
    shape->is_result = shape->name_length == 1 && *name == DFTRACE_VALUE_RESULT;
    return read_code(colon + 1, end, shape);
}
