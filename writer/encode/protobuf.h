/*
 * Protobuf wire format. The put functions write where room was reserved; the append functions
 * reserve their own room and return false if memory is exhausted.
 */
#ifndef DFT_WRITER_ENCODE_PROTOBUF_H
#define DFT_WRITER_ENCODE_PROTOBUF_H

#include "writer/buffer.h"

enum dft_pb_wire { DFT_PB_VARINT = 0, DFT_PB_FIXED64 = 1, DFT_PB_BYTES = 2 };

#define DFT_PB_VARINT_MAX 10 /* bytes of a number, */
#define DFT_PB_TAG_MAX 2     /* and of a tag: all field numbers are below 2048 */

static inline char *dft_pb_put_varint(char *at, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        *at++ = (char)(value | 0x80);
    *at++ = (char)value;
    return at;
}

static inline char *dft_pb_put_tag(char *at, unsigned field, enum dft_pb_wire wire)
{
    return dft_pb_put_varint(at, field << 3 | wire);
}

static inline char *dft_pb_put_number(char *at, unsigned field, uint64_t value)
{
    return dft_pb_put_varint(dft_pb_put_tag(at, field, DFT_PB_VARINT), value);
}

/* --- fields of any message ------------------------------------------------------------------ */

bool dft_pb_append_number(struct dft_buffer *out, unsigned field, uint64_t value);
bool dft_pb_append_fixed(struct dft_buffer *out, unsigned field, uint64_t bits);
bool dft_pb_append_double(struct dft_buffer *out, unsigned field, double value);
bool dft_pb_append_bytes(struct dft_buffer *out, unsigned field, const char *bytes, size_t length);

/* A string. Bytes that are not valid UTF-8 become U+FFFD. */
bool dft_pb_append_text(struct dft_buffer *out, unsigned field, const char *text, size_t length);
bool dft_pb_append_string(struct dft_buffer *out, unsigned field, const char *text);

/*
 * A message inside: `begin` is the position that dft_pb_begin has set. Between the two calls, the
 * fields of the message are appended.
 */
bool dft_pb_begin(struct dft_buffer *out, unsigned field, size_t *begin);
bool dft_pb_end(struct dft_buffer *out, size_t begin);

#endif
