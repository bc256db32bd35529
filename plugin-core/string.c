/* Text that grows. If memory is exhausted, the compilation ends, as in the compilers themselves. */
#include "plugin-core/string.h"

#include <stdlib.h>
#include <string.h>

static void make_room(struct dft_string *string, size_t length)
{
    size_t needed = string->length + length + 1;

    if (needed <= string->capacity)
        return;
    size_t capacity = 2 * needed + 64;
    char *bytes = realloc(string->bytes, capacity);
    if (!bytes)
        dft_plugin_out_of_memory();
    string->bytes = bytes;
    string->capacity = capacity;
}

void dft_string_append(struct dft_string *string, const char *bytes, size_t length)
{
    make_room(string, length);
    if (length > 0)
        memcpy(string->bytes + string->length, bytes, length);
    string->length += length;
    string->bytes[string->length] = '\0';
}

void dft_string_append_text(struct dft_string *string, const char *text)
{
    dft_string_append(string, text, strlen(text));
}

const char *dft_string_text(const struct dft_string *string)
{
    return string->bytes ? string->bytes : "";
}

void dft_string_free(struct dft_string *string)
{
    free(string->bytes);
    *string = (struct dft_string){0};
}
