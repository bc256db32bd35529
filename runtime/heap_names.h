/*
 * Included in front of every file of allowlist/ as it is compiled for the runtime: there the
 * allocator is the runtime's own, and the demangler is a copy that nobody else sees.
 */
#ifndef DFT_HEAP_NAMES_H
#define DFT_HEAP_NAMES_H

#include "runtime/heap.h"

#include <stdlib.h>
#include <string.h>

#define cplus_demangle_v3_callback dft_libiberty_demangle
int dft_libiberty_demangle(const char *mangled, int options,
                           void (*callback)(const char *, size_t, void *), void *opaque)
    __attribute__((visibility("hidden")));

#define malloc(size) dft_heap_take(size)
#define calloc(count, size) dft_heap_take_zeroed(count, size)
#define realloc(block, size) dft_heap_resize(block, size)
#define free(block) dft_heap_give(block)
#undef strdup
#define strdup(text) dft_heap_copy(text)
#undef strndup
#define strndup(text, length) dft_heap_copy_part(text, length)

#endif
