/* gzip by zlib, with memory from the kernel. Runs in the writer only. */
#include "writer/gzip.h"

/* deflate's state at memLevel 8 and a 32 KiB window, with room for other zlib builds. */
#define ZLIB_MEMORY (1u << 20)
#define LEVEL 1
#define GZIP_FORMAT (15 + 16)

static voidpf zlib_take(voidpf opaque, uInt items, uInt size)
{
    struct dft_buffer *memory = opaque;
    size_t bytes = ((size_t)items * size + 63) & ~(size_t)63;

    /* The buffer must not move under zlib's feet, so it does not grow here. */
    if (memory->size - memory->used < bytes)
        return Z_NULL;
    memory->used += bytes;
    return memory->data + memory->used - bytes;
}

static void zlib_give(voidpf opaque, voidpf address)
{
    (void)opaque;
    (void)address;
}

bool dft_gzip_init(struct dft_gzip *gzip)
{
    *gzip = (struct dft_gzip){0};
    if (!dft_buffer_reserve(&gzip->memory, ZLIB_MEMORY))
        return false;
    gzip->stream.zalloc = zlib_take;
    gzip->stream.zfree = zlib_give;
    gzip->stream.opaque = &gzip->memory;
    return deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, GZIP_FORMAT, 8, Z_DEFAULT_STRATEGY) ==
           Z_OK;
}

static bool run(struct dft_gzip *gzip, int flush, struct dft_buffer *out)
{
    z_stream *stream = &gzip->stream;
    int result;

    do {
        if (!dft_buffer_reserve(out, 64u << 10))
            return false;
        size_t room = out->size - out->used;
        if (room > 1u << 30)
            room = 1u << 30;
        stream->next_out = (Bytef *)out->data + out->used;
        stream->avail_out = (uInt)room;
        result = deflate(stream, flush);
        out->used += room - stream->avail_out;
        if (result == Z_STREAM_ERROR)
            return false;
    } while (flush == Z_FINISH ? result != Z_STREAM_END : stream->avail_in > 0);
    return true;
}

bool dft_gzip_add(struct dft_gzip *gzip, const struct dft_buffer *input, struct dft_buffer *out)
{
    size_t done = 0;

    gzip->open = true;
    while (done < input->used) {
        size_t piece = input->used - done;
        if (piece > 1u << 30)
            piece = 1u << 30;
        gzip->stream.next_in = (Bytef *)input->data + done;
        gzip->stream.avail_in = (uInt)piece;
        if (!run(gzip, Z_NO_FLUSH, out))
            return false;
        done += piece;
    }
    return true;
}

bool dft_gzip_close_member(struct dft_gzip *gzip, struct dft_buffer *out)
{
    if (!gzip->open)
        return true;
    gzip->open = false;
    gzip->stream.avail_in = 0;
    return run(gzip, Z_FINISH, out) && deflateReset(&gzip->stream) == Z_OK;
}

void dft_gzip_release(struct dft_gzip *gzip)
{
    deflateEnd(&gzip->stream);
    dft_buffer_release(&gzip->memory);
}
