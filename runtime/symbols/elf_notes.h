/* The ELF notes of a loaded module. */
#ifndef DFT_RUNTIME_SYMBOLS_ELF_NOTES_H
#define DFT_RUNTIME_SYMBOLS_ELF_NOTES_H

#include <link.h>
#include <stddef.h>

typedef void dft_see_note(void *argument, const char *description, size_t size);

/* Shows every note of this name and type; below the loader's lock. */
void dft_notes_see(const struct dl_phdr_info *info, const char *name, unsigned type,
                   dft_see_note *see, void *argument);

#endif
