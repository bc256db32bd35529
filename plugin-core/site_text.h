/* The text of a site: the strings of enum dftrace_site_text (abi.h), each followed by a NUL. */
#ifndef DFT_PLUGIN_CORE_SITE_TEXT_H
#define DFT_PLUGIN_CORE_SITE_TEXT_H

#include "allowlist/allowlist.h"
#include "plugin-core/string.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a site says about its function. No string is NULL; a string without information is empty. */
struct dft_site_parts {
    const struct dft_names *names;
    const struct dft_verdict *verdict;
    const char *file;
    const char *parameters; /* names, joined by commas */
    const char *values;     /* struct dft_values.shape */
    const char *types;      /* of the parameters; used where the linkage name has none */
    const char *locals;     /* names of variables, joined by commas */
};

/* Returns the offset of DFTRACE_TEXT_VALUES in `text`, which the hooks pass to the runtime. */
unsigned dft_site_text_make(const struct dft_site_parts *parts, struct dft_string *text);

/*
 * A source path as it is stored in sites, without "./" at its beginning. For a header in the folder
 * of "unit.c", Clang's path is "./header.h" and GCC's "header.h".
 */
const char *dft_site_file(const char *path);

#ifdef __cplusplus
}
#endif
#endif
