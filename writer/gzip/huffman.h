/* Huffman codes as deflate wants them. Pure. */
#ifndef DFT_WRITER_GZIP_HUFFMAN_H
#define DFT_WRITER_GZIP_HUFFMAN_H

#include <stdint.h>

#define DFT_HUFFMAN_MAX 288 /* symbols in an alphabet */

struct dft_huffman {
    uint8_t lengths[DFT_HUFFMAN_MAX]; /* bits; 0: the symbol does not occur */
    uint16_t codes[DFT_HUFFMAN_MAX];  /* first bit lowest, as they are written */
};

/*
 * Makes the code for symbols with these counts (each less than 2^22). No symbol's code is longer
 * than `limit` bits. At least two symbols get a code, so that the codes are always complete.
 */
void dft_huffman_make(struct dft_huffman *code, const uint32_t *counts, unsigned symbols,
                      unsigned limit);

#endif
