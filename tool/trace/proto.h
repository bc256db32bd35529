/*
 * The wire format of protocol buffers: the fields of a message in memory. Pure.
 */
#ifndef DFT_TOOL_TRACE_PROTO_H
#define DFT_TOOL_TRACE_PROTO_H

#include "tool/base/text.h"

/* What is left of a message. */
struct dft_proto_message {
    const unsigned char *at;
    const unsigned char *end;
};

enum dft_proto_wire {
    DFT_PROTO_VARINT = 0,
    DFT_PROTO_FIXED64 = 1,
    DFT_PROTO_BYTES = 2,
    DFT_PROTO_FIXED32 = 5,
};

struct dft_proto_field {
    uint32_t number;
    enum dft_proto_wire wire;
    uint64_t value;                 /* of a number; 0 if it is bytes */
    struct dft_proto_message bytes; /* empty if it is a number */
};

enum dft_proto_step {
    DFT_PROTO_FIELD,
    DFT_PROTO_DONE,
    DFT_PROTO_BAD, /* the message is damaged at `at` */
};

enum dft_proto_step dft_proto_next(struct dft_proto_message *message,
                                   struct dft_proto_field *field);

/* Reads a varint. False, without any change, if it is not complete or too long. */
bool dft_proto_varint(struct dft_proto_message *message, uint64_t *value);

/* The bytes of a field as text. */
static inline struct dft_text dft_proto_text(struct dft_proto_message bytes)
{
    return (struct dft_text){(const char *)bytes.at, (size_t)(bytes.end - bytes.at)};
}

#endif
