/* The checksum of zlib streams (RFC 1950). */
#ifndef DFT_WRITER_GZIP_ADLER32_H
#define DFT_WRITER_GZIP_ADLER32_H

#include <stddef.h>
#include <stdint.h>

#define DFT_ADLER32_BEGIN 1u

/* The checksum of all bytes so far, from that of the bytes before. */
uint32_t dft_adler32(uint32_t sum, const char *bytes, size_t length);

#endif
