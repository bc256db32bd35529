/*
 * Shared by the two halves of deflate: deflate.c finds repeated text, deflate_bits.c writes the
 * block. No other file includes this one.
 */
#ifndef DFT_WRITER_GZIP_DEFLATE_INTERNAL_H
#define DFT_WRITER_GZIP_DEFLATE_INTERNAL_H

#include "writer/gzip/deflate.h"

#define DFT_MATCH_MIN 3
#define DFT_MATCH_MAX 258
#define DFT_LENGTH_SYMBOLS 257 /* the first symbol that means a length */

/* Some literal bytes, then a match. Length 0: there is no match. */
struct dft_sequence {
    uint32_t literals;
    uint16_t length;
    uint16_t distance; /* minus 1 */
};

/* A length or a distance as a symbol: its value is `base` plus the number in the extra bits. */
struct dft_symbol {
    uint16_t number;
    uint8_t more; /* number of extra bits */
    uint32_t base;
};

static inline struct dft_symbol dft_length_symbol(unsigned length)
{
    unsigned value = length - DFT_MATCH_MIN;

    if (length == DFT_MATCH_MAX)
        return (struct dft_symbol){DFT_LENGTH_SYMBOLS + 28, 0, DFT_MATCH_MAX};
    if (value < 8)
        return (struct dft_symbol){(uint16_t)(DFT_LENGTH_SYMBOLS + value), 0, length};
    unsigned more = 29 - (unsigned)__builtin_clz(value);
    return (struct dft_symbol){(uint16_t)(DFT_LENGTH_SYMBOLS + more * 4 + (value >> more)),
                               (uint8_t)more, (value >> more << more) + DFT_MATCH_MIN};
}

static inline struct dft_symbol dft_distance_symbol(unsigned distance)
{
    unsigned value = distance - 1;

    if (value < 4)
        return (struct dft_symbol){(uint16_t)value, 0, distance};
    unsigned more = 30 - (unsigned)__builtin_clz(value);
    return (struct dft_symbol){(uint16_t)(more * 2 + (value >> more)), (uint8_t)more,
                               (value >> more << more) + 1};
}

/* Appends the block that the state's sequences and counts describe. */
bool dft_deflate_write(struct dft_deflate *deflate, const char *text, struct dft_buffer *out);

#endif
