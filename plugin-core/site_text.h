/* The text of a site: the strings of enum dftrace_site_text (abi.h), each closed by a NUL. */
#ifndef DFT_PLUGIN_CORE_SITE_TEXT_H
#define DFT_PLUGIN_CORE_SITE_TEXT_H

#include "allowlist/allowlist.h"
#include "plugin-core/string.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a site says about its function. All strings are set, empty where there is nothing to say. */
struct dft_site_parts {
    const struct dft_names *names;
    const struct dft_verdict *verdict;
    const char *file;
    const char *parameters; /* names, joined by commas */
    const char *values;     /* struct dft_values.shape */
    const char *types;      /* of the parameters; used where the linkage name has none */
    const char *locals;     /* names of variables, joined by commas */
};

/* Returns where DFTRACE_TEXT_VALUES begins, which the hooks pass to the runtime. */
unsigned dft_site_text_make(const struct dft_site_parts *parts, struct dft_string *text);

/* A source path as sites have it: Clang finds a header beside "unit.c" as "./header.h", GCC as
 * "header.h", and it is one file. */
const char *dft_site_file(const char *path);

#ifdef __cplusplus
}
#endif
#endif
