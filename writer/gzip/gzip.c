/*
 * What is around a deflate stream: a gzip member (RFC 1952), or a packet of a Perfetto trace with a
 * zlib stream (RFC 1950). Runs in the writer's threads.
 *
 * A packet begins with its length, which is not known yet. So the length is written with as many
 * digits as the largest one has, and filled in at the end.
 */
#include "writer/gzip/gzip.h"
#include "writer/gzip/adler32.h"
#include "writer/gzip/crc32.h"

static const char gzip_header[] = {'\x1f', '\x8b', 8, 0, 0, 0, 0, 0, 0, 3}; /* made on Unix */

#define LENGTH_DIGITS 5 /* of 7 bits */
#define PACKET_TAG 1    /* bytes: field 1 of a trace */
#define DATA_TAG 2      /* bytes: field 50 of a packet */
static const char packet_header[] = {0x0a, 0, 0, 0, 0, 0, '\x92', 3, 0, 0, 0, 0, 0, 0x78, 0x01};

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

static bool begin_member(struct dft_gzip *gzip, struct dft_buffer *out)
{
    bool is_gzip = gzip->container == DFT_CONTAINER_GZIP;

    if (!dft_buffer_reserve(out, sizeof packet_header))
        return false;
    gzip->begin = out->used;
    if (is_gzip)
        dft_put_bytes(out, gzip_header, sizeof gzip_header);
    else
        dft_put_bytes(out, packet_header, sizeof packet_header);
    dft_deflate_begin(&gzip->deflate);
    gzip->open = true;
    gzip->sum = is_gzip ? 0 : DFT_ADLER32_BEGIN;
    gzip->length = 0;
    return true;
}

bool dft_gzip_add(struct dft_gzip *gzip, struct dft_output *output, struct dft_buffer *out)
{
    const char *text = output->text.data + output->kept;
    size_t length = output->text.used - output->kept;

    if (length == 0)
        return true;
    if (!gzip->open && !begin_member(gzip, out))
        return false;
    gzip->sum = gzip->container == DFT_CONTAINER_GZIP ? dft_crc32(gzip->sum, text, length)
                                                      : dft_adler32(gzip->sum, text, length);
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

static void fill_length(char *digits, size_t length)
{
    for (unsigned i = 0; i < LENGTH_DIGITS; i++, length >>= 7)
        digits[i] = (char)((length & 0x7f) | (i + 1 < LENGTH_DIGITS ? 0x80 : 0));
}

static void end_packet(const struct dft_gzip *gzip, struct dft_buffer *out)
{
    char *begin = out->data + gzip->begin;
    char sum[4] = {(char)(gzip->sum >> 24), (char)(gzip->sum >> 16), (char)(gzip->sum >> 8),
                   (char)gzip->sum};

    dft_put_bytes(out, sum, sizeof sum);
    size_t length = out->used - gzip->begin - PACKET_TAG - LENGTH_DIGITS;
    fill_length(begin + PACKET_TAG, length);
    fill_length(begin + PACKET_TAG + LENGTH_DIGITS + DATA_TAG, length - DATA_TAG - LENGTH_DIGITS);
}

bool dft_gzip_close_member(struct dft_gzip *gzip, struct dft_output *output, struct dft_buffer *out)
{
    if (!gzip->open)
        return true;
    gzip->open = false;
    forget(output, 0);
    if (!dft_deflate_end(&gzip->deflate, out) || !dft_buffer_reserve(out, 8))
        return false;
    if (gzip->container == DFT_CONTAINER_PACKET) {
        end_packet(gzip, out);
        return true;
    }
    put_little_endian(out, gzip->sum);
    put_little_endian(out, gzip->length);
    return true;
}

void dft_gzip_release(struct dft_gzip *gzip)
{
    dft_buffer_release(&gzip->deflate.sequences);
}
