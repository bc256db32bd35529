/* Line tables: DWARF's .debug_line, versions 2 to 5. */
#ifndef DFT_RUNTIME_SYMBOLS_DWARF_LINES_H
#define DFT_RUNTIME_SYMBOLS_DWARF_LINES_H

#include "runtime/symbols/elf_file.h"

/* What a row says: `file` is not kept. False: no memory, read no further. */
typedef bool dft_dwarf_lines_row(void *argument, uint64_t address, const char *file, uint32_t line);

/*
 * Which addresses are of interest: paths are only made for these. Below the heap's lock, on the big
 * stack.
 */
typedef bool dft_dwarf_lines_wanted(void *argument, uint64_t address);

/* Goes through all rows of the file's table; what makes no sense is left out. */
void dft_dwarf_lines_read(const struct dft_elf_file *file, dft_dwarf_lines_wanted *wanted,
                          dft_dwarf_lines_row *row, void *argument);

#endif
