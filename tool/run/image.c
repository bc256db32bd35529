/*
 * Mapped files: see image.h.
 */
#include "tool/run/image.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

void dft_image_map(struct dft_image *image, int fd)
{
    struct stat status;

    *image = (struct dft_image){0};
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
        return;
    void *map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map != MAP_FAILED)
        *image = (struct dft_image){map, (size_t)status.st_size};
}

void dft_image_unmap(struct dft_image *image)
{
    if (image->data)
        munmap((void *)image->data, image->size);
    *image = (struct dft_image){0};
}

const void *dft_image_part(const struct dft_image *image, uint64_t offset, uint64_t size)
{
    return offset <= image->size && size <= image->size - offset ? image->data + offset : NULL;
}

bool dft_image_section(const struct dft_image *image, const Elf64_Ehdr *header, unsigned number,
                       Elf64_Shdr *section)
{
    if (number >= header->e_shnum || header->e_shentsize != sizeof *section ||
        header->e_shoff > image->size)
        return false;
    const void *at = dft_image_part(image, header->e_shoff + (uint64_t)number * sizeof *section,
                                    sizeof *section);
    if (at)
        memcpy(section, at, sizeof *section);
    return at != NULL;
}
