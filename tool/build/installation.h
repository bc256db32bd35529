/*
 * What is installed beside this very program: PREFIX/bin/dftrace, PREFIX/lib/dftrace.so, ...
 * A build directory has the same layout.
 */
#ifndef DFT_TOOL_BUILD_INSTALLATION_H
#define DFT_TOOL_BUILD_INSTALLATION_H

#include <stdbool.h>
#include <stddef.h>

struct dft_installation {
    char *prefix;
    char *plugin;     /* PREFIX/lib/dftrace.so, there or not */
    char **compilers; /* "clang-14", "gcc-12": a plugin is there; sorted */
    size_t compiler_count;
};

/* False, with a message printed, when the place of this program does not tell. */
bool dft_installation_find(struct dft_installation *installation);
void dft_installation_free(struct dft_installation *installation);

bool dft_installation_serves(const struct dft_installation *installation, const char *compiler);

/* Whether PREFIX/lib/NAME is there. */
bool dft_installation_has_library(const struct dft_installation *installation, const char *name);

/* "clang-14, gcc-12" or "none"; to be freed. */
char *dft_installation_list(const struct dft_installation *installation);

#endif
