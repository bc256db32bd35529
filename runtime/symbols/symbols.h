/* Names and lines of functions, from the files of the loaded modules. */
#ifndef DFT_RUNTIME_SYMBOLS_SYMBOLS_H
#define DFT_RUNTIME_SYMBOLS_SYMBOLS_H

#include "runtime/symbols/loaded_modules.h"

struct dft_symbols;

/*
 * The function symbols of a module: from its file, from a separate debug file, or only those for
 * dynamic linking. They stay in memory until a later call finds that any module was unloaded. The
 * result is never NULL; it has no symbols if nothing can be read. While holding the private heap's
 * lock.
 */
struct dft_symbols *dft_symbols_of(const struct dft_module *module);

/* Whether the symbols include functions that are not exported. */
bool dft_symbols_are_complete(const struct dft_symbols *symbols);

/* The linkage name of the function that begins at this address, or NULL. */
const char *dft_symbols_name(const struct dft_symbols *symbols, uint64_t address);

/* File and line of the function that begins at this address; false without debug information. */
bool dft_symbols_line(const struct dft_symbols *symbols, uint64_t address, const char **file,
                      uint32_t *line);

#endif
