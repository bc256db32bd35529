/*
 * An ELF file on disk, read section by section. The file is not trusted: each offset is checked
 * before use. Data is copied rather than mapped, since the file may be truncated while it is read.
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
    char *names; /* section names */
    uint64_t names_size;
};

/* While holding the private heap's lock. Memory comes from that heap. */
bool dft_elf_file_open(struct dft_elf_file *file, const char *path);
void dft_elf_file_close(struct dft_elf_file *file);

/* Each returns NULL if there is no such section. */
const ElfW(Shdr) * dft_elf_file_section(const struct dft_elf_file *file, const char *name);
const ElfW(Shdr) * dft_elf_file_section_of_type(const struct dft_elf_file *file, unsigned type);

/*
 * Reads a section and adds a NUL. The caller frees the result. NULL if the section cannot be read
 * or is compressed.
 */
char *dft_elf_file_read(const struct dft_elf_file *file, const ElfW(Shdr) * section);

/* The same for a debug section, with its size. Reports once if such a section is compressed. */
char *dft_elf_file_read_debug(const struct dft_elf_file *file, const char *name, uint64_t *size);

/* Copies the build id and returns its size; 0 if there is none. */
unsigned dft_elf_file_build_id(const struct dft_elf_file *file, unsigned char *id, unsigned room);

#endif
