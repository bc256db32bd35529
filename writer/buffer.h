/*
 * Growing byte buffers, with memory straight from the kernel.
 *
 * The writer runs inside the traced program, whose malloc may be locked, instrumented or broken. So
 * nothing in this folder uses the heap.
 */
#ifndef DFT_WRITER_BUFFER_H
#define DFT_WRITER_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dft_buffer {
    char *data;
    size_t used;
    size_t size;
};

/* Makes room for `more` bytes after `used`; false if the kernel has no memory. */
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

/*
 * Copies in steps of DFT_WILD bytes, so up to DFT_WILD bytes after `length` may be read and
 * written. Returns the end of the first `length` bytes.
 */
#define DFT_WILD 32
static inline char *dft_copy_wild(char *to, const char *from, size_t length)
{
    for (size_t done = 0; done < length; done += DFT_WILD)
        memcpy(to + done, from + done, DFT_WILD);
    return to + length;
}

/* Writes a number below 1000 as three digits, and one byte more. Returns the end of the digits. */
extern const char dft_three_digits[1000][4];
static inline char *dft_copy_three(char *to, unsigned value)
{
    memcpy(to, dft_three_digits[value], 4);
    return to + 3;
}

/* At most 20 digits. */
void dft_put_unsigned(struct dft_buffer *buffer, uint64_t value);

/* Nanoseconds as microseconds with three decimals: at most 21 characters. */
void dft_put_microseconds(struct dft_buffer *buffer, uint64_t ns);

/* Reserves its own room. */
bool dft_append_text(struct dft_buffer *buffer, const char *text);

#endif
