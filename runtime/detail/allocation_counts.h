/*
 * The allocations that libdftrace-preload.so counts. libdftrace reads the counts if that library is
 * loaded.
 */
#ifndef DFT_RUNTIME_DETAIL_ALLOCATION_COUNTS_H
#define DFT_RUNTIME_DETAIL_ALLOCATION_COUNTS_H

#include <stdint.h>

/*
 * One thread's allocations so far, in requested bytes. A reallocation counts as an allocation of
 * its new size.
 */
struct dft_heap {
    uint64_t bytes;
    uint64_t count;
};

/* For the calling thread. Any context. Its address is NULL if the library is not loaded. */
void __dftrace_heap(struct dft_heap *heap) __attribute__((weak, visibility("default")));

#endif
