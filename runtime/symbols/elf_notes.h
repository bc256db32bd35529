/* The ELF notes of a loaded module. */
#ifndef DFT_RUNTIME_SYMBOLS_ELF_NOTES_H
#define DFT_RUNTIME_SYMBOLS_ELF_NOTES_H

#include <link.h>
#include <stddef.h>

typedef void dft_elf_notes_visitor(void *argument, const char *description, size_t size);

/* Shows every note of this name and type; below the loader's lock. */
void dft_elf_notes_visit(const struct dl_phdr_info *info, const char *name, unsigned type,
                         dft_elf_notes_visitor *see, void *argument);

#endif
