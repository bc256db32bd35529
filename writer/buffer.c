/* Byte buffers, and numbers as text. Runs in the writer only. */
#include "writer/buffer.h"

#include <sys/mman.h>

bool dft_buffer_grow(struct dft_buffer *buffer, size_t more)
{
    size_t size = buffer->size ? buffer->size : 64u << 10;

    while (size - buffer->used < more) {
        if (size > SIZE_MAX / 2)
            return false;
        size *= 2;
    }
    void *data = buffer->data
                     ? mremap(buffer->data, buffer->size, size, MREMAP_MAYMOVE)
                     : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return false;
    buffer->data = data;
    buffer->size = size;
    return true;
}

void dft_buffer_release(struct dft_buffer *buffer)
{
    if (buffer->data)
        munmap(buffer->data, buffer->size);
    *buffer = (struct dft_buffer){0};
}

#define TEN(a, b)                                                                                  \
    {a, b, '0'}, {a, b, '1'}, {a, b, '2'}, {a, b, '3'}, {a, b, '4'}, {a, b, '5'}, {a, b, '6'},     \
        {a, b, '7'}, {a, b, '8'},                                                                  \
    {                                                                                              \
        a, b, '9'                                                                                  \
    }
#define HUNDRED(a)                                                                                 \
    TEN(a, '0'), TEN(a, '1'), TEN(a, '2'), TEN(a, '3'), TEN(a, '4'), TEN(a, '5'), TEN(a, '6'),     \
        TEN(a, '7'), TEN(a, '8'), TEN(a, '9')

const char dft_three_digits[1000][4] = {
    HUNDRED('0'), HUNDRED('1'), HUNDRED('2'), HUNDRED('3'), HUNDRED('4'),
    HUNDRED('5'), HUNDRED('6'), HUNDRED('7'), HUNDRED('8'), HUNDRED('9'),
};

void dft_put_unsigned(struct dft_buffer *buffer, uint64_t value)
{
    char digits[24];
    char *at = digits + sizeof digits;

    for (; value >= 1000; value /= 1000) {
        at -= 3;
        memcpy(at, dft_three_digits[value % 1000], 3);
    }
    unsigned length = value >= 100 ? 3 : value >= 10 ? 2 : 1;
    at -= length;
    memcpy(at, dft_three_digits[value] + 3 - length, length);
    dft_put_bytes(buffer, at, (size_t)(digits + sizeof digits - at));
}

void dft_put_microseconds(struct dft_buffer *buffer, uint64_t ns)
{
    dft_put_unsigned(buffer, ns / 1000);
    DFT_PUT_LITERAL(buffer, ".");
    dft_put_bytes(buffer, dft_three_digits[ns % 1000], 3);
}

bool dft_append_text(struct dft_buffer *buffer, const char *text)
{
    size_t length = strlen(text);

    if (!dft_buffer_reserve(buffer, length))
        return false;
    dft_put_bytes(buffer, text, length);
    return true;
}
