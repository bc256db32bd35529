/* Reads the ELF notes of loaded modules. Any thread; no heap. */
#include "runtime/symbols/elf_notes.h"

#include <string.h>

static size_t align(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

void dft_elf_notes_visit(const struct dl_phdr_info *info, const char *name, unsigned type,
                         dft_elf_notes_visitor *see, void *argument)
{
    size_t name_size = strlen(name) + 1;

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr);
        size_t left = segment->p_type == PT_NOTE ? segment->p_memsz : 0;
        /* Names and descriptions are aligned to 8 bytes if the segment is, otherwise to 4. */
        size_t unit = segment->p_align == 8 ? 8 : 4;
        while (left >= sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
            size_t description = align(sizeof *note + note->n_namesz, unit);
            size_t whole = align(description + note->n_descsz, unit);
            if (whole > left)
                break;
            if (note->n_type == type && note->n_namesz == name_size &&
                memcmp(note + 1, name, name_size) == 0)
                see(argument, at + description, note->n_descsz);
            at += whole;
            left -= whole;
        }
    }
}
