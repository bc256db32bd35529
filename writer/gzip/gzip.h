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

/* All zero is a good start; release it in the end. */
void dft_gzip_release(struct dft_gzip *gzip);

/*
 * Moves the text of `output` into `out`, compressed; begins a member where none is open. Of the
 * text stays what later text may refer to.
 */
bool dft_gzip_add(struct dft_gzip *gzip, struct dft_output *output, struct dft_buffer *out);

/* Closes the open member, if any. */
bool dft_gzip_close_member(struct dft_gzip *gzip, struct dft_output *output,
                           struct dft_buffer *out);

#endif
