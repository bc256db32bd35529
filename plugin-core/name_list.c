/* Names joined by commas. */
#include "plugin-core/name_list.h"

#include <string.h>

void dft_name_list_add(struct dft_name_list *list, const char *name, size_t length)
{
    if (list->count++ > 0)
        dft_string_append(&list->joined, ",", 1);
    dft_string_append(&list->joined, name, length);
}

static bool has_name(const struct dft_name_list *list, const char *name, size_t length)
{
    const char *at = dft_name_list_text(list);

    for (unsigned i = 0; i < list->count; i++) {
        size_t size = strcspn(at, ",");
        if (size == length && memcmp(at, name, length) == 0)
            return true;
        at += size + 1;
    }
    return false;
}

void dft_name_list_add_once(struct dft_name_list *list, const char *name, size_t length)
{
    if (length > 0 && !has_name(list, name, length))
        dft_name_list_add(list, name, length);
}

const char *dft_name_list_text(const struct dft_name_list *list)
{
    return dft_string_text(&list->joined);
}

void dft_name_list_free(struct dft_name_list *list)
{
    dft_string_free(&list->joined);
    list->count = 0;
}
