/*
 * Deflate (RFC 1951) for text whose encoder knows where it repeats itself.
 *
 * An encoder that copies the same text for every call of a function can say where that text was
 * last time. This saves the search, on which a general compressor spends its time, and finds better
 * matches. Such a hint is checked before it is used. Text without hints is searched.
 */
#ifndef DFT_WRITER_GZIP_DEFLATE_H
#define DFT_WRITER_GZIP_DEFLATE_H

#include "writer/buffer.h"
#include "writer/gzip/huffman.h"

#define DFT_DEFLATE_WINDOW 32768u

/*
 * A hint: at least `length` bytes at `at` are probably the same as those at `from`. Both positions
 * count bytes from the same origin.
 */
struct dft_repeat {
    uint32_t at;
    uint32_t from;
    uint32_t length;
};

/*
 * Text for the compressor. The first `kept` bytes have been compressed already, and later text may
 * refer to them. text.data[0] is at position `origin`.
 */
struct dft_output {
    struct dft_buffer text;
    struct dft_buffer repeats; /* struct dft_repeat, by `at` */
    size_t kept;
    uint32_t origin;
};

#define DFT_DEFLATE_HASH_BITS 12

struct dft_deflate {
    struct dft_buffer sequences;
    uint64_t bits; /* not yet written, the first one lowest */
    unsigned bit_count;
    uint32_t seen[1u << DFT_DEFLATE_HASH_BITS]; /* position + 1, by hash of 4 bytes */
    uint32_t literals[DFT_HUFFMAN_MAX];         /* how often each symbol occurs in the block */
    uint32_t distances[32];
};

/* Appends one block with all of the output's text that is not compressed yet. */
bool dft_deflate_block(struct dft_deflate *deflate, const struct dft_output *output,
                       struct dft_buffer *out);

/* Ends the stream. The next block begins a new stream, which does not refer to earlier text. */
bool dft_deflate_end(struct dft_deflate *deflate, struct dft_buffer *out);

#endif
