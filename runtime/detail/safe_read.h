/* Looking at memory of the program that may not be there. */
#ifndef DFT_RUNTIME_DETAIL_SAFE_READ_H
#define DFT_RUNTIME_DETAIL_SAFE_READ_H

#include <stddef.h>
#include <stdint.h>

/*
 * Copies up to `length` bytes, at most a page, and returns how many there were: fewer, or none,
 * where the memory cannot be read. Never faults. Changes errno.
 */
size_t dft_safe_read(uint64_t address, void *to, size_t length);

#endif
