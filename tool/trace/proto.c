/*
 * Reads fields one after the other. Groups, which Perfetto does not use, count as damage.
 */
#include "tool/trace/proto.h"

bool dft_proto_varint(struct dft_proto_message *message, uint64_t *value)
{
    const unsigned char *at = message->at;
    uint64_t result = 0;

    for (unsigned shift = 0; shift < 70 && at < message->end; shift += 7) {
        unsigned char byte = *at++;

        if (shift == 63 && byte > 1)
            return false;
        result |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = result;
            message->at = at;
            return true;
        }
    }
    return false;
}

static bool read_fixed(struct dft_proto_message *message, size_t size, uint64_t *value)
{
    uint64_t result = 0;

    if ((size_t)(message->end - message->at) < size)
        return false;
    for (size_t i = 0; i < size; i++)
        result |= (uint64_t)message->at[i] << (8 * i);
    message->at += size;
    *value = result;
    return true;
}

static bool read_bytes(struct dft_proto_message *message, struct dft_proto_message *bytes)
{
    uint64_t length;

    if (!dft_proto_varint(message, &length) || length > (size_t)(message->end - message->at))
        return false;
    *bytes = (struct dft_proto_message){message->at, message->at + length};
    message->at += length;
    return true;
}

enum dft_proto_step dft_proto_next(struct dft_proto_message *message, struct dft_proto_field *field)
{
    uint64_t tag;
    bool is_read = false;

    if (message->at == message->end)
        return DFT_PROTO_DONE;
    if (!dft_proto_varint(message, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3)
        return DFT_PROTO_BAD;
    *field = (struct dft_proto_field){.number = (uint32_t)(tag >> 3),
                                      .wire = (enum dft_proto_wire)(tag & 7),
                                      .bytes = {message->at, message->at}};
    switch (tag & 7) {
    case DFT_PROTO_VARINT:
        is_read = dft_proto_varint(message, &field->value);
        break;
    case DFT_PROTO_FIXED64:
        is_read = read_fixed(message, 8, &field->value);
        break;
    case DFT_PROTO_BYTES:
        is_read = read_bytes(message, &field->bytes);
        break;
    case DFT_PROTO_FIXED32:
        is_read = read_fixed(message, 4, &field->value);
        break;
    default:
        break;
    }
    return is_read ? DFT_PROTO_FIELD : DFT_PROTO_BAD;
}
