/* Reading memory of the program that may be unmapped. */
#ifndef DFT_RUNTIME_DETAIL_SAFE_READ_H
#define DFT_RUNTIME_DETAIL_SAFE_READ_H

#include <stddef.h>
#include <stdint.h>

/*
 * Copies up to `length` bytes, at most a page. Returns how many bytes were readable, possibly 0.
 * Never faults. May change errno.
 */
size_t dft_safe_read(uint64_t address, void *to, size_t length);

#endif
