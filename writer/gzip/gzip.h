/*
 * Members of a trace file: compressed, and each complete in itself, so that what is on disk can
 * always be read.
 */
#ifndef DFT_WRITER_GZIP_GZIP_H
#define DFT_WRITER_GZIP_GZIP_H

#include "writer/gzip/deflate.h"

/* What is around the compressed data. */
enum dft_container {
    DFT_CONTAINER_GZIP,
    DFT_CONTAINER_PACKET, /* a packet of a Perfetto trace that contains compressed packets */
};

struct dft_gzip {
    struct dft_deflate deflate;
    enum dft_container container;
    uint32_t sum;    /* the checksum that the container has */
    size_t begin;    /* of the member, in the output */
    uint32_t length; /* of the member's text, modulo 2^32 */
    bool open;       /* a member has begun */
};

/* Frees the memory of `gzip`. A struct dft_gzip that is all zeros is ready for use. */
void dft_gzip_release(struct dft_gzip *gzip);

/*
 * Compresses the text of `output` and appends it to `out`. Begins a member if none is open. The
 * part of the text that later text may refer to stays in `output`.
 */
bool dft_gzip_add(struct dft_gzip *gzip, struct dft_output *output, struct dft_buffer *out);

/* Closes the open member, if any. */
bool dft_gzip_close_member(struct dft_gzip *gzip, struct dft_output *output,
                           struct dft_buffer *out);

#endif
