/* The description of the values that a call records. Runs in the compilers. */
#include "plugin-core/values.h"

#include "dftrace/abi.h"

#include <stdlib.h>
#include <string.h>

/* How many bytes of the array a value with this code takes. */
static unsigned value_size(const char *code)
{
    if (code[0] == DFTRACE_VALUE_TYPE)
        return 0;
    if (code[0] == DFTRACE_VALUE_REFERENCE)
        return 8;
    return ((unsigned)strtoul(code + 1, NULL, 10) + 7) / 8 * 8;
}

static void append_item(struct dft_values *values, const char *name, const char *code)
{
    dft_string_append_text(&values->shape, name);
    dft_string_append(&values->shape, ":", 1);
    dft_string_append_text(&values->shape, code);
    dft_string_append(&values->shape, ";", 1);
}

static void make_room(struct dft_values *values, unsigned size)
{
    if (values->size < size)
        values->size = size;
}

bool dft_values_omit(struct dft_values *values, const struct dft_allowlist *list,
                     const struct dft_verdict *verdict, const char *name)
{
    if (!dft_allowlist_leaves_out(list, &verdict->left_out, name))
        return false;
    dft_name_list_add_once(&values->omitted, name, strlen(name));
    return true;
}

void dft_values_add_result(struct dft_values *values, const char *code)
{
    const char name[] = {DFTRACE_VALUE_RESULT, '\0'};

    append_item(values, name, code);
    make_room(values, value_size(code));
}

bool dft_values_is_full(const struct dft_values *values)
{
    return values->argument_count == DFTRACE_VALUES_MAX;
}

unsigned dft_values_add_argument(struct dft_values *values, const char *name, const char *code)
{
    unsigned offset = values->arguments_size;

    append_item(values, name, code);
    values->argument_count++;
    values->arguments_size += value_size(code);
    make_room(values, values->arguments_size);
    return offset;
}

void dft_values_free(struct dft_values *values)
{
    dft_string_free(&values->shape);
    dft_name_list_free(&values->omitted);
}
