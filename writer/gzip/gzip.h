/* gzip members: each one complete in itself, so that what is on disk can always be read. */
#ifndef DFT_WRITER_GZIP_GZIP_H
#define DFT_WRITER_GZIP_GZIP_H

#include "writer/gzip/deflate.h"

struct dft_gzip {
    struct dft_deflate deflate;
    uint32_t crc;
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
