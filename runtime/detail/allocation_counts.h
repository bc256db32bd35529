/*
 * What libdftrace-preload.so counts, and libdftrace asks it for where it is there.
 */
#ifndef DFT_RUNTIME_DETAIL_ALLOCATION_COUNTS_H
#define DFT_RUNTIME_DETAIL_ALLOCATION_COUNTS_H

#include <stdint.h>

/* Allocations of one thread so far: what was asked for. A reallocation is one of its new size. */
struct dft_heap {
    uint64_t bytes;
    uint64_t count;
};

/* Of the calling thread. Any context. */
void __dftrace_heap(struct dft_heap *heap) __attribute__((weak, visibility("default")));

#endif
