/* Reading what zlib has compressed. Pure. */
#ifndef DFT_RUNTIME_SYMBOLS_INFLATE_H
#define DFT_RUNTIME_SYMBOLS_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

/* False where `from` is no zlib stream of just `size` bytes; its checksum is not looked at. */
bool dft_inflate(const unsigned char *from, size_t length, void *to, size_t size);

#endif
