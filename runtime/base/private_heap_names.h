/*
 * Included in front of every file of allowlist/ as it is compiled for the runtime: there the
 * allocator is the runtime's own, and the demangler is a copy that nobody else sees.
 */
#ifndef DFT_RUNTIME_BASE_PRIVATE_HEAP_NAMES_H
#define DFT_RUNTIME_BASE_PRIVATE_HEAP_NAMES_H

#include "runtime/base/private_heap.h"

#include <stdlib.h>
#include <string.h>

#define cplus_demangle_v3_callback dft_libiberty_demangle
#define is_gnu_v3_mangled_ctor dft_libiberty_constructor
#define is_gnu_v3_mangled_dtor dft_libiberty_destructor
#include <libiberty/demangle.h>
__typeof__(cplus_demangle_v3_callback) cplus_demangle_v3_callback
    __attribute__((visibility("hidden")));
__typeof__(is_gnu_v3_mangled_ctor) is_gnu_v3_mangled_ctor __attribute__((visibility("hidden")));
__typeof__(is_gnu_v3_mangled_dtor) is_gnu_v3_mangled_dtor __attribute__((visibility("hidden")));

#define malloc(size) dft_private_heap_alloc(size)
#define calloc(count, size) dft_private_heap_calloc(count, size)
#define realloc(block, size) dft_private_heap_realloc(block, size)
#define free(block) dft_private_heap_free(block)
#undef strdup
#define strdup(text) dft_private_heap_strdup(text)
#undef strndup
#define strndup(text, length) dft_private_heap_strndup(text, length)

#endif
