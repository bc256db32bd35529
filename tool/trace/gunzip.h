/*
 * Decompresses members of gzip or zlib data, one after the other, from memory to memory.
 *
 * There are two implementations: gunzip_isal.c if Intel's ISA-L was found, which takes less than
 * half the time, otherwise gunzip_zlib.c.
 */
#ifndef DFT_TOOL_TRACE_GUNZIP_H
#define DFT_TOOL_TRACE_GUNZIP_H

#include <stddef.h>

/* Input and output; each step advances both by what it has used. */
struct dft_gunzip_io {
    const unsigned char *next;
    size_t left;
    unsigned char *out;
    size_t room;
};

/* The largest size for one step: both libraries count in 32 bits. */
static inline unsigned dft_gunzip_portion(size_t size)
{
    return size < 1u << 30 ? (unsigned)size : 1u << 30;
}

enum dft_gunzip_step {
    DFT_GUNZIP_MORE, /* the input is used up, or there is no room for output */
    DFT_GUNZIP_END,  /* the member has ended, and its checksum is right */
    DFT_GUNZIP_BAD,  /* `problem` says why */
};

struct dft_gunzip;

/* What is around the compressed data. */
enum dft_gunzip_form {
    DFT_GUNZIP_GZIP,
    DFT_GUNZIP_ZLIB,
};

/* Ready to read a member. */
struct dft_gunzip *dft_gunzip_new(enum dft_gunzip_form form);

/* Makes it ready for another member. */
void dft_gunzip_reset(struct dft_gunzip *gunzip);

enum dft_gunzip_step dft_gunzip_step(struct dft_gunzip *gunzip, struct dft_gunzip_io *io,
                                     const char **problem);
void dft_gunzip_free(struct dft_gunzip *gunzip);

#endif
