/* Names of functions, from the files that a process runs. */
#ifndef DFT_RUNTIME_SYMBOLS_SYMBOLS_H
#define DFT_RUNTIME_SYMBOLS_SYMBOLS_H

#include "runtime/symbols/loaded_modules.h"

struct dft_symbols;

/*
 * The function symbols of a module: of its file, of a separate debug file, or the few that the
 * dynamic linker needs. They stay in memory as long as the module does. Never NULL: where nothing
 * can be read, there is no symbol. Below the heap's lock.
 */
struct dft_symbols *dft_symbols_of(const struct dft_module *module);

/* Whether functions that are not exported have names here. */
bool dft_symbols_are_complete(const struct dft_symbols *symbols);

/* The linkage name of the function that begins here; NULL where none does. */
const char *dft_symbols_name(const struct dft_symbols *symbols, uint64_t address);

/* File and line of the function that begins here; false where there is no debug information. */
bool dft_symbols_line(const struct dft_symbols *symbols, uint64_t address, const char **file,
                      uint32_t *line);

#endif
