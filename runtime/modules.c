/*
 * The executable and the libraries that instrumented functions are in: path and build id.
 *
 * They are looked up when a module registers, where the dynamic linker may be asked; a function's
 * first call finds them here without a lock. Entries are only ever added, and a count covers those
 * that are complete: of two for the same place, a library having come where another was, the later
 * one holds.
 */
#include "runtime/modules.h"
#include "runtime/session.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MODULES_MOST 256
#define BUILD_ID_MOST 32
#define PATH_MOST 512

struct module {
    const struct dftrace_site *begin, *end;
    char path[PATH_MOST];
    char build_id[2 * BUILD_ID_MOST + 1];
};

static struct module modules[MODULES_MOST];
static _Atomic unsigned module_count;

static size_t padded(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

static void read_notes(struct module *module, const char *at, size_t size)
{
    while (size >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
        size_t whole = sizeof *note + padded(note->n_namesz) + padded(note->n_descsz);
        const unsigned char *id = (const unsigned char *)at + sizeof *note + padded(note->n_namesz);
        if (whole > size)
            return;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof "GNU" &&
            memcmp(note + 1, "GNU", sizeof "GNU") == 0 && note->n_descsz <= BUILD_ID_MOST)
            for (size_t i = 0; i < note->n_descsz; i++)
                snprintf(module->build_id + 2 * i, 3, "%02x", id[i]);
        at += whole;
        size -= whole;
    }
}

static bool holds(const struct dl_phdr_info *info, const void *address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD &&
            (uintptr_t)address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
            return true;
    }
    return false;
}

static int describe(struct dl_phdr_info *info, size_t size, void *data)
{
    struct module *module = data;

    (void)size;
    if (!holds(info, module->begin))
        return 0;
    if (info->dlpi_name && info->dlpi_name[0]) {
        snprintf(module->path, sizeof module->path, "%s", info->dlpi_name);
    } else {
        ssize_t length = readlink("/proc/self/exe", module->path, sizeof module->path - 1);
        module->path[length > 0 ? length : 0] = '\0';
    }
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            read_notes(module, (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
                       info->dlpi_phdr[i].p_memsz);
    return 1;
}

void dft_modules_note(const struct dftrace_site *begin, const struct dftrace_site *end)
{
    unsigned count = atomic_load(&module_count);

    if (count == MODULES_MOST)
        return;
    modules[count].begin = begin;
    modules[count].end = end;
    dl_iterate_phdr(describe, &modules[count]);
    atomic_store(&module_count, count + 1);
}

/* The form that sites have in the spool: path and build id stand where the names do. */
static uint32_t intern(const struct module *module)
{
    char text[sizeof module->path + sizeof module->build_id + DFTRACE_TEXT_COUNT] = "";
    size_t length = strlen(module->path) + 1;

    memcpy(text, module->path, length);
    memcpy(text + length, module->build_id, strlen(module->build_id) + 1);
    return dft_spool_intern_site(&dft_session.spool, text, 0, DFT_SITE_MODULE);
}

uint32_t dft_modules_number(const struct dftrace_site *site)
{
    for (unsigned i = atomic_load(&module_count); i-- > 0;)
        if (site >= modules[i].begin && site < modules[i].end)
            return modules[i].path[0] ? intern(&modules[i]) : 0;
    return 0;
}
