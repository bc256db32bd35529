/* Reads line tables: DWARF's .debug_line, versions 2 to 5. */
#ifndef DFT_RUNTIME_SYMBOLS_DWARF_LINES_H
#define DFT_RUNTIME_SYMBOLS_DWARF_LINES_H

#include "runtime/symbols/elf_file.h"

/* Receives a row; must copy `file` to keep it. Returns false to stop, if memory is exhausted. */
typedef bool dft_dwarf_lines_row(void *argument, uint64_t address, const char *file, uint32_t line);

/*
 * Whether an address is of interest: paths are built only for such addresses. Called while holding
 * the private heap's lock, on the big stack.
 */
typedef bool dft_dwarf_lines_wanted(void *argument, uint64_t address);

/* Reads all rows of the file's line table and skips what is malformed. */
void dft_dwarf_lines_read(const struct dft_elf_file *file, dft_dwarf_lines_wanted *wanted,
                          dft_dwarf_lines_row *row, void *argument);

#endif
