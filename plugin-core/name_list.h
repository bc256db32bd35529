/* Names joined by commas: a function's parameters, its variables, or the parameters that a rule
 * omits. A list that is all zeros is empty. */
#ifndef DFT_PLUGIN_CORE_NAME_LIST_H
#define DFT_PLUGIN_CORE_NAME_LIST_H

#include "plugin-core/string.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dft_name_list {
    struct dft_string joined;
    unsigned count;
};

/*
 * Adds a name, even if it is in the list already. A parameter without a name is added as "", so
 * that the others keep their index.
 */
void dft_name_list_add(struct dft_name_list *list, const char *name, size_t length);

/* Adds a name unless it is empty or in the list already. */
void dft_name_list_add_once(struct dft_name_list *list, const char *name, size_t length);

const char *dft_name_list_text(const struct dft_name_list *list);
void dft_name_list_free(struct dft_name_list *list);

#ifdef __cplusplus
}
#endif
#endif
