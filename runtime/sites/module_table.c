/*
 * The executable and the libraries that contain instrumented functions: path and build id.
 *
 * A module is looked up when it registers, because at that time the dynamic linker may be asked. A
 * function's first call finds its module in this table, without a lock. Entries are only added, and
 * the count covers complete entries only. If a library is loaded at the address of an unloaded one,
 * both have an entry, and the later entry is valid.
 */
#include "runtime/sites/module_table.h"
#include "runtime/session/session.h"
#include "runtime/symbols/loaded_modules.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MODULES_MAX 256
#define MODULE_PATH_MAX 512

struct module {
    const struct dftrace_site *begin, *end;
    char path[MODULE_PATH_MAX];
    char build_id[2 * DFT_BUILD_ID_MAX + 1];
};

static struct module modules[MODULES_MAX];
static _Atomic unsigned module_count;

static void describe(struct module *module)
{
    struct dft_module loaded;

    if (!dft_loaded_modules_find((uintptr_t)module->begin, &loaded))
        return;
    if (loaded.name[0]) {
        snprintf(module->path, sizeof module->path, "%s", loaded.name);
    } else {
        ssize_t length = readlink("/proc/self/exe", module->path, sizeof module->path - 1);
        module->path[length > 0 ? length : 0] = '\0';
    }
    for (size_t i = 0; i < loaded.build_id_size; i++)
        snprintf(module->build_id + 2 * i, 3, "%02x", loaded.build_id[i]);
}

void dft_module_table_add(const struct dftrace_site *begin, const struct dftrace_site *end)
{
    unsigned count = atomic_load(&module_count);

    if (count == MODULES_MAX)
        return;
    modules[count].begin = begin;
    modules[count].end = end;
    describe(&modules[count]);
    atomic_store(&module_count, count + 1);
}

/* Modules are stored in the spool like sites, with path and build id instead of names. */
static uint32_t intern(const struct module *module)
{
    char text[sizeof module->path + sizeof module->build_id + DFTRACE_TEXT_COUNT] = "";
    size_t length = strlen(module->path) + 1;

    memcpy(text, module->path, length);
    memcpy(text + length, module->build_id, strlen(module->build_id) + 1);
    return dft_spool_intern_site(&dft_session.spool, text, 0, DFT_SITE_MODULE);
}

uint32_t dft_module_table_number(const struct dftrace_site *site)
{
    for (unsigned i = atomic_load(&module_count); i-- > 0;)
        if (site >= modules[i].begin && site < modules[i].end)
            return modules[i].path[0] ? intern(&modules[i]) : 0;
    return 0;
}
