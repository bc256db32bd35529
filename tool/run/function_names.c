/*
 * Reads names from program files. The plugin puts the texts of all sites of a module into one
 * section: a fixed number of strings for each function, of which the first is never empty. There
 * may be zeros between two functions.
 */
#include "tool/run/function_names.h"

#include "allowlist/allowlist.h"
#include "dftrace/abi.h"
#include "tool/base/tool.h"
#include "tool/run/image.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_name(struct dft_function_names *names, const char *linkage, const char *name)
{
    size_t room = names->room;

    names->linkage = dft_tool_grow(names->linkage, names->count, &room, sizeof *names->linkage);
    names->names = dft_tool_grow(names->names, names->count, &names->room, sizeof *names->names);
    names->linkage[names->count] = dft_tool_copy(linkage, strlen(linkage));
    names->names[names->count++] = dft_tool_copy(name, strlen(name));
}

static void read_texts(struct dft_function_names *names, const char *at, size_t size)
{
    const char *end = at + size;

    for (;;) {
        const char *texts[DFTRACE_TEXT_COUNT];

        while (at < end && *at == '\0')
            at++;
        for (int i = 0; i < DFTRACE_TEXT_COUNT; i++) {
            const char *close = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
            if (!close)
                return;
            texts[i] = at;
            at = close + 1;
        }
        add_name(names, texts[DFTRACE_TEXT_LINKAGE], texts[DFTRACE_TEXT_NAME]);
    }
}

static void read_symbols(struct dft_function_names *names, const struct dft_image *image,
                         const Elf64_Shdr *table, const Elf64_Shdr *strings)
{
    const char *text = dft_image_part(image, strings->sh_offset, strings->sh_size);
    const char *symbols = dft_image_part(image, table->sh_offset, table->sh_size);

    if (!text || !symbols || strings->sh_size == 0 || text[strings->sh_size - 1] != '\0')
        return;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        struct dft_names made;

        memcpy(&symbol, symbols + at, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
            symbol.st_name >= strings->sh_size ||
            !dft_names_make(text + symbol.st_name, DFT_LANGUAGE_C_FAMILY, &made))
            continue;
        add_name(names, made.linkage, made.qualified);
        dft_names_free(&made);
    }
}

static const char *section_name(const struct dft_image *image, const Elf64_Shdr *strings,
                                const Elf64_Shdr *section)
{
    const char *text = dft_image_part(image, strings->sh_offset, strings->sh_size);

    return text && section->sh_name < strings->sh_size && text[strings->sh_size - 1] == '\0'
               ? text + section->sh_name
               : "";
}

static void read_image(struct dft_function_names *names, const struct dft_image *image)
{
    Elf64_Shdr section, strings, symbols = {0}, own;
    Elf64_Ehdr header;

    if (image->size < sizeof header || memcmp(image->data, ELFMAG, SELFMAG) != 0)
        return;
    memcpy(&header, image->data, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
        !dft_image_section(image, &header, header.e_shstrndx, &own))
        return;
    for (unsigned i = 0; dft_image_section(image, &header, i, &section); i++) {
        const char *texts = dft_image_part(image, section.sh_offset, section.sh_size);
        if (section.sh_type == SHT_SYMTAB ||
            (section.sh_type == SHT_DYNSYM && symbols.sh_type == 0))
            symbols = section;
        if (texts && strcmp(section_name(image, &own, &section), DFTRACE_TEXT_SECTION) == 0)
            read_texts(names, texts, section.sh_size);
    }
    if (names->count > 0 || !dft_image_section(image, &header, symbols.sh_link, &strings))
        return;
    names->from_symbols = true;
    read_symbols(names, image, &symbols, &strings);
}

void dft_function_names_read(struct dft_function_names *names, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct dft_image image;

    *names = (struct dft_function_names){0};
    if (fd < 0)
        return;
    dft_image_map(&image, fd);
    if (image.data)
        read_image(names, &image);
    dft_image_unmap(&image);
    close(fd);
}

void dft_function_names_free(struct dft_function_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->linkage[i]);
        free(names->names[i]);
    }
    free(names->linkage);
    free(names->names);
}
