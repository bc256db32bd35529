/*
 * Deflate (RFC 1951) for text whose writer knows where it repeats itself.
 *
 * An encoder that copies the same words for every call of a function can say where they stood last
 * time. Then nothing has to be searched for, which is what a general compressor spends its time on,
 * and what is found is better. What it says is only a hint: it is compared before it is used, and
 * text without hints is searched.
 */
#ifndef DFT_WRITER_GZIP_DEFLATE_H
#define DFT_WRITER_GZIP_DEFLATE_H

#include "writer/buffer.h"
#include "writer/gzip/huffman.h"

#define DFT_DEFLATE_WINDOW 32768u

/* `length` bytes at `at` or more may stand at `from` too. Both count bytes from any one origin. */
struct dft_repeat {
    uint32_t at;
    uint32_t from;
    uint32_t length;
};

/*
 * Text on its way to the compressor. The first `kept` bytes have been compressed already and are
 * there to be referred to; text.data[0] has the position `origin`.
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
    uint32_t seen[1u << DFT_DEFLATE_HASH_BITS]; /* position + 1 of text by its first bytes */
    uint32_t literals[DFT_HUFFMAN_MAX];         /* how often each symbol occurs in the block */
    uint32_t distances[32];
};

/* Appends one block with all of the output's text that is not compressed yet. */
bool dft_deflate_block(struct dft_deflate *deflate, const struct dft_output *output,
                       struct dft_buffer *out);

/* Ends the stream: the next block begins a new one, and refers to nothing before it. */
bool dft_deflate_end(struct dft_deflate *deflate, struct dft_buffer *out);

#endif
