/* The frame of a gzip member (RFC 1952) around a deflate stream. Runs in the writer's threads. */
#include "writer/gzip/gzip.h"
#include "writer/gzip/crc32.h"

static const char member_header[] = {'\x1f', '\x8b', 8, 0, 0, 0, 0, 0, 0, 3}; /* made on Unix */

/* Drops all of the text except the last `keep` bytes. */
static void forget(struct dft_output *output, size_t keep)
{
    size_t gone = output->text.used - keep;

    if (gone > 0 && keep > 0)
        memmove(output->text.data, output->text.data + gone, keep);
    output->origin += (uint32_t)gone;
    output->text.used = output->kept = keep;
    output->repeats.used = 0;
}

bool dft_gzip_add(struct dft_gzip *gzip, struct dft_output *output, struct dft_buffer *out)
{
    const char *text = output->text.data + output->kept;
    size_t length = output->text.used - output->kept;

    if (length == 0)
        return true;
    if (!gzip->open) {
        if (!dft_buffer_reserve(out, sizeof member_header))
            return false;
        dft_put_bytes(out, member_header, sizeof member_header);
        dft_deflate_begin(&gzip->deflate);
        gzip->open = true;
        gzip->crc = gzip->length = 0;
    }
    gzip->crc = dft_crc32(gzip->crc, text, length);
    gzip->length += (uint32_t)length;
    bool fine = dft_deflate_block(&gzip->deflate, output, out);
    forget(output, output->text.used < DFT_DEFLATE_WINDOW ? output->text.used : DFT_DEFLATE_WINDOW);
    gzip->open = fine; /* after a failure, the member is made again from its beginning */
    return fine;
}

static void put_little_endian(struct dft_buffer *out, uint32_t value)
{
    char bytes[4] = {(char)value, (char)(value >> 8), (char)(value >> 16), (char)(value >> 24)};

    dft_put_bytes(out, bytes, sizeof bytes);
}

bool dft_gzip_close_member(struct dft_gzip *gzip, struct dft_output *output, struct dft_buffer *out)
{
    if (!gzip->open)
        return true;
    gzip->open = false;
    forget(output, 0);
    if (!dft_deflate_end(&gzip->deflate, out) || !dft_buffer_reserve(out, 8))
        return false;
    put_little_endian(out, gzip->crc);
    put_little_endian(out, gzip->length);
    return true;
}

void dft_gzip_release(struct dft_gzip *gzip)
{
    dft_buffer_release(&gzip->deflate.sequences);
}
