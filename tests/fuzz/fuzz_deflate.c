/*
 * Fuzzes the writer's deflate against zlib's inflate, with libFuzzer: what goes in must come out,
 * whatever the hints say. The input is a list of steps, one byte each with its arguments:
 *
 *   0  text: a length, then so many bytes
 *   1  a repetition: two bytes of distance, one of length, copied from the text before
 *   2  a hint that may be wrong: two bytes of distance, one of length
 *   3  the text so far becomes a block
 *   4  the member ends
 *
 * Registered as fuzz-deflate; CONTRIBUTING.md says how to run it for longer.
 */
#include "writer/gzip/gzip.h"

#include <stdlib.h>
#include <zlib.h>

static struct dft_gzip gzip;
static struct dft_output output;
static struct dft_buffer compressed, all;

struct input {
    const uint8_t *at, *end;
};

static unsigned take(struct input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void put(const char *bytes, size_t length)
{
    if (!length) /* there may be no buffer yet */
        return;
    require(dft_buffer_reserve(&output.text, length) && dft_buffer_reserve(&all, length));
    dft_put_bytes(&output.text, bytes, length);
    dft_put_bytes(&all, bytes, length);
}

static void put_text(struct input *input)
{
    size_t length = take(input), left = (size_t)(input->end - input->at);

    length = length < left ? length : left;
    put((const char *)input->at, length);
    input->at += length;
}

static void put_repetition(struct input *input)
{
    size_t distance = take(input) << 8, length;
    char byte;

    distance |= take(input);
    length = (size_t)take(input) * 4; /* longer than one match may be */
    if (distance == 0 || distance > all.used)
        return;
    while (length-- > 0) {
        byte = all.data[all.used - distance];
        put(&byte, 1);
    }
}

/* Hints come in the order of their places. */
static void put_hint(struct input *input)
{
    uint32_t here = output.origin + (uint32_t)output.text.used;
    uint32_t distance = take(input) << 8;

    distance |= take(input);
    struct dft_repeat repeat = {here, here - distance, take(input)};
    require(dft_buffer_reserve(&output.repeats, sizeof repeat));
    dft_put_bytes(&output.repeats, (const char *)&repeat, sizeof repeat);
}

/* All members, one after the other. */
static void read_back(void)
{
    char *back = malloc(all.used + 1);
    size_t length = 0;
    z_stream stream = {.next_in = (Bytef *)compressed.data, .avail_in = (uInt)compressed.used};

    require(back != NULL);
    while (stream.avail_in > 0) {
        require(inflateInit2(&stream, 15 + 16) == Z_OK); /* gzip: zlib checks length and CRC */
        stream.next_out = (Bytef *)back + length;
        stream.avail_out = (uInt)(all.used + 1 - length);
        require(inflate(&stream, Z_FINISH) == Z_STREAM_END);
        length = (size_t)((char *)stream.next_out - back);
        inflateEnd(&stream);
    }
    require(length == all.used && (length == 0 || memcmp(back, all.data, length) == 0));
    free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, data + size};

    compressed.used = all.used = 0;
    require(dft_buffer_reserve(&output.text, 1)); /* in the writer there is always a buffer */
    while (input.at < input.end) {
        switch (take(&input) % 5) {
        case 0:
            put_text(&input);
            break;
        case 1:
            put_repetition(&input);
            break;
        case 2:
            put_hint(&input);
            break;
        case 3:
            require(dft_gzip_add(&gzip, &output, &compressed));
            break;
        default:
            require(dft_gzip_add(&gzip, &output, &compressed) &&
                    dft_gzip_close_member(&gzip, &output, &compressed));
        }
    }
    require(dft_gzip_add(&gzip, &output, &compressed) &&
            dft_gzip_close_member(&gzip, &output, &compressed));
    read_back();
    return 0;
}
