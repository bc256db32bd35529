/*
 * What the loader knows about modules. Any thread, any context; no heap.
 *
 * All memory read here belongs to loaded modules. It is read while holding the loader's lock.
 */
#include "runtime/symbols/loaded_modules.h"
#include "runtime/symbols/elf_notes.h"
#include "runtime/symbols/module_walk.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool dft_loaded_modules_contain(const struct dl_phdr_info *info, uintptr_t address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD &&
            address - (info->dlpi_addr + header->p_vaddr) < header->p_memsz)
            return true;
    }
    return false;
}

static void keep_build_id(void *argument, const char *description, size_t size)
{
    struct dft_module *module = argument;

    if (size > DFT_BUILD_ID_MAX)
        return;
    module->build_id_size = size;
    memcpy(module->build_id, description, size);
}

struct question {
    uintptr_t address;
    struct dft_module *module;
};

static int look_at_module(struct dl_phdr_info *info, size_t size, void *argument)
{
    const struct question *question = argument;
    struct dft_module *module = question->module;

    if (!dft_loaded_modules_contain(info, question->address))
        return 0;
    module->bias = info->dlpi_addr;
    module->headers = info->dlpi_phdr;
    module->header_count = info->dlpi_phnum;
    module->unloaded = size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs
                           ? info->dlpi_subs
                           : 0;
    dft_elf_notes_visit(info, "GNU", NT_GNU_BUILD_ID, keep_build_id, module);
    module->name = info->dlpi_name ? info->dlpi_name : "";
    return 1;
}

/*
 * Returns the path in a line of /proc/self/maps, if the line covers this address. The line is
 * "begin-end flags offset device inode   path".
 */
static const char *path_of_line(const char *line, uintptr_t address)
{
    char *end;
    uintptr_t low = strtoul(line, &end, 16);

    if (*end != '-' || address < low || address >= strtoul(end + 1, NULL, 16))
        return NULL;
    return strchr(line, '/');
}

/*
 * Finds the absolute path of the file at this address. The loader's path may be relative to a
 * directory that the program has left.
 */
static const char *find_in_maps(uintptr_t address)
{
    static char text[2 * PATH_MAX], path[PATH_MAX];
    size_t used = 0;
    ssize_t length;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return NULL;
    path[0] = '\0';
    while ((length = read(fd, text + used, sizeof text - 1 - used)) > 0) {
        used += (size_t)length;
        char *line = text;
        for (char *end; (end = memchr(line, '\n', used - (size_t)(line - text))); line = end + 1) {
            *end = '\0';
            const char *found = path_of_line(line, address);
            if (found)
                snprintf(path, sizeof path, "%s", found);
        }
        used -= (size_t)(line - text);
        memmove(text, line, used);
    }
    close(fd);
    return path[0] ? path : NULL;
}

const char *dft_loaded_modules_path(const struct dft_module *module)
{
    const char *found;

    if (!*module->name)
        return "/proc/self/exe";
    if (*module->name == '/' || !(found = find_in_maps((uintptr_t)module->headers)))
        return module->name;
    return found;
}

bool dft_loaded_modules_find(uintptr_t address, struct dft_module *module)
{
    struct question question = {address, module};

    module->build_id_size = 0;
    return dft_module_walk(look_at_module, &question) != 0;
}

#ifdef DFT_STATIC

bool dft_loaded_modules_import(const char *const *beginnings)
{
    (void)beginnings;
    return true;
}

#else

/* The parts of a module's dynamic section that are needed here. */
struct dynamic {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * tables[2];
    size_t sizes[2];
};

static void read_dynamic(const struct dl_phdr_info *info, const ElfW(Dyn) * entry,
                         struct dynamic *dynamic)
{
    for (; entry->d_tag != DT_NULL; entry++) {
        uintptr_t at = entry->d_un.d_ptr;
        if (at < info->dlpi_addr) /* the loader has not relocated the section, as in the vDSO */
            at += info->dlpi_addr;
        if (entry->d_tag == DT_SYMTAB)
            dynamic->symbols = (const ElfW(Sym) *)at;
        else if (entry->d_tag == DT_STRTAB)
            dynamic->names = (const char *)at;
        else if (entry->d_tag == DT_RELA)
            dynamic->tables[0] = (const ElfW(Rela) *)at;
        else if (entry->d_tag == DT_RELASZ)
            dynamic->sizes[0] = entry->d_un.d_val;
        else if (entry->d_tag == DT_JMPREL)
            dynamic->tables[1] = (const ElfW(Rela) *)at;
        else if (entry->d_tag == DT_PLTRELSZ)
            dynamic->sizes[1] = entry->d_un.d_val;
    }
}

static bool begins_like_one(const char *name, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (strncmp(name, *beginnings, strlen(*beginnings)) == 0)
            return true;
    return false;
}

/*
 * Searches relocations, which name every symbol that a module imports. Hash tables contain only
 * exported symbols.
 */
static int look_for_import(struct dl_phdr_info *info, size_t size, void *beginnings)
{
    struct dynamic dynamic = {0};

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            read_dynamic(info, (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                         &dynamic);
    if (!dynamic.symbols || !dynamic.names)
        return 0;
    for (int table = 0; table < 2; table++)
        for (size_t i = 0;
             dynamic.tables[table] && i < dynamic.sizes[table] / sizeof *dynamic.tables[0]; i++) {
            size_t number = dynamic.tables[table][i].r_info >> 32;
            if (number && dynamic.symbols[number].st_shndx == SHN_UNDEF &&
                begins_like_one(dynamic.names + dynamic.symbols[number].st_name, beginnings))
                return 1;
        }
    return 0;
}

bool dft_loaded_modules_import(const char *const *beginnings)
{
    return dft_module_walk(look_for_import, (void *)beginnings) != 0;
}

#endif
