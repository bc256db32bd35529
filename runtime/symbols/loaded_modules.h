/* The modules of this process, executable and shared libraries, as the loader knows them. */
#ifndef DFT_RUNTIME_SYMBOLS_LOADED_MODULES_H
#define DFT_RUNTIME_SYMBOLS_LOADED_MODULES_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#define DFT_BUILD_ID_MAX 64

struct dft_module {
    uintptr_t bias; /* an address in memory minus that in the file */
    const ElfW(Phdr) * headers;
    unsigned header_count;
    unsigned long long unloaded; /* how many modules had been unloaded when this one was found */
    size_t build_id_size;
    unsigned char build_id[DFT_BUILD_ID_MAX];
    const char *name; /* the loader's name: "" for the executable */
};

/*
 * Finds the module that contains this address. Takes the loader's lock, as every unwinder does. A
 * thread that needs the private heap's lock as well must take it after this call.
 */
bool dft_loaded_modules_find(uintptr_t address, struct dft_module *module);

/*
 * The path of the module's file. While holding the private heap's lock; the path is valid until
 * that lock is released.
 */
const char *dft_loaded_modules_path(const struct dft_module *module);

/* Whether this address is in one of the module's segments. */
bool dft_loaded_modules_contain(const struct dl_phdr_info *info, uintptr_t address);

/*
 * Whether a loaded module imports a symbol that begins like one of these; NULL ends the array.
 * Always true in a static executable: only programs with such a symbol link the code that asks.
 */
bool dft_loaded_modules_import(const char *const *beginnings);

#endif
