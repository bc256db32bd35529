/* gzip's checksum. Pure. */
#ifndef DFT_WRITER_GZIP_CRC32_H
#define DFT_WRITER_GZIP_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continues from `crc`, the checksum of the preceding data. The checksum of no data is 0. */
uint32_t dft_crc32(uint32_t crc, const char *data, size_t length);

#endif
