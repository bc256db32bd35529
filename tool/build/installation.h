/*
 * The installation that this program belongs to: PREFIX/bin/dftrace, PREFIX/lib/dftrace.so, ... A
 * build directory has the same layout.
 */
#ifndef DFT_TOOL_BUILD_INSTALLATION_H
#define DFT_TOOL_BUILD_INSTALLATION_H

#include <stdbool.h>
#include <stddef.h>

struct dft_installation {
    char *prefix;
    char *plugin;     /* PREFIX/lib/dftrace.so, even if it does not exist */
    char **compilers; /* compilers with a plugin, "clang-14", "gcc-12"; sorted */
    size_t compiler_count;
};

/* False, after a message, if the path of this program is unknown. */
bool dft_installation_find(struct dft_installation *installation);
void dft_installation_free(struct dft_installation *installation);

bool dft_installation_serves(const struct dft_installation *installation, const char *compiler);

/* Whether PREFIX/lib/NAME exists. */
bool dft_installation_has_library(const struct dft_installation *installation, const char *name);

/* "clang-14, gcc-12" or "none"; to be freed. */
char *dft_installation_list(const struct dft_installation *installation);

#endif
