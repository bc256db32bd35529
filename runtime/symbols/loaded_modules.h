/* The modules of this process: executable and shared libraries, as the loader knows them. */
#ifndef DFT_RUNTIME_SYMBOLS_LOADED_MODULES_H
#define DFT_RUNTIME_SYMBOLS_LOADED_MODULES_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#define DFT_BUILD_ID_MAX 64

struct dft_module {
    uintptr_t bias; /* what is added to an address of the file */
    const ElfW(Phdr) * headers;
    unsigned header_count;
    unsigned long long unloaded; /* how many modules have been unloaded when this was asked */
    size_t build_id_size;
    unsigned char build_id[DFT_BUILD_ID_MAX];
    const char *name; /* the loader's: "" for the executable, and else as it was asked for */
};

/*
 * The module that has this address. Takes the loader's lock, as every unwinder does: whoever takes
 * the heap's as well takes it after this one.
 */
bool dft_loaded_modules_find(uintptr_t address, struct dft_module *module);

/* Where its file is. Below the heap's lock, and good until it is given back. */
const char *dft_loaded_modules_path(const struct dft_module *module);

/* Whether this address is in one of the module's segments. */
bool dft_loaded_modules_contain(const struct dl_phdr_info *info, uintptr_t address);

/*
 * Whether a loaded module calls the hooks of -finstrument-functions. In a static executable, where
 * this library is only linked to by those that do, always.
 */
bool dft_loaded_modules_call_hooks(void);

#endif
