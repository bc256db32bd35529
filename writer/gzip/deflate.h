/*
 * Deflate (RFC 1951) for text whose encoder knows where the text repeats itself.
 *
 * Why not zlib: calls take fewer bytes than with zlib's level 6 and less than a quarter of the time
 * of its level 1 (docs/INTERNALS.md has the figures), and the traced program loads no further
 * library. tests/fuzz/fuzz_deflate.c checks this code against zlib.
 *
 * An encoder that copies the same text for every call of a function knows where that text occurred
 * last. So the compressor need not search for it; searching is what takes a general compressor most
 * of its time. These hints may be wrong: the text is compared before a hint is used. Text without
 * hints is searched.
 */
#ifndef DFT_WRITER_GZIP_DEFLATE_H
#define DFT_WRITER_GZIP_DEFLATE_H

#include "writer/buffer.h"
#include "writer/gzip/huffman.h"

#define DFT_DEFLATE_WINDOW 32768u

/*
 * A hint: `length` bytes or more at `at` may be the same as those at `from`. Both are positions in
 * the whole text.
 */
struct dft_repeat {
    uint32_t at;
    uint32_t from;
    uint32_t length;
};

/*
 * Text for the compressor. The first `kept` bytes have been compressed; matches may refer to them.
 * text.data[0] has the position `origin`.
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
    uint64_t bits; /* not written yet; the first one is the lowest */
    unsigned bit_count;
    uint32_t
        seen[1u << DFT_DEFLATE_HASH_BITS]; /* position + 1 of text, by a hash of its first bytes */
    uint32_t literals[DFT_HUFFMAN_MAX];    /* how often each symbol occurs in the block */
    uint32_t distances[32];
};

/* Appends one block with all of the output's text that is not compressed yet. */
bool dft_deflate_block(struct dft_deflate *deflate, const struct dft_output *output,
                       struct dft_buffer *out);

/* Begins a stream that refers to no earlier text. The previous stream need not have ended. */
void dft_deflate_begin(struct dft_deflate *deflate);

/* Ends the stream. */
bool dft_deflate_end(struct dft_deflate *deflate, struct dft_buffer *out);

#endif
