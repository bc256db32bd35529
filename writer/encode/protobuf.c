/* Protobuf wire format: see protobuf.h. Pure; runs in any of the writer's threads. */
#include "writer/encode/protobuf.h"
#include "text/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

bool dft_pb_append_number(struct dft_buffer *out, unsigned field, uint64_t value)
{
    if (!dft_buffer_reserve(out, DFT_PB_TAG_MAX + DFT_PB_VARINT_MAX))
        return false;
    char *begin = out->data + out->used;
    out->used += (size_t)(dft_pb_put_number(begin, field, value) - begin);
    return true;
}

static bool append_tag(struct dft_buffer *out, unsigned field, enum dft_pb_wire wire, size_t more)
{
    if (!dft_buffer_reserve(out, DFT_PB_TAG_MAX + more))
        return false;
    char *begin = out->data + out->used;
    out->used += (size_t)(dft_pb_put_tag(begin, field, wire) - begin);
    return true;
}

bool dft_pb_append_fixed(struct dft_buffer *out, unsigned field, uint64_t bits)
{
    char bytes[sizeof bits];

    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(bits >> 8 * i);
    if (!append_tag(out, field, DFT_PB_FIXED64, sizeof bytes))
        return false;
    dft_put_bytes(out, bytes, sizeof bytes);
    return true;
}

bool dft_pb_append_double(struct dft_buffer *out, unsigned field, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return dft_pb_append_fixed(out, field, bits);
}

bool dft_pb_append_bytes(struct dft_buffer *out, unsigned field, const char *bytes, size_t length)
{
    if (!append_tag(out, field, DFT_PB_BYTES, DFT_PB_VARINT_MAX + length))
        return false;
    char *at = out->data + out->used;
    out->used += (size_t)(dft_pb_put_varint(at, length) - at);
    if (length) /* `bytes` may be NULL */
        dft_put_bytes(out, bytes, length);
    return true;
}

bool dft_pb_append_text(struct dft_buffer *out, unsigned field, const char *text, size_t length)
{
    size_t begin;

    if (!dft_pb_begin(out, field, &begin) ||
        !dft_buffer_reserve(out, length * (sizeof REPLACEMENT - 1)))
        return false;
    while (length > 0) {
        uint32_t point;
        size_t size;
        if (dft_utf8_read(text, length, &point, &size))
            dft_put_bytes(out, text, size);
        else
            DFT_PUT_LITERAL(out, REPLACEMENT);
        text += size;
        length -= size;
    }
    return dft_pb_end(out, begin);
}

bool dft_pb_append_string(struct dft_buffer *out, unsigned field, const char *text)
{
    return dft_pb_append_text(out, field, text, strlen(text));
}

bool dft_pb_begin(struct dft_buffer *out, unsigned field, size_t *begin)
{
    if (!append_tag(out, field, DFT_PB_BYTES, 1))
        return false;
    out->used++; /* for a length below 128 */
    *begin = out->used;
    return true;
}

bool dft_pb_end(struct dft_buffer *out, size_t begin)
{
    size_t length = out->used - begin;
    char digits[DFT_PB_VARINT_MAX];
    size_t count = (size_t)(dft_pb_put_varint(digits, length) - digits);

    if (count > 1) {
        if (!dft_buffer_reserve(out, count - 1))
            return false;
        memmove(out->data + begin + count - 1, out->data + begin, length);
        out->used += count - 1;
    }
    memcpy(out->data + begin - 1, digits, count);
    return true;
}
