/*
 * An ELF file on disk, read section by section. It may be anything: each offset is checked before
 * it is used, and what is read is a copy, since the file may be cut while it is looked at.
 */
#ifndef DFT_RUNTIME_SYMBOLS_ELF_FILE_H
#define DFT_RUNTIME_SYMBOLS_ELF_FILE_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct dft_elf_file {
    int fd;
    uint64_t size;
    ElfW(Ehdr) header;
    ElfW(Shdr) * sections;
    char *names; /* of sections */
    uint64_t names_size;
};

/* Below the heap's lock; what is read is on that heap. */
bool dft_elf_file_open(struct dft_elf_file *file, const char *path);
void dft_elf_file_close(struct dft_elf_file *file);

/* Each returns NULL where there is no such section. */
const ElfW(Shdr) * dft_elf_file_section(const struct dft_elf_file *file, const char *name);
const ElfW(Shdr) * dft_elf_file_section_of_type(const struct dft_elf_file *file, unsigned type);

/* A section's bytes with a NUL behind them, to be given back; NULL where they cannot be had. */
char *dft_elf_file_read(const struct dft_elf_file *file, const ElfW(Shdr) * section);

/* The same for a debug section, with its size. If it is compressed, reports that once: NULL. */
char *dft_elf_file_read_debug(const struct dft_elf_file *file, const char *name, uint64_t *size);

/* The build id, as many bytes as it has; 0 where there is none. */
unsigned dft_elf_file_build_id(const struct dft_elf_file *file, unsigned char *id, unsigned room);

#endif
