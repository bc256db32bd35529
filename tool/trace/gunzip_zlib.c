/* Decompression by zlib. See gunzip.h. */
#include "tool/trace/gunzip.h"

#include "tool/base/tool.h"

#include <stdlib.h>
#include <zlib.h>

/* zlib's way to ask for either header with the largest window. */
#define ZLIB_WINDOW 15
#define GZIP_WINDOW (ZLIB_WINDOW + 16)

struct dft_gunzip {
    z_stream stream;
};

static void *allocate(void *context, uInt count, uInt size)
{
    (void)context;
    return dft_tool_zeroed(count, size);
}

static void release(void *context, void *block)
{
    (void)context;
    free(block);
}

struct dft_gunzip *dft_gunzip_new(enum dft_gunzip_form form)
{
    struct dft_gunzip *gunzip = dft_tool_zeroed(1, sizeof *gunzip);

    gunzip->stream.zalloc = allocate;
    gunzip->stream.zfree = release;
    /* fails only for lack of memory */
    inflateInit2(&gunzip->stream, form == DFT_GUNZIP_ZLIB ? ZLIB_WINDOW : GZIP_WINDOW);
    return gunzip;
}

void dft_gunzip_reset(struct dft_gunzip *gunzip)
{
    inflateReset(&gunzip->stream);
}

enum dft_gunzip_step dft_gunzip_step(struct dft_gunzip *gunzip, struct dft_gunzip_io *io,
                                     const char **problem)
{
    z_stream *stream = &gunzip->stream;
    uInt left = dft_gunzip_portion(io->left);
    uInt room = dft_gunzip_portion(io->room);

    stream->next_in = (unsigned char *)io->next;
    stream->avail_in = left;
    stream->next_out = io->out;
    stream->avail_out = room;
    int status = inflate(stream, Z_NO_FLUSH);
    io->next = stream->next_in;
    io->left -= left - stream->avail_in;
    io->out = stream->next_out;
    io->room -= room - stream->avail_out;

    if (status == Z_STREAM_END)
        return DFT_GUNZIP_END;
    if (status == Z_OK || status == Z_BUF_ERROR)
        return DFT_GUNZIP_MORE;
    *problem = stream->msg ? stream->msg : "unknown method";
    return DFT_GUNZIP_BAD;
}

void dft_gunzip_free(struct dft_gunzip *gunzip)
{
    inflateEnd(&gunzip->stream);
    free(gunzip);
}
