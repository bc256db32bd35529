/*
 * Growing byte buffers straight from the kernel.
 *
 * The writer runs inside the traced program, whose malloc may be locked, instrumented or broken at
 * that very moment; so nothing in this folder uses the heap.
 */
#ifndef DFT_BUFFER_H
#define DFT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dft_buffer {
    char *data;
    size_t used;
    size_t size;
};

/* Room for `more` bytes behind `used`; false when the kernel has none. */
bool dft_buffer_grow(struct dft_buffer *buffer, size_t more);
void dft_buffer_release(struct dft_buffer *buffer);

static inline bool dft_buffer_reserve(struct dft_buffer *buffer, size_t more)
{
    return buffer->size - buffer->used >= more || dft_buffer_grow(buffer, more);
}

/* The put functions below write only where room was reserved. */
static inline void dft_put_bytes(struct dft_buffer *buffer, const char *bytes, size_t length)
{
    memcpy(buffer->data + buffer->used, bytes, length);
    buffer->used += length;
}

#define DFT_PUT_LITERAL(buffer, literal) dft_put_bytes(buffer, literal, sizeof(literal) - 1)

/* At most 20 digits. */
void dft_put_unsigned(struct dft_buffer *buffer, uint64_t value);

/* Nanoseconds as microseconds with three decimals: at most 21 characters. */
void dft_put_microseconds(struct dft_buffer *buffer, uint64_t ns);

/* Reserves for itself. Zero-terminated text as a JSON string with its quotes. */
bool dft_append_json_string(struct dft_buffer *buffer, const char *text);
bool dft_append_text(struct dft_buffer *buffer, const char *text);

#endif
