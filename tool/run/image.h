/*
 * A program or library, mapped for reading. The file is untrusted: every access is checked to be
 * within it.
 */
#ifndef DFT_TOOL_RUN_IMAGE_H
#define DFT_TOOL_RUN_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dft_image {
    const char *data; /* NULL: it could not be mapped */
    size_t size;
};

void dft_image_map(struct dft_image *image, int fd);
void dft_image_unmap(struct dft_image *image);

/* `size` bytes at this offset; NULL if the file is shorter. */
const void *dft_image_part(const struct dft_image *image, uint64_t offset, uint64_t size);

/* False if there is no such section. */
bool dft_image_section(const struct dft_image *image, const Elf64_Ehdr *header, unsigned number,
                       Elf64_Shdr *section);

#endif
