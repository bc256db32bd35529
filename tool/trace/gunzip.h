/*
 * Decompression of one gzip member after another, from memory to memory.
 *
 * Two files do this: gunzip_isal.c where Intel's ISA-L was found, which takes less than half the
 * time, else gunzip_zlib.c.
 */
#ifndef DFT_TOOL_TRACE_GUNZIP_H
#define DFT_TOOL_TRACE_GUNZIP_H

#include <stddef.h>

/* Where bytes come from and go to; each step moves on what it has used. */
struct dft_gunzip_io {
    const unsigned char *next;
    size_t left;
    unsigned char *out;
    size_t room;
};

/* How much of it at once: both libraries count in 32 bits. */
static inline unsigned dft_gunzip_portion(size_t size)
{
    return size < 1u << 30 ? (unsigned)size : 1u << 30;
}

enum dft_gunzip_step {
    DFT_GUNZIP_MORE, /* has used what it could: nothing left, or no room */
    DFT_GUNZIP_END,  /* of the member, its checksum is right; the next byte is behind it */
    DFT_GUNZIP_BAD,  /* `problem` says why */
};

struct dft_gunzip;

/* Stands before a member. */
struct dft_gunzip *dft_gunzip_new(void);

/* Before another one, wherever in a member it stood. */
void dft_gunzip_reset(struct dft_gunzip *gunzip);

enum dft_gunzip_step dft_gunzip_step(struct dft_gunzip *gunzip, struct dft_gunzip_io *io,
                                     const char **problem);
void dft_gunzip_free(struct dft_gunzip *gunzip);

#endif
