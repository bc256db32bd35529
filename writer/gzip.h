/* gzip members: each one complete in itself, so that what is on disk can always be read. */
#ifndef DFT_GZIP_H
#define DFT_GZIP_H

#include "writer/buffer.h"

#include <zlib.h>

struct dft_gzip {
    z_stream stream;
    struct dft_buffer memory; /* what zlib asks for */
    bool open;                /* a member has begun */
};

bool dft_gzip_init(struct dft_gzip *gzip);

/* Appends the compressed form of `input` to `out`; begins a member where none is open. */
bool dft_gzip_add(struct dft_gzip *gzip, const struct dft_buffer *input, struct dft_buffer *out);

/* Closes the open member, if any. */
bool dft_gzip_close_member(struct dft_gzip *gzip, struct dft_buffer *out);

void dft_gzip_release(struct dft_gzip *gzip);

#endif
