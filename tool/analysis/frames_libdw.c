/*
 * Reads frame sizes from the unwind tables (.eh_frame) of executables and libraries with elfutils'
 * libdw. The paths come from traces, which are untrusted: only regular files with the build id in
 * the trace are used. They are read, not mapped, so that a file that is truncated meanwhile does
 * not kill the tool.
 */
#include "tool/analysis/frames.h"
#include "tool/base/tool.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct symbol {
    const char *name; /* in the file's string table */
    uint64_t begin, end;
};

struct module {
    char *path, *build_id;
    int fd;
    Elf *elf;       /* NULL: cannot be used */
    Dwarf_CFI *cfi; /* belongs to elf */
    unsigned stack_register;
    struct symbol *symbols; /* functions, by name */
    size_t symbol_count;
};

struct dft_frames {
    struct module *modules;
    size_t count;
};

struct dft_frames *dft_frames_new(void)
{
    elf_version(EV_CURRENT);
    return dft_tool_zeroed(1, sizeof(struct dft_frames));
}

static int compare_symbols(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    int order = strcmp(a->name, b->name);

    return order != 0 ? order : a->begin < b->begin ? -1 : a->begin > b->begin;
}

static void add_symbols(struct module *module, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
            symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0)
            continue;
        const char *name = elf_strptr(module->elf, header->sh_link, symbol.st_name);
        if (!name || !*name)
            continue;
        if ((module->symbol_count & (module->symbol_count - 1)) == 0)
            module->symbols = dft_tool_resize(module->symbols,
                                              module->symbol_count ? module->symbol_count * 2 : 1,
                                              sizeof *module->symbols);
        module->symbols[module->symbol_count++] =
            (struct symbol){name, symbol.st_value, symbol.st_value + symbol.st_size};
    }
}

/* A stripped file has dynamic symbols only; the sizes of other functions are then unknown. */
static void read_symbols(struct module *module)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(module->elf, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) &&
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            add_symbols(module, section, &header);
    }
    if (module->symbol_count > 0)
        qsort(module->symbols, module->symbol_count, sizeof *module->symbols, compare_symbols);
}

static bool has_build_id(Elf *elf, const char *expected)
{
    const void *bytes;
    ssize_t length = dwelf_elf_gnu_build_id(elf, &bytes);

    if (length <= 0 || strlen(expected) != (size_t)length * 2)
        return false;
    for (ssize_t i = 0; i < length; i++) {
        char digits[3];
        snprintf(digits, sizeof digits, "%02x", ((const unsigned char *)bytes)[i]);
        if (memcmp(digits, expected + 2 * i, 2) != 0)
            return false;
    }
    return true;
}

/* The number of the stack pointer in unwind tables; false for unknown machines. */
static bool find_stack_register(struct module *module)
{
    GElf_Ehdr header;

    if (!gelf_getehdr(module->elf, &header))
        return false;
    module->stack_register = header.e_machine == EM_X86_64 ? 7 : 31;
    return header.e_machine == EM_X86_64 || header.e_machine == EM_AARCH64;
}

static void close_file(struct module *module)
{
    if (module->elf)
        elf_end(module->elf);
    if (module->fd >= 0)
        close(module->fd);
    module->elf = NULL;
    module->fd = -1;
}

static void open_file(struct module *module)
{
    struct stat status;

    /* Opening a pipe or a device must not block. */
    module->fd = open(module->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (module->fd < 0 && errno != ENOENT)
        dft_tool_note("sizes of stack frames are missing: %s: %s", module->path, strerror(errno));
    if (module->fd < 0 || fstat(module->fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        close_file(module);
        return;
    }
    module->elf = elf_begin(module->fd, ELF_C_READ, NULL);
    if (!module->elf || !has_build_id(module->elf, module->build_id) ||
        !find_stack_register(module) || !(module->cfi = dwarf_getcfi_elf(module->elf))) {
        close_file(module);
        return;
    }
    read_symbols(module);
}

static struct module *find_module(struct dft_frames *frames, const char *path, const char *build_id)
{
    for (size_t i = 0; i < frames->count; i++)
        if (strcmp(frames->modules[i].path, path) == 0 &&
            strcmp(frames->modules[i].build_id, build_id) == 0)
            return &frames->modules[i];
    frames->modules = dft_tool_resize(frames->modules, frames->count + 1, sizeof *frames->modules);
    struct module *module = &frames->modules[frames->count++];
    *module = (struct module){.path = dft_tool_copy(path, strlen(path)),
                              .build_id = dft_tool_copy(build_id, strlen(build_id)),
                              .fd = -1};
    open_file(module);
    return module;
}

/* NULL also if several functions have the name. */
static const struct symbol *find_symbol(const struct module *module, const char *name)
{
    size_t low = 0, high = module->symbol_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(module->symbols[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == module->symbol_count || strcmp(module->symbols[low].name, name) != 0)
        return NULL;
    const struct symbol *found = &module->symbols[low];
    for (size_t i = low + 1; i < module->symbol_count && strcmp(module->symbols[i].name, name) == 0;
         i++)
        if (module->symbols[i].begin != found->begin)
            return NULL;
    return found;
}

/* The size of the frame at one address of a function; 0 if unknown. */
static uint64_t size_at(const struct module *module, uint64_t address, uint64_t *next)
{
    Dwarf_Frame *frame;
    Dwarf_Op *operations;
    Dwarf_Addr begin, end;
    size_t count;
    uint64_t size = 0;

    if (dwarf_cfi_addrframe(module->cfi, address, &frame) != 0)
        return 0;
    if (dwarf_frame_info(frame, &begin, &end, NULL) >= 0 && end > address &&
        dwarf_frame_cfa(frame, &operations, &count) == 0 && count == 1) {
        if (operations->atom == DW_OP_breg0 + module->stack_register)
            size = operations->number;
        else if (operations->atom == DW_OP_bregx && operations->number == module->stack_register)
            size = operations->number2;
        *next = end;
    }
    free(frame);
    return size;
}

uint64_t dft_frames_size(struct dft_frames *frames, const char *module_path, const char *build_id,
                         const char *name)
{
    if (!frames || !*module_path || !*build_id)
        return 0;
    const struct module *module = find_module(frames, module_path, build_id);
    const struct symbol *symbol = module->elf ? find_symbol(module, name) : NULL;
    uint64_t largest = 0;

    for (uint64_t at = symbol ? symbol->begin : 0, next = 0; symbol && at < symbol->end;
         at = next) {
        uint64_t size = size_at(module, at, &next);
        if (size == 0)
            return 0;
        largest = size > largest ? size : largest;
    }
    return largest;
}

void dft_frames_free(struct dft_frames *frames)
{
    for (size_t i = 0; frames && i < frames->count; i++) {
        close_file(&frames->modules[i]);
        free(frames->modules[i].symbols);
        free(frames->modules[i].path);
        free(frames->modules[i].build_id);
    }
    if (frames)
        free(frames->modules);
    free(frames);
}
